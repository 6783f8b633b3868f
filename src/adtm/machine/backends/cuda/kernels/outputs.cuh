// Rule 1, outputs: what a clause says to the steps of a window, as planes of 32 numbers. A warp takes a clause; each lane has
// some words of its include mask and looks up the column of every literal in them: the bits of the 32 steps.
// MISSES planes count failed literals, 0 where clauses are ANDs.
#define SAID (MISSES + 1)
#define AHEAD (WIDE ? 4 : 2)  // words that a lane reads before it looks at the first

struct Said {
    u32 planes[SAID];

    FN u32 fired() const {
        u32 any = 0;
#pragma unroll
        for (int p = 0; p < SAID; ++p) any |= planes[p];
        return any;
    }
    FN int at(u32 step) const {
        u32 votes = 0;
#pragma unroll
        for (int p = 0; p < SAID; ++p) votes |= (planes[p] >> step & 1) << p;
        return (int)votes;
    }
};

#if MISSES == 0
// The steps, of those asked for, at which all included literals are true; an empty clause fires at all of them.
FN Said said(const u32* include, const u32* columns, u32 words, u32, u32, u32 steps, u32 lane) {
    for (u32 first = 0; first < words; first += 32 * AHEAD) {
        u32 x[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; ++k) {
            const u32 w = first + 32 * k + lane;
            x[k] = w < words ? include[w] : 0;
        }
#pragma unroll
        for (u32 k = 0; k < AHEAD; ++k) {
            const u32* column = columns + 32 * (first + 32 * k + lane);
            while (x[k] && steps) {
                const u32 low = __ffs(x[k]) - 1, high = 31 - __clz(x[k]);
                steps &= column[low] & column[high];
                x[k] &= ~(1u << low | 1u << high);
            }
        }
        steps = __reduce_and_sync(FULL, steps);
        if (!steps) break;
    }
    return Said{{steps}};
}
#else
// One vote less for each included literal that is false; `size` literals are included.
FN Said said(const u32* include, const u32* columns, u32 words, u32 size, u32 most_votes, u32 steps, u32 lane) {
    u32 misses[MISSES], over = ~steps;
#pragma unroll
    for (int p = 0; p < MISSES; ++p) misses[p] = 0;
    for (u32 first = 0; first < words; first += 32 * AHEAD) {
        u32 x[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; ++k) {
            const u32 w = first + 32 * k + lane;
            x[k] = w < words ? include[w] : 0;
        }
#pragma unroll
        for (u32 k = 0; k < AHEAD; ++k) {
            const u32* column = columns + 32 * (first + 32 * k + lane);
            for (; x[k] && ~over; x[k] &= x[k] - 1) {
                u32 carry = ~column[__ffs(x[k]) - 1];
#pragma unroll
                for (int p = 0; p < MISSES; ++p) {
                    const u32 v = misses[p];
                    misses[p] = v ^ carry;
                    carry &= v;
                }
                over |= carry;
            }
        }
        if (WIDE && !__any_sync(FULL, ~over)) break;
    }
#pragma unroll
    for (u32 j = 16; j; j >>= 1) {  // the lanes' counts together
        u32 others[MISSES];
#pragma unroll
        for (int p = 0; p < MISSES; ++p) others[p] = __shfl_xor_sync(FULL, misses[p], j);
        over |= __shfl_xor_sync(FULL, over, j);
        over |= add_planes(misses, others, 0);
    }
    Said found;
    votes_left(misses, over, size > 0 && size < most_votes ? size : most_votes, found.planes);
    return found;
}
#endif
