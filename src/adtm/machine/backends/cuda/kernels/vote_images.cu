// Votes of many images. A block has the columns of an image (patches.cuh), a warp takes a clause, a lane 32 patches.
// Compiled for: N_LITERALS, MISSES (0: AND; else planes that count failed literals), WIDE (columns in global memory), and what
// patches.cuh is compiled for.

struct Head {
    u64 list;
    u32 size, most;
    u32 weight, padding;
};

// The most that a clause says to one of the patches of this lane, those of word w.
FN u32 said_to(const Head& head, const uint4* list, const u32* columns, u32 w) {
    Failed failed(span(0, PATCHES, w));
    columns += min(w, PATCH_WORDS - 1);
    for (u32 k = 0; k < head.size && __any_sync(FULL, ~failed.over); k += 4) {
        const uint4 e = __ldg(list++);
        failed.add(~columns[(size_t)e.x * COLUMN], ~columns[(size_t)e.y * COLUMN]);
        failed.add(~columns[(size_t)e.z * COLUMN], ~columns[(size_t)e.w * COLUMN]);
    }
    u32 which;
    return most_said(failed.votes(head.most), which);
}

// heads: of each output n_clauses, first those that vote for, then those against; borders[3 o + 1] and [3 o + 2] are where they
// end. rows: null, or the samples that are asked for. In `out` there are zeros.
extern "C" __global__ void __launch_bounds__(1024, 1)
    vote_images(const u32* strings, const u32* rows, u32 n_samples, u32 row_words, const Head* heads, const u32* lists,
                const u32* borders, u32 n_outputs, u32 n_clauses, u32* scratch, int* out) {
    SHARED_MEMORY(memory);
    const u32 tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, n_warps = blockDim.x >> 5;
    u32* const columns = WIDE ? scratch + (size_t)blockIdx.x * COLUMNS : (u32*)memory;
    fill_places(columns, tid, blockDim.x);
    for (u32 sample = blockIdx.x; sample < n_samples; sample += gridDim.x) {
        __syncthreads();
        fill_pixels(columns, strings + (size_t)(rows ? rows[sample] : sample) * row_words, tid, blockDim.x);
        __syncthreads();
        for (u32 c = warp; c < n_outputs * n_clauses; c += n_warps) {
            const u32 output = c / n_clauses;
            if (c >= borders[3 * output + 2]) continue;
            const Head head = heads[c];
            u32 most = 0;
            for (u32 first = 0; first < PATCH_WORDS; first += 32)
                most = max(most, said_to(head, (const uint4*)(lists + head.list), columns, first + lane));
            most = __reduce_max_sync(FULL, most);
            const int votes = (int)(most * head.weight);
            if (votes && lane == 0)
                atomicAdd(out + (size_t)sample * n_outputs + output, c < borders[3 * output + 1] ? votes : -votes);
        }
    }
}
