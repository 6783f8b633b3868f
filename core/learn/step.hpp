// The window, and in it the six rules of a step: outputs, vote, goal, selection, feedback, weights.
#pragma once
#include "../patches.hpp"
#include "learner.hpp"

namespace adtm::ADTM_TARGET {
namespace {

template <class Kind> Learner<Kind>::Learner(TrainJob* job_)
    : job(*job_),
      set(*job.settings),
      shape(job.shape),
      bank(job.bank),
      scratch(job.scratch),
      n(set.n_literals),
      blocks(shape.n_padded / 64),
      low(static_cast<Element>(kBoundary - set.n_states)),
      high(static_cast<Element>(kBoundary - 1 + set.n_states)),
      select_key(adtm_absorb(adtm_absorb(set.seed, ADTM_SELECT), bank.number)),
      coin_key(adtm_absorb(adtm_absorb(set.seed, ADTM_COIN), bank.number)),
      patch_key(adtm_absorb(adtm_absorb(set.seed, ADTM_PATCH), bank.number)) {
    take_share();
}

template <class Kind> void Learner<Kind>::take_share() {
    const Share& share = job.share;
    first_clause = 64 * share.first_block;
    last_clause = 64 * share.last_block < set.n_clauses ? 64 * share.last_block : set.n_clauses;
    first = kWindow * share.window;
    size = steps_of(share.window);
}

template <class Kind> void Learner<Kind>::prepare() {
    for (uint32_t j = first_clause; j < last_clause; ++j) {
        List<States>(job, j).clear();
        sweep(j, [](uint32_t, States v) { return v; });
    }
}

template <class Kind> void Learner<Kind>::train() {
    fill_at_toss();
    if (sees_patches()) PatchColumns(set.grid, scratch.patches).fill_places();
    do {
        take_share();
        if (sees_patches()) slide();
        else window();
    } while (job.team->next(job.team, job.member, &job.share));
    for (uint32_t j = first_clause; j < last_clause; ++j) settle(j);
}

template <class Kind> void Learner<Kind>::window() {
    const Share& share = job.share;
    columns = columns_of(share.window);
    if (share.moved || alone()) fill_columns(share.window);  // else members did so in the window before
    meetings = share.moved ? 0 : meetings % 2;  // team.hpp, invariant 3
    if (share.moved) meet(nullptr);
    evaluate();
    shown_to = 0;
    show_votes(0);
    static_assert(kWindow > 2 * kShown);  // a window that is not the last has a meeting after this one
    if (!alone()) fill_columns(share.window + 1);
    for (uint32_t i = 0; i < size; ++i) {
        if (i == known_to) show_votes(i);
        const adtm_goal wanted = goal(i);
        if (wanted.gap == 0) continue;
        step(i, wanted);
        show_votes(i + 1);
    }
    while (catch_up_one()) {}
}

// Rule 3, goal (common/goal.h).
template <class Kind> adtm_goal Learner<Kind>::goal(uint32_t i) const {
    const int32_t vote = alone() ? votes[i] : total[i - shown_from], target = job.stream.targets[first + i];
    return set.goal == Goal::to_class ? adtm_class_goal(vote, target, set.T) : adtm_value_goal(vote, target, set.T);
}

// Rules 4 to 6, selection, feedback and weights of step i. Feedback that cannot wait (late.hpp) goes to the work list.
template <class Kind> void Learner<Kind>::step(uint32_t i, adtm_goal goal) {
    const bool in_team = !alone() && !sees_patches();
    select(i, goal, [&](uint32_t block, uint64_t selected) {
        const uint64_t fired = scratch.fires[i * shape.clause_blocks + block];
        const uint64_t type_i = goal.up ? positive(i, block) : ~positive(i, block);
        const uint64_t type_ia = selected & fired & type_i, type_ii = selected & fired & ~type_i;
        const uint64_t type_ib = selected & type_i & ~fired;
        if (in_team) {
            if ((type_ib & scratch.late[block]) != 0) list_late(block, type_ib & scratch.late[block]), work_off();
            put_off(i, block, type_ia, kIa);
            put_off(i, block, type_ii, kII);
        } else {
            list(i, block, type_ia, kIa);
            list(i, block, type_ii, kII);
        }
        if (type_ib != 0) list(i, block, defer(block, type_ib), kIb);
        if (set.weights != Weights::fixed) move_weights(i, goal.up != 0, block, selected & fired);
    });
}

template <class Kind> void Learner<Kind>::list(uint32_t i, uint32_t block, uint64_t clauses, uint32_t kind) {
    uint32_t* const work = scratch.work;
    uint32_t n_listed = n_work;  // a local copy: stores may alias any member
    for (; clauses != 0; clauses &= clauses - 1)
        work[n_listed++] = i << kStep | kind | (64 * block + lowest_bit(clauses));
    n_work = n_listed;
}

// Give all feedback of the work list. A bank is larger than the nearest caches, so what the update of a clause will
// read is fetched while others are updated.
template <class Kind> void Learner<Kind>::work_off() {
    constexpr uint32_t kAhead = 3;
    const uint32_t* const work = scratch.work;
    const uint32_t n_listed = n_work;
    for (uint32_t k = 0; k < n_listed; ++k) {
        if (k + kAhead < n_listed) prefetch_clause(work[k + kAhead] & 0xFFFF, (work[k + kAhead] & kKind) != kIb);
        const uint32_t j = work[k] & 0xFFFF, kind = work[k] & kKind, i = work[k] >> kStep;
        const bool changed = kind == kIa   ? type_ia(j, literals_for(i, j))
                             : kind == kII ? type_ii(j, literals_for(i, j))
                                           : look(j);
        if (changed && !sees_patches()) refresh(j, i);
    }
    n_work = 0;
}

template <class Kind> void Learner<Kind>::prefetch_clause(uint32_t j, bool fired) const {
    if (fired || !Weak::defers) {
        prefetch(row(j), shape.n_padded * sizeof(Element));
    } else {
        const List<States> list(job, j);
        prefetch(list.entries, 64);
        prefetch(list.depths, 64);
    }
}

}  // namespace
}  // namespace adtm::ADTM_TARGET
