// A bit-sliced counter: it adds up bits for 512 lanes at once. Plane p holds bit p of the count of every lane.
#pragma once
#include "bits.hpp"

namespace adtm::ADTM_TARGET {
namespace {

// sum += b + c, bit by bit. Returns the carry.
template <class Word>
inline Word full_add(Word& sum, Word b, Word c) {
    const Word carry = sum.majority(b, c);
    sum = sum.xor3(b, c);
    return carry;
}

class Counter {
  public:
    static constexpr int kPlanes = 16;
    static constexpr uint32_t kMost = 65535;  // counts up to this

    // Adds 2^first in the lanes of `carry`.
    void add(Row512 carry, int first = 0) {
        for (int p = first; p < used; ++p) {
            const Row512 sum = planes[p] ^ carry;
            carry = planes[p] & carry;
            planes[p] = sum;
            if (carry.is_zero()) return;
        }
        if (carry.is_zero()) return;
        while (used < first) planes[used++] = Row512::zero();
        if (used < kPlanes) planes[used++] = carry;
    }

    // Adds 1 to 4 rows; the others must be zero. This is for rows with many bits, where the search for an early end
    // costs more than it saves. One counter must not use both add() and add_dense().
    void add_dense(const Row512 (&rows)[4], uint32_t n_rows) {
        added += n_rows;
        while (added >> used != 0) planes[used++] = Row512::zero();  // enough for the largest count
        Row512 carry = full_add(planes[0], rows[0], rows[1]);
        int p = 1;
        if (n_rows > 2) {
            const Row512 second = full_add(planes[0], rows[2], rows[3]);
            carry = full_add(planes[p++], carry, second);
        }
        for (; p < used; ++p) {
            const Row512 sum = planes[p] ^ carry;
            carry = planes[p] & carry;
            planes[p] = sum;
        }
    }

    // Writes the counts, 64 lanes of the given block type at a time. It may leave out blocks after the first n_blocks.
    template <class Lanes>
    void store(typename Lanes::Element* counts, uint32_t n_blocks = 8) const {
        if (n_blocks > 2) store_blocks<Lanes, 8>(counts);
        else
            for (uint32_t block = 0; block < n_blocks; ++block) store_blocks<Lanes, 1>(counts + 64 * block, block);
    }

    // The sum of the counts of the first blocks of 64 lanes.
    uint64_t sum(uint32_t n_blocks = 8) const {
        uint64_t total = 0;
        for (int p = 0; p < used; ++p) {
            uint64_t bits[8];
            planes[p].store(bits);
            for (uint32_t block = 0; block < n_blocks; ++block)
                total += static_cast<uint64_t>(count_bits(bits[block])) << p;
        }
        return total;
    }

  private:
    template <class Lanes, uint32_t n_blocks>
    void store_blocks(typename Lanes::Element* counts, uint32_t first = 0) const {
        Lanes total[n_blocks];
        for (Lanes& block : total) block = Lanes::splat(0);
        for (int p = 0; p < used; ++p) {
            uint64_t bits[8];
            planes[p].store(bits);
            // Subtract the negative: some CPUs have only a saturating addition, which takes more instructions.
            const auto minus_bit = static_cast<typename Lanes::Element>(0u - (1u << p));
            for (uint32_t k = 0; k < n_blocks; ++k)
                total[k] = total[k].minus(Lanes::select(bits[first + k], minus_bit));
        }
        for (uint32_t k = 0; k < n_blocks; ++k) total[k].store(counts + 64 * k);
    }

    int used = 0;
    uint32_t added = 0;
    Row512 planes[kPlanes];
};

}  // namespace
}  // namespace adtm::ADTM_TARGET
