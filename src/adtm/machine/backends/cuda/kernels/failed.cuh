// Rule 1, what a clause says to 32 steps, samples or patches, as planes of 32 numbers. MISSES planes count failed literals, 0 where
// clauses are ANDs.
#define SAID (MISSES + 1)

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

// Votes of a clause with `size` literals where none fails: one for each up to F, or F if it has none.
FN u32 most_of(u32 size, u32 F) { return size > 0 && size < F ? size : F; }

// How many literals failed at each step, of those that were looked at; `over`: too many, or nobody asks for the step.
struct Failed {
    u32 misses[SAID], over;  // one plane more than is used, as there are no arrays of none

    FN explicit Failed(u32 steps) : over(~steps) {
#pragma unroll
        for (int p = 0; p < SAID; ++p) misses[p] = 0;
    }

    // Two literals: the steps at which the first failed, and the second.
    FN void add(u32 a, u32 b) {
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

    // What lanes that are a multiple of `width` apart found together.
    FN void join(u32 width) {
        if (!MISSES && width == 1) {
            over = ~__reduce_and_sync(FULL, ~over);
            return;
        }
#pragma unroll
        for (u32 j = 16; j >= width; j >>= 1) {
            u32 carry = 0;
#pragma unroll
            for (int p = 0; p < MISSES; ++p) {
                const u32 b = __shfl_xor_sync(FULL, misses[p], j), v = misses[p];
                misses[p] = v ^ b ^ carry;
                carry = (v & b) | (carry & (v | b));
            }
            over |= __shfl_xor_sync(FULL, over, j) | carry;
        }
    }

    FN Said votes(u32 most) const {
        Said found;
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
