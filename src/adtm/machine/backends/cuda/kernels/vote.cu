// Votes of many samples. A block holds the columns of 1,024 samples, 32 words for each literal; a warp takes a clause, a lane
// 32 samples. A counter of votes is made of planes, and each warp has one for each lane.
// Compiled for: MISSES (0: AND; else planes that count failed literals), WEIGHTED (weights other than 1 and -1), COUNTER
// (planes of a counter), WIDE (columns in global memory).
#define STRIDE (WIDE ? 32 : 33)  // in shared memory the words of a lane lie in different banks

struct Head {
    u64 list;
    u32 size, most;
    u32 weight, padding;
};

// What a clause says to the samples of this lane. The literals of a list are read eight ahead, perhaps those of the next list or what
// follows the last one.
FN Said said_to(const Head& head, const uint4* list, const u32* columns) {
    Failed failed(FULL);
    uint4 next = __ldg(list), after = __ldg(list + 1);
    for (u32 k = 0; k < head.size; k += 8) {
        const uint4 e = next, f = after;
        list += 2;
        next = __ldg(list), after = __ldg(list + 1);
        failed.add(~columns[(size_t)e.x * STRIDE], ~columns[(size_t)e.y * STRIDE]);
        failed.add(~columns[(size_t)e.z * STRIDE], ~columns[(size_t)e.w * STRIDE]);
        failed.add(~columns[(size_t)f.x * STRIDE], ~columns[(size_t)f.y * STRIDE]);
        failed.add(~columns[(size_t)f.z * STRIDE], ~columns[(size_t)f.w * STRIDE]);
        if (!__any_sync(FULL, ~failed.over)) break;
    }
    return failed.votes(head.most);
}

FN void add_votes(u32 (&counter)[COUNTER], const Said& said, u32 weight) {
#if WEIGHTED
#pragma unroll
    for (int v = 0; v < SAID; ++v) {
        u32 carry = 0;
#pragma unroll
        for (int p = 0; p < COUNTER; ++p) {
            const u32 a = p >= v ? said.planes[v] & spread_bit(weight, p - v) : 0u, t = counter[p];
            counter[p] = t ^ a ^ carry;
            carry = (t & a) | (carry & (t | a));
        }
    }
#else
    u32 carry = 0;
#pragma unroll
    for (int p = 0; p < COUNTER; ++p) {
        const u32 a = p < SAID ? said.planes[p] : 0u, t = counter[p];
        counter[p] = t ^ a ^ carry;
        carry = (t & a) | (carry & (t | a));
    }
#endif
}

// heads: of each output the clauses that vote for, then those against; borders[3 o], [3 o + 1], [3 o + 2] are where they begin
// and end. rows: null, or the samples that are asked for.
extern "C" __global__ void __launch_bounds__(1024, 1)
    vote(const u32* literals, const u32* rows, u32 n_samples, u32 row_words, u32 n_literals, const Head* heads,
         const u32* lists, const u32* borders, u32 n_outputs, u32* scratch, int* out) {
    SHARED_MEMORY(memory);
    const u32 tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, n_warps = blockDim.x >> 5, split = blockIdx.y;
    int* const sums = (int*)memory;
    u32* const columns =
        WIDE ? scratch + (size_t)(blockIdx.x + gridDim.x * split) * (n_literals + 1) * STRIDE : (u32*)(sums + 1024);
    const u32 words = (n_literals + 31) / 32;
    for (u32 tile = blockIdx.x; tile * 1024 < n_samples; tile += gridDim.x) {
        const u32 first = tile * 1024;
        __syncthreads();
        for (u32 group = warp; group < 32; group += n_warps) {
            const u32 place = min(first + group * 32 + lane, n_samples - 1);
            const u32* mine = literals + (size_t)(rows ? rows[place] : place) * row_words;
            for (u32 w = 0; w < words; w += 4) {  // a row is padded to whole vectors
                const uint4 v = *(const uint4*)(mine + w);
                const u32 a[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
                for (u32 k = 0; k < 4; ++k) {
                    const u32 x = transpose32(a[k], lane), literal = 32 * (w + k) + lane;
                    if (literal < n_literals) columns[(size_t)literal * STRIDE + group] = x;
                }
            }
        }
        if (tid < 32) columns[(size_t)n_literals * STRIDE + tid] = FULL;
        for (u32 k = tid; k < 1024; k += blockDim.x) sums[k] = 0;
        __syncthreads();
        for (u32 output = 0; output < n_outputs; ++output) {
            u32 counter[COUNTER];
#pragma unroll
            for (int p = 0; p < COUNTER; ++p) counter[p] = 0;
            // Only ever counting up: complemented before the clauses against and after them, ~(~p + n) = p - n.
#pragma unroll 1
            for (u32 side = 0; side < 2; ++side) {
                const u32 end = borders[3 * output + side + 1];
                const u32 stride = n_warps * gridDim.y;
                u32 c = borders[3 * output + side] + split * n_warps + warp;
                Head next = {};
                if (c < end) next = heads[c];
                for (; c < end; c += stride) {
                    const Head head = next;
                    if (c + stride < end) next = heads[c + stride];
                    add_votes(counter, said_to(head, (const uint4*)(lists + head.list), columns + lane), head.weight);
                }
#pragma unroll
                for (int p = 0; p < COUNTER; ++p) counter[p] = ~counter[p];
            }
#pragma unroll 4
            for (u32 b = 0; b < 32; ++b) {
                u32 v = 0u - (counter[COUNTER - 1] >> b & 1);  // two's complement
#pragma unroll
                for (int p = COUNTER - 2; p >= 0; --p) v = 2 * v + (counter[p] >> b & 1);
                if (v) atomicAdd(&sums[b * 32 + lane], (int)v);
            }
            __syncthreads();
            for (u32 k = tid; k < 1024; k += blockDim.x) {  // sums[32 b + lane] is sample 32 lane + b
                const u32 at = first + (k & 31) * 32 + (k >> 5);
                const int v = sums[k];
                sums[k] = 0;
                if (at < n_samples && gridDim.y == 1) out[(size_t)at * n_outputs + output] = v;
                else if (at < n_samples && v) atomicAdd(out + (size_t)at * n_outputs + output, v);
            }
            __syncthreads();
        }
    }
}
