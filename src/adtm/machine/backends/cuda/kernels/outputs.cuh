// Rule 1, outputs: what clauses say to the 32 steps of a window, as planes of 32 numbers. A column is what the steps say to a
// literal. MISSES planes count failed literals, 0 where clauses are ANDs.
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

// How many literals failed at each step, of those that were looked at; `over`: too many, or nobody asks for the step.
struct Failed {
    u32 misses[SAID], over;  // one plane more than is used, as there are no arrays of none

    FN explicit Failed(u32 steps) : over(~steps) {
#pragma unroll
        for (int p = 0; p < SAID; ++p) misses[p] = 0;
    }

    // The included literals x of a word, two at a time, until every step has failed.
    FN void look(u32 x, const u32* column) {
        while (x && ~over) {
            const u32 low = __ffs(x) - 1, high = 31 - __clz(x);
            const u32 a = ~column[low], b = low == high ? 0u : ~column[high];
            x &= ~(1u << low | 1u << high);
            u32 carry = a | b;
#if MISSES
            carry = (misses[0] & carry) | (a & b);
            misses[0] ^= a ^ b;
#pragma unroll
            for (int p = 1; p < MISSES; ++p) {
                const u32 v = misses[p];
                misses[p] = v ^ carry;
                carry &= v;
            }
#endif
            over |= carry;
        }
    }

    // What 32 lanes found together.
    FN void join() {
#if MISSES
#pragma unroll
        for (u32 j = 16; j; j >>= 1) {
            u32 carry = 0;
#pragma unroll
            for (int p = 0; p < MISSES; ++p) {
                const u32 b = __shfl_xor_sync(FULL, misses[p], j), v = misses[p];
                misses[p] = v ^ b ^ carry;
                carry = (v & b) | (carry & (v | b));
            }
            over |= __shfl_xor_sync(FULL, over, j) | carry;
        }
#else
        over = ~__reduce_and_sync(FULL, ~over);
#endif
    }

    // The votes of a clause with `size` literals: one for each up to F, or F if it has none, less those that failed.
    FN Said votes(u32 size, u32 F) const {
        Said found;
        const u32 most = size > 0 && size < F ? size : F;
        u32 borrow = 0;
#pragma unroll
        for (int p = 0; p < SAID; ++p) {
            const u32 l = spread_bit(most, p), m = p < MISSES ? misses[p] : 0u;
            found.planes[p] = l ^ m ^ borrow;
            borrow = (~l & (m | borrow)) | (m & borrow);
        }
#pragma unroll
        for (int p = 0; p < SAID; ++p) found.planes[p] &= ~(over | borrow);
        return found;
    }
};

// What one clause says, found by a warp: each lane has some words of its include mask.
FN Said said_by_warp(const u32* include, const u32* columns, u32 size, u32 F, u32 steps, u32 lane) {
    Failed failed(steps);
    for (u32 first = 0; first < WORDS; first += 32 * AHEAD) {
        u32 x[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; ++k) {
            const u32 w = first + 32 * k + lane;
            x[k] = w < WORDS ? include[w] : 0;
        }
#pragma unroll
        for (u32 k = 0; k < AHEAD; ++k) failed.look(x[k], columns + 32 * (first + 32 * k + lane));
        if (first + 32 * AHEAD < WORDS && __any_sync(FULL, failed.over == FULL)) break;
    }
    failed.join();
    return failed.votes(size, F);
}

// What one clause says, found by each lane for its own.
FN Said said_by_lane(const u32* include, const u32* columns, u32 size, u32 F, u32 steps) {
    Failed failed(steps);
    for (u32 w = 0; w < WORDS; ++w) {
        failed.look(include[w], columns + 32 * w);
        if (w % 16 == 15 && !__any_sync(FULL, ~failed.over)) break;
    }
    return failed.votes(size, F);
}
