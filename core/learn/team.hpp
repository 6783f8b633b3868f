// How the members of a team train one bank together. Each member owns some of the clauses. All of them walk through the
// same steps, and at each step the vote of the whole bank decides what happens: so members meet and add up their votes.
// Members share nothing else but the columns of a window. What each member does, with (k) for the meetings of a window:
//
//     window w        [fill w (0)]  evaluate (1)  fill w+1, steps (2) steps (3) ... (k) steps, late feedback
//     window w + 1                  evaluate (1)  fill w+2, steps (2) steps (3) ...
//
//     [ ]         only if some clauses change hands
//     fill w      the member's part of the columns of window w
//
// A meeting shows the votes of kShown steps, and leaves the window so:
//
//     steps done | shown_from ....... known_to | .............. shown_to | not shown ... size
//                  these votes are final         these may still change
//
// Members go on to step known_to, or to the first step before it that gives feedback, and meet again. Before they meet
// they set known_to: right after the next step that is likely to give feedback, as far as the votes shown last can
// tell. So before a member comes it has to give only the feedback that can change the votes up to there. The rest is
// late: the member gives it while it waits for others (late.hpp).
//
// Invariants:
//   1. After a meeting all members have the same shown_from, shown_to, known_to and total. So they take the same steps
//      and come to the same meetings. Meetings have rising numbers: 128 * window + k.
//   2. At a meeting no late clause fires at any of the steps from shown_from to known_to. So the votes shown for these
//      steps are final until one of them gives feedback, and then members meet. goal() is asked for these steps alone,
//      except to find known_to.
//   3. Votes stay until everyone has read them. Even and odd meetings have different seats (meeting.hpp), so a member
//      overwrites its votes of a meeting only after everyone has come to the next one. Of two meetings in a row one is
//      even and one is odd, across windows too: a window without meeting 0 begins with (1) or (2). Meeting 0 may follow
//      an even one, because it has no votes.
//   4. Windows take turns with two buffers of columns. After the first meeting with votes of window w everyone is in w,
//      and nobody reads the columns of w - 1. Then members fill the columns of w + 1. They meet again before w ends,
//      since all windows but the last have more steps than one meeting shows.
//   5. A clause has one owner in a window. Where owners change or members join, `moved` is set for all members: they
//      fill their new parts of the columns and come to meeting 0. Until it is over a member touches no clause, not even
//      while it waits. The old owner has given all late feedback by then; Type Ib that is deferred stays in the bank.
//   6. The leader, member 0, decides who owns what in window w when it begins window w - 1 (crew.cpp). Members read its
//      decision when they begin w, after a meeting in w - 1; a thread that joins reads it when the leader has begun w.
//      After the last window all meet once more; then nobody uses the buffers that the leader has lent.
//
// A member that is alone comes to no meeting: its votes are those of the bank, and it gives all feedback at once. With
// patches (patches.hpp) every window begins with meeting 0, each step has a meeting, and nothing is late.
#pragma once
#include "learner.hpp"

namespace adtm::ADTM_TARGET {
namespace {

// Come to the next meeting, with votes or without, and wait for the other members.
template <class Kind> void Learner<Kind>::meet(const int32_t* shown) {
    if (alone()) return;
    const auto meanwhile = [](void* who) {
        Learner* const learner = static_cast<Learner*>(who);
        if (learner->meetings == 0) return false;  // another member may still have some of the clauses
        return learner->catch_up_one() || learner->foresee_one();
    };
    const uint64_t number = 128 * job.share.window + meetings;
    job.team->meet(job.team, job.member, job.share.n_members, {number, shown, total, meanwhile, this});
}

// Give the feedback that can change the next votes, then meet.
template <class Kind> void Learner<Kind>::show_votes(uint32_t from) {
    if (!alone()) {
        known_to = likely_gap(from) + 1;
        list_within_reach(from);
    }
    work_off();
    if (from < size) publish_votes(from);
}

// The first step from `from` on whose vote has not reached its goal, as far as votes were shown. All members get the
// same.
template <class Kind> uint32_t Learner<Kind>::likely_gap(uint32_t from) const {
    if (from >= shown_to) return from + kShown - 1;
    while (from + 1 < shown_to && goal(from).gap == 0) ++from;
    return from;
}

// Show this member's votes for the next steps to the others, and add up the votes of all.
template <class Kind> void Learner<Kind>::publish_votes(uint32_t from) {
    if (alone()) return;
    ++meetings;
    int32_t shown[kShown];
    for (uint32_t k = 0; k < kShown; ++k) shown[k] = from + k < size ? votes[from + k] : 0;
    prefetch(literals(from), blocks * sizeof(uint64_t));  // for the next step, while waiting
    meet(shown);
    shown_from = from;
    shown_to = from + kShown < size ? from + kShown : size;
}

}  // namespace
}  // namespace adtm::ADTM_TARGET
