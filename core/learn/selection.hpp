// Rule 4, selection: each clause on its own, with probability gap / span, by a draw ("random") or by a word of an
// evenly spread sequence ("weyl"). With gap = span every clause is selected and nothing is drawn.
#pragma once
#include "../common/weyl.h"
#include "../simd/words.hpp"
#include "learner.hpp"

namespace adtm::ADTM_TARGET {
namespace {

// Calls take(block, selected) for every block of this member's clauses.
template <class Kind> template <class Take>
void Learner<Kind>::select(uint32_t i, adtm_goal goal, Take take) {
    const uint32_t from = job.share.first_block, to = job.share.last_block;
    if (goal.gap == goal.span) {
        for (uint32_t block = from; block < to; ++block) take(block, clauses_in(block));
        return;
    }
    const uint64_t step = job.stream.first_step + first + i;
    const uint32_t threshold = adtm_threshold(goal);
    if (set.selection == Selection::weyl) {
        const uint32_t word = adtm_weyl_selection(step);
        for (uint32_t block = from; block < to; ++block)
            take(block, spread64(word, ADTM_WEYL_CLAUSE, block, threshold) & clauses_in(block));
        return;
    }
    const uint64_t key = adtm_absorb(select_key, step);
    for (uint32_t block = from; block < to; ++block) take(block, below64(key, block, threshold) & clauses_in(block));
    job.ledger.selection_draws += last_clause - first_clause;
}

}  // namespace
}  // namespace adtm::ADTM_TARGET
