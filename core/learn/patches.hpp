// A step of a machine with patches. Its image becomes columns with one bit per patch, and every clause is evaluated on
// all patches at once. A clause learns from one of the patches where it misses the fewest literals. No step is
// evaluated ahead, so none has to be evaluated again.
#pragma once
#include "../common/weyl.h"
#include "../patches.hpp"
#include "learner.hpp"

namespace adtm::ADTM_TARGET {
namespace {

template <class Kind> void Learner<Kind>::slide() {
    for (uint32_t i = 0; i < kWindow; ++i) votes[i] = 0;
    meetings = 0;
    meet(nullptr);  // after it everyone has read the last votes, and clauses may have changed hands
    PatchColumns image(set.grid, scratch.patches);
    for (uint32_t i = 0; i < size; ++i) {
        image.fill_pixels(literals(i));
        evaluate_patches(i);
        publish_votes(i);
        const adtm_goal wanted = goal(i);
        if (wanted.gap != 0) step(i, wanted), work_off();
    }
}

// Rules 1 and 2 for step i: the votes of each clause for its best patch, and their sum.
template <class Kind> void Learner<Kind>::evaluate_patches(uint32_t i) {
    int32_t vote = 0;
    for (uint32_t block = job.share.first_block; block < job.share.last_block; ++block) {
        uint64_t fired = 0;
        for (uint32_t j = 64 * block; j < 64 * (block + 1) && j < last_clause; ++j) {
            const uint32_t said = best_votes(j);
            if (said == 0) continue;
            fired |= uint64_t{1} << (j % 64);
            vote += weight(i, j) * static_cast<int32_t>(said);
        }
        scratch.fires[i * shape.clause_blocks + block] = fired;
    }
    votes[i] = vote;
}

// The votes of clause j for the patches where it misses the fewest literals; writes these patches to `best`.
template <class Kind> uint32_t Learner<Kind>::best_votes(uint32_t j) {
    const List<States> list(job, j);
    uint64_t* best = scratch.best + static_cast<size_t>(j) * set.grid.lane_words;
    const auto votes_for = [&](const auto* literals, uint32_t count) {
        const uint32_t most = tolerant ? most_votes(count) : 1;
        return best_patches(set.grid, scratch.patches.columns, literals, (count + 7) / 8 * 8, most, best);
    };
    if (list.exists()) return votes_for(list.entries, list.size());
    uint32_t count = 0;
    for (uint32_t block = 0; block < blocks; ++block)
        for (uint64_t rest = include_row(j)[block]; rest != 0; rest &= rest - 1)
            scratch.included[count++] = 64 * block + lowest_bit(rest);
    for (uint32_t k = 0; k < 8; ++k) scratch.included[count + k] = set.grid.blank;
    return votes_for(scratch.included, count);
}

// The literals that clause j reads when it learns from step i: those of the sample, or of one patch.
template <class Kind> const uint64_t* Learner<Kind>::literals_for(uint32_t i, uint32_t j) {
    if (!sees_patches()) return literals(i);
    patch_literals(set.grid, literals(i), choose_patch(j), scratch.seen);
    return scratch.seen;
}

// One of the patches where clause j misses the fewest literals. If there are several, a word chooses.
template <class Kind> uint32_t Learner<Kind>::choose_patch(uint32_t j) {
    const uint64_t* best = scratch.best + static_cast<size_t>(j) * set.grid.lane_words;
    uint32_t count = 0;
    for (uint32_t word = 0; word < set.grid.lane_words; ++word) count += count_bits(best[word]);
    uint32_t place = 0;
    if (count > 1) {
        const bool drawn = set.selection == Selection::random;
        const uint32_t w =
            drawn ? adtm_word(adtm_absorb(adtm_absorb(patch_key, j), now(j)), 0) : adtm_weyl_patch(j, now(j));
        place = static_cast<uint32_t>((uint64_t{count} * w) >> 32);
        job.ledger.patch_draws += drawn;
    }
    for (uint32_t word = 0;; ++word) {
        const uint32_t here = count_bits(best[word]);
        if (place < here) {
            uint64_t rest = best[word];
            for (; place != 0; --place) rest &= rest - 1;
            return 64 * word + lowest_bit(rest);
        }
        place -= here;
    }
}

}  // namespace
}  // namespace adtm::ADTM_TARGET
