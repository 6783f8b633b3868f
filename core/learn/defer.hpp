// Deferral of Type Ib. Type Ib reaches all automata of a clause and does not depend on the sample, so it can wait. It
// is only counted as long as it cannot have excluded an included literal. Three counters of clause j, a byte each,
// describe what waits:
//
//     updates[j]          updates[j] + behind[j]        updates[j] + behind[j] + limit[j]
//         |---- behind[j] ----|------------- limit[j] -----------|
//     the states have     the depths of the list have        a look is due: left[j] updates from now, so the clock says
//                                                            updates[j] + behind[j] + limit[j] - left[j]
//
//                                              left = 0
//     SETTLED   ---- defer ---->   WAITING   -----------> look: the listed automata alone are brought up to date,
//     behind = 0, left = limit     left > 0                     behind += limit, then left = limit anew
//         ^                            |                          |
//         |                            | the clause fires         | behind = 255: no room for more
//         +--------- settle, or a sweep with the feedback: the whole row is brought up to date ---+
//
// Coins are known before the updates come. So a member of a team that has to wait can give the depths the next `limit`
// updates ahead of the clock. If these exclude nothing, the next limit begins there (left > limit). If they do, limit =
// 0, and the look that is due then only takes the excluded literals off the list.
//
// Invariants, outside these functions:
//   1. 1 <= left, and behind + limit <= kMaxPending: every count fits its byte, in every order of events.
//   2. No included automaton can be excluded before `left` more weak updates have come: evaluation may trust the
//      include mask and the list while left > 0.
//   3. At the end of a call every clause is settled: states, masks and clocks are those of the specification.
#pragma once
#include "learner.hpp"
#include "tape.hpp"

