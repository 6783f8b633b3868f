// Rule 1, outputs: what clauses say to the 32 steps of a window. A row has the literals of a step; a column has what the 32 steps
// say to a literal.
#if PATCHES
// What a clause says to the patches of this lane, the warp going through its include mask.
FN Said said_by_mask(const u32* include, const u32* columns, u32 most, u32 patches, u32 lane) {
    Failed failed(patches);
    for (u32 first = 0; first < WORDS; first += 32) {
        const u32 mine = first + lane < WORDS ? include[first + lane] : 0;
        for (u32 left = __ballot_sync(FULL, mine != 0); left; left &= left - 1) {
            const u32 w = __ffs(left) - 1, *column = columns + 32 * (first + w) * COLUMN;
            for (u32 x = __shfl_sync(FULL, mine, w); x;) {
                const u32 low = __ffs(x) - 1, high = 31 - __clz(x);
                failed.add(~column[low * COLUMN], low == high ? 0u : ~column[high * COLUMN]);
                x &= ~(1u << low | 1u << high);
            }
            if (!__any_sync(FULL, ~failed.over)) return failed.votes(most);
        }
    }
    return failed.votes(most);
}
#else
#define AHEAD (LOOK_TOGETHER ? 8 : CHUNKS < 4 ? CHUNKS : 4)  // words that a lane reads before it looks at the first

// What fails in a clause, or in one of so many parts of it, found by a warp: each lane has some words of its include mask, and
// looks up columns.
FN Failed failed_by_columns(const u32* include, const u32* columns, u32 steps, u32 lane, u32 part = 0, u32 parts = 1) {
    Failed failed(steps);
    for (u32 first = 32 * AHEAD * part; first < WORDS; first += 32 * AHEAD * parts) {
        u32 x[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; ++k) {
            const u32 w = first + 32 * k + lane;
            x[k] = w < WORDS ? include[w] : 0;
        }
#pragma unroll
        for (u32 k = 0; k < AHEAD; ++k) {
            const u32* column = columns + 32 * (first + 32 * k + lane);
            while (x[k] && ~failed.over) {
                const u32 low = __ffs(x[k]) - 1, high = 31 - __clz(x[k]);
                failed.add(~column[low], low == high ? 0u : ~column[high]);
                x[k] &= ~(1u << low | 1u << high);
            }
        }
        if (__any_sync(FULL, failed.over == FULL)) break;
    }
    failed.join(1);
    return failed;
}
#endif

#if !PATCHES && !WIDE
// What some clauses say, found by a warp with a lane for each step.
template <int N>
FN void said_by_rows(const u32* const (&include)[N], const u32* rows, const u32 (&most)[N], u32 steps, u32 lane,
                     Said (&found)[N]) {
    const uint4* row = (const uint4*)(rows + lane * ROW);
    u32 failed[N];
#pragma unroll
    for (int k = 0; k < N; ++k) failed[k] = 0;
#pragma unroll (N == 1 && VECTORS <= 16 ? VECTORS : 4)  // few clauses: all the reading at once
    for (u32 v = 0; v < VECTORS; ++v) {
        const uint4 r = row[v];
#pragma unroll
        for (int k = 0; k < N; ++k) {
            const uint4 x = ((const uint4*)include[k])[v];
#if MISSES
            failed[k] += __popc(x.x & ~r.x) + __popc(x.y & ~r.y) + __popc(x.z & ~r.z) + __popc(x.w & ~r.w);
#else
            failed[k] |= (x.x & ~r.x) | (x.y & ~r.y) | (x.z & ~r.z) | (x.w & ~r.w);
#endif
        }
    }
#pragma unroll
    for (int k = 0; k < N; ++k) {
        const u32 votes = MISSES ? (failed[k] < most[k] ? most[k] - failed[k] : 0u) : failed[k] == 0;
#pragma unroll
        for (int p = 0; p < SAID; ++p) found[k].planes[p] = __ballot_sync(FULL, votes >> p & 1) & steps;
    }
}
#endif

#if LISTS
// What a clause says that has a list of at most LISTED literals: to 32 steps, each lane for a clause of its own, or to the
// patches of this lane, where lanes a multiple of `width` apart share the literals of one clause.
FN Said said_by_list(const uint16_t* list, const u32* columns, u32 size, u32 most, u32 steps, u32 lane = 0,
                     u32 width = 32) {
    Failed failed(steps);
    const uint4* entries = (const uint4*)list + lane / width;
    const u32 stride = 32 / width;
    uint4 next = *entries;
#pragma unroll 1
    for (u32 k = 0; k < (size + 7) / 8; k += stride) {
        if (PATCHES ? !__any_sync(FULL, ~failed.over) : failed.over == FULL) break;
        if (PATCHES && k + lane / width >= (size + 7) / 8) continue;
        const uint4 e = next;
        next = *(entries += stride);  // perhaps past the end, where there is something
        failed.add(~columns[(e.x & 0xFFFF) * COLUMN], ~columns[(e.x >> 16) * COLUMN]);
        failed.add(~columns[(e.y & 0xFFFF) * COLUMN], ~columns[(e.y >> 16) * COLUMN]);
        failed.add(~columns[(e.z & 0xFFFF) * COLUMN], ~columns[(e.z >> 16) * COLUMN]);
        failed.add(~columns[(e.w & 0xFFFF) * COLUMN], ~columns[(e.w >> 16) * COLUMN]);
    }
    if (PATCHES) failed.join(width);
    return failed.votes(most);
}

// A warp makes the list of a clause, filled up with a literal whose column is always true. Longer ones are not made.
FN void make_list(const u32* include, u32 size, uint16_t* list, u32 lane) {
    if (size > LISTED) return;
    u32 total = 0;
#if WORDS <= 16  // perhaps many literals in each: a lane for each of 32
#pragma unroll
    for (u32 w = 0; w < WORDS; ++w) {
        const u32 x = include[w];
        if (x >> lane & 1) list[total + __popc(x & ((1u << lane) - 1))] = (uint16_t)(32 * w + lane);
        total += __popc(x);
    }
#else
    for (u32 first = 0; first < WORDS; first += 32) {
        u32 x = first + lane < WORDS ? include[first + lane] : 0;
        const u32 scan = sum_up_to(__popc(x), lane);
        for (u32 at = total + scan - __popc(x); x; x &= x - 1)
            list[at++] = (uint16_t)(32 * (first + lane) + __ffs(x) - 1);
        total += __shfl_sync(FULL, scan, 31);
    }
#endif
    if (lane < (8 - total % 8) % 8) list[total + lane] = (uint16_t)ALWAYS;
}
#endif
