// Failed literals, counted bit-sliced: each bit of a word is a lane with its own count, and plane p holds bit p of all
// counts. Words have 64 or 512 bits (Word64, Row512). Eight columns at a time go through a tree of adders.
#pragma once
#include "counter.hpp"

namespace adtm::ADTM_TARGET {
namespace {

struct Word64 {
    uint64_t v;
    static Word64 zero() { return {0}; }
    Word64 operator&(Word64 b) const { return {v & b.v}; }
    Word64 operator^(Word64 b) const { return {v ^ b.v}; }
    Word64 operator~() const { return {~v}; }
    Word64 xor3(Word64 b, Word64 c) const { return {v ^ b.v ^ c.v}; }
    Word64 majority(Word64 b, Word64 c) const { return {(v & b.v) | ((v ^ b.v) & c.v)}; }
    bool is_zero() const { return v == 0; }
};

template <class Word, uint32_t kPlanes = 8>
class Misses {
  public:
    // For at most n_literals literals. A count that the planes do not hold (above 255) is only known to be "many".
    explicit Misses(uint32_t n_literals) : top(planes_for(n_literals)) {
        for (Word& plane : planes) plane = Word::zero();
        many = Word::zero();
    }

    static uint32_t planes_for(uint32_t count) {
        uint32_t p = 3;  // the tree needs the first three
        while (p < kPlanes && count >> p != 0) ++p;
        return p;
    }

    // Adds eight literals: each is a word of the lanes in which it fails.
    void add(const Word* failed) {
        Word two[2], four[2];
        for (int half = 0; half < 2; ++half) {
            for (int pair = 0; pair < 2; ++pair)
                two[pair] = full_add(planes[0], failed[4 * half + 2 * pair], failed[4 * half + 2 * pair + 1]);
            four[half] = full_add(planes[1], two[0], two[1]);
        }
        Word eight = full_add(planes[2], four[0], four[1]);
        for (uint32_t p = 3; p < top; ++p) {
            const Word carry = planes[p] & eight;
            planes[p] = planes[p] ^ eight;
            eight = carry;
        }
        if (top == kPlanes) many = many ^ eight ^ (many & eight);
    }

    // Writes the planes of max(0, most - misses), as many as `most` has bits. `most` is at least 1, and the
    // planes hold it.
    void left(uint32_t most, Word* out) const {
        Word borrow = Word::zero();
        for (uint32_t p = 0; p < kPlanes; ++p) {
            const Word m = p < top ? planes[p] : Word::zero();
            const Word differ = m ^ borrow, both = m & borrow;
            const bool bit = (most >> p & 1) != 0;
            if (most >> p != 0) out[p] = bit ? ~differ : differ;
            borrow = bit ? both : differ ^ both;
        }
        const Word some = ~borrow & ~many;
        for (uint32_t p = 0; most >> p != 0; ++p) out[p] = out[p] & some;
    }

    // Whether at least `most` literals fail in every lane.
    bool all_at_least(uint32_t most) const {
        Word out[kPlanes];
        left(most, out);
        for (uint32_t p = 0; most >> p != 0; ++p)
            if (!out[p].is_zero()) return false;
        return true;
    }

  private:
    uint32_t top;
    Word planes[kPlanes], many;
};

}  // namespace
}  // namespace adtm::ADTM_TARGET
