// From one layout to another: states between bytes and planes, the first states of a machine, include masks, the lists of included literals that a voter
// reads, the largest votes, negations, and the strings of images. A warp takes a word of 32 literals; a row is a clause.
// Compiled for: PLANES of a state, STATE (its type on the host), THREADS.

#define WARP_OF_GRID ((u64)blockIdx.x * (THREADS / 32) + (threadIdx.x >> 5))
#define N_WARPS ((u64)gridDim.x * (THREADS / 32))

extern "C" __global__ void to_planes(const STATE* states, u32* planes, u64 n_rows, u32 n_literals, u32 bias) {
    const u32 lane = threadIdx.x & 31, words = (n_literals + 31) / 32;
    for (u64 at = WARP_OF_GRID; at < n_rows * words; at += N_WARPS) {
        const u32 k = 32 * (u32)(at % words) + lane;
        const u32 state = k < n_literals ? states[at / words * n_literals + k] + bias : 0u;
        u32 mine = 0;
#pragma unroll
        for (u32 p = 0; p < PLANES; ++p) {
            const u32 plane = __ballot_sync(FULL, state >> p & 1);
            if (lane == p) mine = plane;
        }
        if (lane < PLANES) planes[at * PLANES + lane] = mine;
    }
}

// A machine that has seen nothing: automata on this side of the boundary, or by the coins of a bank's key on either.
extern "C" __global__ void start_planes(const u64* keys, u32* planes, u64 n_rows, u32 n_clauses, u32 n_literals,
                                        u32 random) {
    const u32 words = (n_literals + 31) / 32;
    const u64 n_threads = (u64)gridDim.x * THREADS;
    for (u64 at = (u64)blockIdx.x * THREADS + threadIdx.x; at < n_rows * words; at += n_threads) {
        const u64 row = at / words;
        const u32 w = (u32)(at % words), valid = span(0, n_literals, w);
        const u64 key = adtm_absorb(keys[row / n_clauses], row % n_clauses);
        const u32 included = random ? adtm_word(key, w) & valid : 0;
#pragma unroll
        for (u32 p = 0; p < PLANES; ++p) planes[at * PLANES + p] = p == PLANES - 1 ? included : valid & ~included;
    }
}

extern "C" __global__ void from_planes(const u32* planes, STATE* states, u64 n_rows, u32 n_literals, u32 bias) {
    const u32 lane = threadIdx.x & 31, words = (n_literals + 31) / 32;
    for (u64 at = WARP_OF_GRID; at < n_rows * words; at += N_WARPS) {
        const u32 k = 32 * (u32)(at % words) + lane;
        u32 state = 0;
#pragma unroll
        for (u32 p = 0; p < PLANES; ++p) state |= (planes[at * PLANES + p] >> lane & 1) << p;
        if (k < n_literals) states[at / words * n_literals + k] = (STATE)(state - bias);
    }
}

extern "C" __global__ void include_of_states(const STATE* states, u32* include, u64 n_rows, u32 n_literals,
                                             u32 n_states) {
    const u32 lane = threadIdx.x & 31, words = (n_literals + 31) / 32;
    for (u64 at = WARP_OF_GRID; at < n_rows * words; at += N_WARPS) {
        const u32 k = 32 * (u32)(at % words) + lane;
        const u32 mask = __ballot_sync(FULL, k < n_literals && states[at / words * n_literals + k] >= n_states);
        if (lane == 0) include[at] = mask;
    }
}

// Rows of literals: features, then their negations, then zeros. A row of features may have more bits than there are features.
extern "C" __global__ void add_negations(const u32* features, u32* literals, u64 n_rows, u32 n_features,
                                         u32 feature_words, u32 row_words) {
    const u64 n_threads = (u64)gridDim.x * THREADS;
    for (u64 at = (u64)blockIdx.x * THREADS + threadIdx.x; at < n_rows * row_words; at += n_threads) {
        const u32* const mine = features + at / row_words * feature_words;
        const u32 w = (u32)(at % row_words), negated = span(n_features, 2 * n_features, w);
        u32 found = w < feature_words ? mine[w] & span(0, n_features, w) : 0;
        if (negated) {
            const int bit = (int)(32 * w - n_features), first = bit >> 5;  // of the feature whose negation comes first
            const u32 low = first >= 0 && first < (int)feature_words ? mine[first] : 0;
            const u32 high = first + 1 < (int)feature_words ? mine[first + 1] : 0;
            found |= ~__funnelshift_r(low, high, bit & 31) & negated;
        }
        literals[at] = found;
    }
}

