// The list of a clause: its included literals once more, in any order, with their states ("depths") as of the last
// look. A clause of a trained machine includes few of its literals, so evaluation and looks read the list and not the
// row. A clause with too many literals has no list (kNoList); evaluation reads its include mask.
#pragma once
#include <cstring>

#include "../simd/bits.hpp"
#include "../types.hpp"

namespace adtm::ADTM_TARGET {
namespace {

template <class States>
class List {
  public:
    using Element = typename States::Element;
    static constexpr Element kBoundary = static_cast<Element>(Element{1} << (8 * sizeof(Element) - 1));

    uint16_t* const entries;
    Element* const depths;

    List(const TrainJob& job, uint32_t j)
        : entries(job.bank.lists + static_cast<size_t>(j) * job.shape.list_capacity),
          depths(static_cast<Element*>(job.bank.depths) + static_cast<size_t>(j) * job.shape.list_capacity),
          length(job.bank.list_size + j),
          capacity(job.shape.list_capacity),
          blank(static_cast<uint16_t>(job.shape.n_padded)) {}

    bool exists() const { return *length != kNoList; }
    uint32_t size() const { return *length; }
    void resize(uint32_t size) { *length = static_cast<uint16_t>(size); }
    void clear() { *length = capacity == 0 ? kNoList : 0; }

    // Take out entry k of the first `size`: the last entry takes its place. Entries past the end name the column of
    // ones, so that evaluation can read a list in groups of eight.
    void remove(uint32_t k, uint32_t size) {
        entries[k] = entries[size - 1];
        depths[k] = depths[size - 1];
        entries[size - 1] = blank;
    }

    // Some actions of a block changed: bring the list up to date.
    void edit(uint32_t block, uint64_t flipped, uint64_t include) {
        uint32_t n = *length;
        if (n == kNoList) return;
        for (; flipped != 0; flipped &= flipped - 1) {
            const uint32_t bit = lowest_bit(flipped);
            const uint16_t literal = static_cast<uint16_t>(64 * block + bit);
            if ((include >> bit & 1) != 0) {
                if (n == capacity) {
                    *length = kNoList;
                    return;
                }
                if (n % 8 == 0)
                    for (uint32_t k = 0; k < 8; ++k) entries[n + k] = blank;
                entries[n++] = literal;
            } else {
                uint32_t at = 0;
                while (entries[at] != literal) ++at;
                entries[at] = entries[--n];
                entries[n] = blank;
            }
        }
        *length = static_cast<uint16_t>(n);
    }

    // A clause that had too many literals gets its list back when they fit and leave some room.
    void rebuild(const uint64_t* include, uint32_t blocks) {
        uint32_t included = 0;
        for (uint32_t block = 0; block < blocks; ++block) included += count_bits(include[block]);
        if (4 * included > 3 * capacity || capacity == 0) return;
        *length = 0;
        for (uint32_t block = 0; block < blocks; ++block) edit(block, include[block], include[block]);
    }

    void fill_depths(const Element* states) {
        if (!exists()) return;
        for (uint32_t k = 0, n = *length; k < n; ++k) depths[k] = states[entries[k]];
    }

    // Entries base .. base + 63. A small list has room for fewer, and the list of the next clause follows it.
    const uint16_t* block_of_entries(uint32_t base, uint16_t* block) const {
        if (capacity >= 64) return entries + base;
        for (uint32_t k = 0; k < 64; ++k) block[k] = k < capacity ? entries[k] : blank;
        return block;
    }
    // The depths of the same entries.
    States load_depths(uint32_t base) const {
        if (capacity >= 64) return States::load(depths + base);
        Element block[64] = {};
        std::memcpy(block, depths, capacity * sizeof(Element));
        return States::load(block);
    }
    void store_depths(uint32_t base, States v) const {
        if (capacity >= 64) return v.store(depths + base);
        Element block[64];
        v.store(block);
        std::memcpy(depths, block, capacity * sizeof(Element));
    }

    // Calls visit(literal) for the entries that are `depth` states above the boundary.
    template <class Visit>
    void for_each_at(uint32_t depth, Visit visit) const {
        const States level = States::splat(static_cast<Element>(kBoundary + depth));
        for (uint32_t base = 0, n = *length; base < n; base += 64) {
            const uint64_t listed = bit_range(0, n - base < 64 ? n - base : 64);
            uint64_t rest = zeros(load_depths(base).minus(level)) & listed;
            for (; rest != 0; rest &= rest - 1) visit(entries[base + lowest_bit(rest)]);
        }
    }

  private:
    uint16_t* const length;
    const uint32_t capacity;
    const uint16_t blank;
};

}  // namespace
}  // namespace adtm::ADTM_TARGET