namespace adtm::ADTM_TARGET {
namespace {

// Count one more Type Ib update for these clauses of a block. Returns the clauses that can wait no longer.
template <class Kind> uint64_t Learner<Kind>::defer(uint32_t block, uint64_t clauses) {
    uint8_t* left = bank.left + 64 * block;
    const U8x64 after = U8x64::load(left).subs(U8x64::select(clauses, 1));
    after.store(left);
    return zeros(after) & clauses;
}

// Type Ib updates that have come and that the states do not have yet.
template <class Kind> uint32_t Learner<Kind>::deferred(uint32_t j) const {
    return static_cast<uint32_t>(bank.behind[j] + bank.limit[j] - bank.left[j]);
}

// The clause's clock, with its deferred updates.
template <class Kind> uint64_t Learner<Kind>::now(uint32_t j) const { return bank.updates[j] + deferred(j); }

// How many updates the shallowest included automaton, at this depth above the boundary, can take before it may be
// excluded. 0 if there is no room to count them.
template <class Kind> uint8_t Learner<Kind>::limit(uint32_t j, uint32_t depth) const {
    uint64_t limit = kMaxPending - bank.behind[j];
    if constexpr (!Weak::defers) {
        limit = 1;
    } else if (depth < kBoundary) {  // else no automaton is included
        const uint64_t safe = Weak(job, j).limit(List<States>(job, j), depth, bank.updates[j] + bank.behind[j]);
        limit = safe < limit ? safe : limit;
    }
    return static_cast<uint8_t>(limit);
}

// The deferred updates of clause j may now exclude an included automaton. True if an action changed.
template <class Kind> bool Learner<Kind>::look(uint32_t j) {
    if constexpr (Weak::defers)
        if (List<States>(job, j).exists()) return move_listed<true>(j);
    return settle(j);
}

// Give the depths of the list the next `limit` updates. True if they exclude a literal. If the updates are due now,
// such literals leave the list; if they are only foreseen, literals stay until the updates are due.
template <class Kind> template <bool due>
bool Learner<Kind>::move_listed(uint32_t j) {
    List<States> list(job, j);
    const uint32_t q = bank.limit[j];
    const uint64_t u = bank.updates[j] + bank.behind[j];
    const uint32_t stretches = read_tape(j, u, q);
    const Weak weak(job, j);
    const auto pending = weak.template pending<States>(u, q);
    uint32_t count = list.size();
    const States boundary = States::splat(kBoundary);
    States shallow = States::splat(static_cast<Element>(~Element{0}));
    bool excludes = false;
    for (uint32_t base = (count + 63) / 64 * 64; base != 0;) {
        base -= 64;  // the last block first: a removal moves the last entry
        const uint32_t here = count - base < 64 ? count - base : 64;
        const uint64_t listed = bit_range(0, here);
        uint16_t block[64];
        const uint16_t* entries = list.block_of_entries(base, block);
        States down = pending.moves_of(entries, here);
        for (uint32_t s = 0; s < stretches; ++s) {
            const uint64_t no = said_no(scratch.tape[s], entries, here) & listed;
            down = down.minus(States::select(weak.lost_of(scratch.tape[s], no, entries), 1));
        }
        const States v = list.load_depths(base).subs(down);
        list.store_depths(base, v);
        const uint64_t gone = ~v.sign_mask() & listed;
        shallow =
            shallow.min(v.adds(States::select(gone | ~listed, static_cast<Element>(~Element{0}))).minus(boundary));
        excludes |= gone != 0;
        if constexpr (due) {
            for (uint64_t rest = gone; rest != 0;) {
                const uint32_t k = highest_bit(rest);
                rest ^= uint64_t{1} << k;
                const uint32_t literal = entries[k];
                include_row(j)[literal / 64] &= ~(uint64_t{1} << (literal % 64));
                list.remove(base + k, count--);
            }
        }
    }
    bank.behind[j] = static_cast<uint8_t>(bank.behind[j] + q);
    if constexpr (due) {
        list.resize(count);
        bank.limit[j] = 0;
        if (bank.behind[j] == kMaxPending) settle(j);
        else bank.limit[j] = bank.left[j] = limit(j, shallow.lowest());
    } else {
        bank.limit[j] = excludes ? 0 : limit(j, shallow.lowest());
        bank.left[j] = static_cast<uint8_t>(bank.left[j] + bank.limit[j]);
    }
    return excludes;
}

// Foresee the updates of one of the clauses whose look is due next, while the member waits; false if there is none.
template <class Kind> bool Learner<Kind>::foresee_one() {
    if constexpr (Weak::defers) {
        if (set.d == 0) return false;  // without coins a look is quick
        for (uint32_t block = job.share.first_block; block < job.share.last_block; ++block) {
            const U8x64 left = U8x64::load(bank.left + 64 * block), limit = U8x64::load(bank.limit + 64 * block);
            uint64_t due = zeros(left.minus(U8x64::splat(1))) & ~zeros(limit) & ~scratch.late[block];
            for (; due != 0; due &= due - 1) {
                const uint32_t j = 64 * block + lowest_bit(due);
                if (!List<States>(job, j).exists()) continue;
                move_listed<false>(j);
                return true;
            }
        }
    }
    return false;
}

// Apply all deferred Type Ib updates of clause j to its states. True if an action changed.
template <class Kind> bool Learner<Kind>::settle(uint32_t j) {
    if (bank.behind[j] == 0 && deferred(j) == 0) return false;
    return catch_up(j, 0, [](uint32_t, States v) { return v; });
}

// Sweep clause j: all its deferred Type Ib updates, then `move`, which is `own` further updates of the clause.
template <class Kind> template <class Move>
bool Learner<Kind>::catch_up(uint32_t j, uint32_t own, Move move) {
    const uint32_t q = deferred(j);
    const uint64_t u = bank.updates[j];
    bank.updates[j] += q + own;
    if (q == 0) return sweep(j, move);
    const States floor = States::splat(low);
    const Weak weak(job, j);
    auto pending = weak.template pending<States>(u, q);
    bool changed;
    const uint32_t stretches = Weak::defers ? read_tape(j, u, q) : 0;
    if (stretches == 0) {
        changed = sweep(j, [&](uint32_t block, States v) {
            return move(block, v.subs(pending.moves(block, valid(block))).max(floor));
        });
    } else {
        if constexpr (Weak::defers) count_skips(weak, stretches);
        const uint8_t* skipped = scratch.skipped;
        changed = sweep(j, [&](uint32_t block, States v) {
            const States down = pending.moves(block, valid(block)).minus(States::from_bytes(skipped + 64 * block));
            return move(block, v.subs(down).max(floor));
        });
    }
    job.ledger.type_ib_offered += static_cast<uint64_t>(q) * n;
    pending.count(job.ledger, n);
    return changed;
}

// Apply `move` to every block of states of clause j; then nothing waits. Renew its include mask, its list and its
// limit. True if an action changed.
template <class Kind> template <class Move>
bool Learner<Kind>::sweep(uint32_t j, Move move) {
    Element* states = row(j);
    uint64_t* include = include_row(j);
    List<States> list(job, j);
    const States boundary = States::splat(kBoundary);
    States shallow = States::splat(static_cast<Element>(~Element{0}));
    bool changed = false;
    const uint32_t n_blocks = blocks;  // a local copy: stores of bytes may alias any member
    for (uint32_t block = 0; block < n_blocks; ++block) {
        const States v = move(block, States::load(states + 64 * block));
        v.store(states + 64 * block);
        const uint64_t mask = v.sign_mask();
        if (mask != include[block]) {
            list.edit(block, mask ^ include[block], mask);
            include[block] = mask;
            changed = true;
        }
        shallow =
            shallow.min(v.minus(boundary));  // the depth if it is included; else it wraps around, above all depths
    }
    if (changed && !list.exists()) list.rebuild(include, n_blocks);
    if (Weak::defers) list.fill_depths(states);
    bank.behind[j] = 0;
    bank.limit[j] = bank.left[j] = limit(j, shallow.lowest());
    return changed;
}

}  // namespace
}  // namespace adtm::ADTM_TARGET
