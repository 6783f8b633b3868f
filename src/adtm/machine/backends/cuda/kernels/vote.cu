// Votes of many samples. A block holds the columns of 1,024 samples, 32 words for each literal; a warp takes a clause, a lane
// 32 samples. A counter of votes is made of planes, and each warp has one for each lane.
// Compiled for: MISSES (0: AND; else planes that count failed literals), WEIGHTED (weights other than 1 and -1), COUNTER
// (planes of a counter), WIDE (columns in global memory).
#define SAID (MISSES + 1)
#define STRIDE (WIDE ? 32 : 33)  // in shared memory the words of a lane lie in different banks

struct Head {
    u64 list;
    u32 size, most;
    u32 weight, padding;
};

// The votes that a clause casts for the samples of this lane.
FN void cast(const Head& head, const uint4* list, const u32* columns, u32 (&votes)[SAID]) {
    uint4 next = __ldg(list);
#if MISSES == 0
    u32 fire = FULL;
    for (u32 k = 0; k < head.size; k += 4) {
        const uint4 e = next;
        next = __ldg(++list);  // perhaps of the next clause, or what follows the last list
        fire &= columns[(size_t)e.x * STRIDE] & columns[(size_t)e.y * STRIDE];
        fire &= columns[(size_t)e.z * STRIDE] & columns[(size_t)e.w * STRIDE];
        if (!__any_sync(FULL, fire)) break;
    }
    votes[0] = fire;
#else
    u32 misses[MISSES], over = 0;
#pragma unroll
    for (int p = 0; p < MISSES; ++p) misses[p] = 0;
    for (u32 k = 0; k < head.size; k += 4) {
        const uint4 e = next;
        next = __ldg(++list);
        const u32 a[4] = {columns[(size_t)e.x * STRIDE], columns[(size_t)e.y * STRIDE], columns[(size_t)e.z * STRIDE],
                          columns[(size_t)e.w * STRIDE]};
#pragma unroll
        for (int z = 0; z < 4; z += 2) {  // two literals in one go: a full adder, then a ripple
            const u32 x = ~a[z], y = ~a[z + 1], v = misses[0];
            u32 carry = (v & (x | y)) | (x & y);
            misses[0] = v ^ x ^ y;
#pragma unroll
            for (int p = 1; p < MISSES; ++p) {
                const u32 t = misses[p];
                misses[p] = t ^ carry;
                carry &= t;
            }
            over |= carry;
        }
        if (!__any_sync(FULL, ~over)) break;
    }
    votes_left(misses, over, head.most, votes);
#endif
}

FN void add_votes(u32 (&counter)[COUNTER], const u32 (&votes)[SAID], u32 weight) {
#if WEIGHTED
#pragma unroll
    for (int v = 0; v < SAID; ++v) {
        u32 carry = 0;
#pragma unroll
        for (int p = 0; p < COUNTER; ++p) {
            const u32 a = p >= v ? votes[v] & spread_bit(weight, p - v) : 0u, t = counter[p];
            counter[p] = t ^ a ^ carry;
            carry = (t & a) | (carry & (t | a));
        }
    }
#else
    u32 carry = 0;
#pragma unroll
    for (int p = 0; p < COUNTER; ++p) {
        const u32 a = p < SAID ? votes[p] : 0u, t = counter[p];
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
                    u32 votes[SAID];
                    cast(head, (const uint4*)(lists + head.list), columns + lane, votes);
                    add_votes(counter, votes, head.weight);
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