extern "C" __global__ void count_included(const u32* include, u32* sizes, u64 n_rows, u32 words) {
    const u32 lane = threadIdx.x & 31;
    for (u64 row = WARP_OF_GRID; row < n_rows; row += N_WARPS) {
        u32 size = 0;
        for (u32 w = lane; w < words; w += 32) size += __popc(include[row * words + w]);
        size = __reduce_add_sync(FULL, size);
        if (lane == 0) sizes[row] = size;
    }
}

// Lists of literals, each from its start on, filled up to a multiple of 8 with a literal that is always true.
extern "C" __global__ void list_included(const u32* include, const u64* starts, u32* lists, u64 n_rows, u32 words,
                                         u32 always) {
    const u32 lane = threadIdx.x & 31;
    for (u64 row = WARP_OF_GRID; row < n_rows; row += N_WARPS) {
        u64 at = starts[row];
        for (u32 first = 0; first < words; first += 32) {
            u32 x = first + lane < words ? include[row * words + first + lane] : 0;
            const u32 mine = __popc(x), scan = sum_up_to(mine, lane);
            for (u64 to = at + scan - mine; x; x &= x - 1) lists[to++] = 32 * (first + lane) + __ffs(x) - 1;
            at += __shfl_sync(FULL, scan, 31);
        }
        if (at + lane < starts[row + 1]) lists[at + lane] = always;
    }
}

// The place of each sample's largest vote, of equal ones the first in the order of preference; and whether some are equal.
extern "C" __global__ void first_largest(const int* votes, const u32* preference, int* winners, uint8_t* tied,
                                         u64 n_samples, u32 n_votes) {
    for (u64 at = (u64)blockIdx.x * THREADS + threadIdx.x; at < n_samples; at += (u64)gridDim.x * THREADS) {
        const int* mine = votes + at * n_votes;
        u32 best = preference[0];
        bool equal = false;
        for (u32 k = 1; k < n_votes; ++k) {
            const u32 next = preference[k];
            if (mine[next] > mine[best]) best = next, equal = false;
            else equal |= mine[next] == mine[best];
        }
        winners[at] = (int)best, tied[at] = equal;
    }
}

// The lines of images as patches.cuh reads them. A string has, of each line of pixels that is a line of some patch, those at one
// place x of all the patches side by side; with `down` above 1 there is a string for each remainder of the line's number.
extern "C" __global__ void cut_images(const u32* literals, u32* strings, u64 n_samples, u32 literal_words,
                                      u32 row_words, u32 string_words, u32 n_strings, u32 height, u32 width,
                                      u32 patch_width, u32 remainders, u32 down, u32 across, u32 lines, u32 columns) {
    const u32 lane = threadIdx.x & 31;
    for (u64 at = WARP_OF_GRID; at < n_samples * row_words; at += N_WARPS) {
        const u32 k = (u32)(at % row_words), string = k / string_words, bit = 32 * (k % string_words) + lane;
        const u32 x = string / remainders % patch_width, channel = string / remainders / patch_width;
        const u32 line = string % remainders + bit / columns * down, pixel = x + bit % columns * across;
        const bool inside = string < n_strings && bit < lines * columns && line < height;
        const u32 of_image = inside ? (channel * height + line) * width + pixel : 0;
        const u32 word = literals[at / row_words * literal_words + of_image / 32];
        const u32 found = __ballot_sync(FULL, inside && word >> of_image % 32 & 1);
        if (lane == 0) strings[at] = found;
    }
}
