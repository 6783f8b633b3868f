// Rule 1, outputs: a clause fires where all its included literals are true, or where few enough fail (tolerance.hpp).
// An empty clause fires while learning. The 64 steps of a window are evaluated at once: bit i of a literal's column is
// its value at step i.
#pragma once
#include "../simd/transpose.hpp"
#include "learner.hpp"

namespace adtm::ADTM_TARGET {
namespace {

// Transpose this member's part of the features of a window, into the one of two buffers that nobody reads (team.hpp).
// The second half of the literals are the negations of the first.
template <class Kind> void Learner<Kind>::fill_columns(uint64_t window) {
    const uint32_t half = n / 2, n_words = (half + 63) / 64, members = job.share.n_members;
    const uint32_t from = n_words * job.member / members, to = n_words * (job.member + 1) / members;
    const uint32_t steps = steps_of(window);
    const uint64_t exist = bit_range(0, steps);
    uint64_t tiles[kTiles][64];
    for (uint32_t first = from; first < to; first += kTiles) {
        const uint32_t n_tiles = to - first < kTiles ? to - first : kTiles;
        gather_tiles([&](uint32_t i) { return sample(kWindow * window + i); }, steps, first, n_tiles, tiles[0], 64);
        for (uint32_t t = 0; t < n_tiles; ++t) {
            transpose64(tiles[t]);
            const uint32_t done = 64 * (first + t), features = half - done < 64 ? half - done : 64;
            uint64_t* column = columns_of(window) + done;
            for (uint32_t k = 0; k < features; ++k) {
                column[k] = tiles[t][k];
                column[half + k] = ~tiles[t][k] & exist;
            }
        }
    }
}

template <class Kind> void Learner<Kind>::evaluate() {
    const uint64_t in_window = bit_range(0, size);
    for (uint32_t i = 0; i < kWindow; ++i) votes[i] = 0;
    for (uint32_t block = job.share.first_block; block < job.share.last_block; ++block) {
        uint64_t fired[64];
        for (uint32_t lane = 0; lane < 64; ++lane) {
            const uint32_t j = 64 * block + lane;
            if (j >= last_clause) fired[lane] = 0;
            else if constexpr (tolerant) fired[lane] = count_clause(j) & in_window;
            else fired[lane] = conjunction(j, in_window);
            scratch.outputs[j] = fired[lane];
        }
        transpose64(fired);
        for (uint32_t i = 0; i < size; ++i) scratch.fires[i * shape.clause_blocks + block] = fired[i];
        if constexpr (tolerant) add_counted_votes(block);
        else add_votes(block, fired);
    }
}

// The steps, out of `steps`, at which clause j fires.
template <class Kind> uint64_t Learner<Kind>::conjunction(uint32_t j, uint64_t steps) const {
    const List<States> list(job, j);
    if (!list.exists()) return dense_conjunction(include_row(j), steps);
    const uint64_t* column = columns;
    const uint16_t* literal = list.entries;
    for (const uint16_t* end = literal + list.size(); literal < end; literal += 8) {
        steps &= column[literal[0]] & column[literal[1]] & column[literal[2]] & column[literal[3]];
        steps &= column[literal[4]] & column[literal[5]] & column[literal[6]] & column[literal[7]];
        if (steps == 0) return 0;
    }
    return steps;
}

template <class Kind> uint64_t Learner<Kind>::dense_conjunction(const uint64_t* include, uint64_t steps) const {
    for (uint32_t block = 0; block < blocks; ++block) {
        const uint64_t* column = columns + 64 * block;
        for (uint64_t rest = include[block]; rest != 0; rest &= rest - 1) steps &= column[lowest_bit(rest)];
        if (steps == 0) return 0;
    }
    return steps;
}

// The actions of clause j changed at step i of the window: correct its outputs and votes for the steps after i.
template <class Kind> void Learner<Kind>::refresh(uint32_t j, uint32_t i) {
    const uint64_t later = bit_range(i + 1, size);
    uint64_t fires;
    if constexpr (tolerant) fires = recount(j) & later;
    else fires = conjunction(j, later);
    uint64_t flipped = (fires ^ scratch.outputs[j]) & later;
    scratch.outputs[j] = fires;
    const uint64_t bit = uint64_t{1} << (j & 63);
    for (; flipped != 0; flipped &= flipped - 1) {
        const uint32_t k = lowest_bit(flipped);
        uint64_t& fired = scratch.fires[k * shape.clause_blocks + j / 64];
        if constexpr (!tolerant) votes[k] += (fired & bit) != 0 ? -weight(k, j) : weight(k, j);
        fired ^= bit;
    }
}

}  // namespace
}  // namespace adtm::ADTM_TARGET
