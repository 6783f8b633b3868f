// Rule 5, feedback: Type Ia and Type II, for clauses that fire. Type Ib, for the others, waits (defer.hpp). One sweep
// over the row first applies what has waited, then the feedback.
#pragma once
#include "learner.hpp"

namespace adtm::ADTM_TARGET {
namespace {

// Type Ia: clause j shall fire on these literals again. True literals make a strong move up, unless the clause is full.
// False literals make a weak move down; with tolerance the excluded ones make a strong move and the others none.
template <class Kind> bool Learner<Kind>::type_ia(uint32_t j, const uint64_t* literals) {
    // Without a budget there is nothing to count.
    const bool full = set.max_literals <= n && included(j) >= set.max_literals;
    return full ? type_ia<false>(j, literals) : type_ia<true>(j, literals);
}

template <class Kind> template <bool grows>
bool Learner<Kind>::type_ia(uint32_t j, const uint64_t* literals) {
    constexpr bool reaches_all = grows && !tolerant;
    const States floor = States::splat(low), ceiling = States::splat(high);
    const Element jump = step_size(j), step_down = tolerant ? jump : Element{1};
    const uint64_t* include = include_row(j);
    const uint64_t u = now(j), coins = toss(j, u);
    const uint64_t *tosses = scratch.tosses, *skips = scratch.skips;
    const typename Weak::Update update = Weak(job, j).update(u);
    uint64_t strong = 0, down_moves = 0, reached = 0, tossed = 0;
    const bool changed = catch_up(j, 1, [&](uint32_t block, States v) {
        const uint64_t on = literals[block];
        uint64_t up = 0, down = ~on & valid(block);
        if constexpr (grows) up = on & valid(block);
        if constexpr (tolerant) down &= ~include[block];
        if constexpr (!reaches_all) {
            reached += count_bits(down);
            if (coins != 0) tossed += count_bits((up | down) & tosses[block]);
        }
        if constexpr (grows) up &= update.strong(block);
        down &= tolerant ? update.strong(block) : update.weak(block);
        if (coins != 0) up &= ~skips[block], down &= ~skips[block];
        down_moves += count_bits(down);
        if constexpr (grows) {
            strong += count_bits(up);
            v = v.adds(States::select(up, jump)).min(ceiling);
        }
        return v.subs(States::select(down, step_down)).max(floor);
    });
    const uint64_t half = n / 2, ups = grows ? half : 0;  // of a feature and its negation exactly one is true
    const uint64_t downs = reaches_all ? half : reached;
    job.ledger.type_ia_strong_offered += ups;
    job.ledger.type_ia_strong_skipped += ups - strong;
    job.ledger.type_ia_weak_offered += downs;
    job.ledger.type_ia_weak_skipped += downs - down_moves;
    job.ledger.coins += reaches_all ? coins : tossed;
    job.ledger.coins += tolerant ? update.draws(ups + downs, 0) : update.draws(ups, downs);
    return changed;
}

// Type II: clause j fires and should not. Its excluded false literals make a strong move towards inclusion.
template <class Kind> bool Learner<Kind>::type_ii(uint32_t j, const uint64_t* literals) {
    const States ceiling = States::splat(high);
    const Element jump = step_size(j);
    const uint64_t* include = include_row(j);
    const uint64_t coins = toss(j, now(j));
    const uint64_t *tosses = scratch.tosses, *skips = scratch.skips;
    uint64_t offered = 0, skipped = 0, tossed = 0;
    const bool changed = catch_up(j, 1, [&](uint32_t block, States v) {
        uint64_t up = ~literals[block] & ~include[block] & valid(block);
        offered += count_bits(up);
        if (coins != 0) {
            tossed += count_bits(up & tosses[block]);
            skipped += count_bits(up & skips[block]);
            up &= ~skips[block];
        }
        return v.adds(States::select(up, jump)).min(ceiling);
    });
    job.ledger.type_ii_offered += offered;
    job.ledger.type_ii_skipped += skipped;
    job.ledger.coins += tossed;
    return changed;
}

}  // namespace
}  // namespace adtm::ADTM_TARGET
