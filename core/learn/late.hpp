// Feedback that is given late. The members of a team meet after every step that gives feedback (team.hpp). How much
// work a step is for each member is a matter of luck. If all of it had to be done before the meeting, everyone would
// wait for the unluckiest. Most of it can wait:
//
//   Type Ia and II only add literals to a clause. So a clause that does not fire at a step, and has F literals or more
//   (F: the votes it may cast), will not fire there after such feedback either. The vote at that step is known without
//   it.
//
// A member comes to a meeting as soon as its votes are final up to the next step that is likely to give feedback. It
// gives the rest of its feedback while it waits for the others, or when it has to:
//
//     feedback of a step ---> LATE ---> given while the member waits at a meeting, before the clause fires at a step that
//                                       comes within reach, before its next Type Ib, or at the end of the window
//
// Invariant: a late clause fires at no step before `known_to`. So its output there is right, and there it can only be
// selected for Type Ib. Each clause has at most one late feedback and gets all its feedback in order.
#pragma once
#include "learner.hpp"

namespace adtm::ADTM_TARGET {
namespace {

// Make the feedback of these clauses of a block, which fire at step i, late. Clauses that are too short for that learn
// at once.
template <class Kind> void Learner<Kind>::put_off(uint32_t i, uint32_t block, uint64_t clauses, uint32_t kind) {
    uint64_t too_short = 0;
    for (uint64_t rest = clauses; rest != 0; rest &= rest - 1) {
        const uint32_t lane = lowest_bit(rest), j = 64 * block + lane;
        if (tolerant && included(j) < set.most_votes) too_short |= uint64_t{1} << lane;
        scratch.late_at[j] = static_cast<uint8_t>(i | (kind == kII ? kWindow : 0));
    }
    list(i, block, too_short, kind);
    scratch.late[block] |= clauses & ~too_short;
}

// Move the feedback of these late clauses of a block to the work list.
template <class Kind> void Learner<Kind>::list_late(uint32_t block, uint64_t clauses) {
    scratch.late[block] &= ~clauses;
    for (; clauses != 0; clauses &= clauses - 1) {
        const uint32_t at = scratch.late_at[64 * block + lowest_bit(clauses)];
        list(at % kWindow, block, clauses & (~clauses + 1), at < kWindow ? kIa : kII);
    }
}

// The same for the late clauses that fire from step `from` on, before `known_to`.
template <class Kind> void Learner<Kind>::list_within_reach(uint32_t from) {
    const uint32_t to = known_to < size ? known_to : size;
    for (uint32_t block = job.share.first_block; block < job.share.last_block; ++block) {
        uint64_t fires = 0;
        if (scratch.late[block] == 0) continue;
        for (uint32_t i = from; i < to; ++i) fires |= scratch.fires[i * shape.clause_blocks + block];
        list_late(block, scratch.late[block] & fires);
    }
}

// Give the feedback of one late clause; false if there is none.
template <class Kind> bool Learner<Kind>::catch_up_one() {
    for (uint32_t block = job.share.first_block; block < job.share.last_block; ++block) {
        const uint64_t late = scratch.late[block];
        if (late == 0) continue;
        list_late(block, late & (~late + 1));
        work_off();
        return true;
    }
    return false;
}

}  // namespace
}  // namespace adtm::ADTM_TARGET
