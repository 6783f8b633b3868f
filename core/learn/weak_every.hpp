// Weak feedback, rule "every": all automata of the clause move (MVF-LA). This file also explains the interface of a
// weak rule:
//   defers                  whether Type Ib may wait; it may only if it does not depend on the sample
//   update(u)               one update at clock u: masks of the automata that make a weak or strong move, by block of 64
//   pending<States>(u, q)   q weak updates from clock u on: how far each automaton moves, by block or for listed ones
//   limit(list, depth, u)   weak updates after clock u until an included automaton at this depth may be excluded
//   lost(stretch, no, ...)  of the coins that say no, those that cost the automaton a move
// An object of a rule belongs to one clause of a job. The rule counts its own draws: `draws` for an update that offers
// so many strong and weak moves, `count` for pending updates.
#pragma once
#include "../simd/target.hpp"
#include "../types.hpp"
#include "lists.hpp"

namespace adtm::ADTM_TARGET {
namespace {

class WeakEvery {
  public:
    static constexpr bool defers = true;

    WeakEvery(const TrainJob&, uint32_t) {}

    struct Update {
        uint64_t weak(uint32_t) const { return ~uint64_t{0}; }
        uint64_t strong(uint32_t) const { return ~uint64_t{0}; }
        uint64_t draws(uint64_t, uint64_t) const { return 0; }
    };
    Update update(uint64_t) const { return {}; }

    template <class States>
    struct Pending {
        States all;
        States moves(uint32_t, uint64_t) const { return all; }
        States moves_of(const uint16_t*, uint32_t) const { return all; }
        void count(Ledger&, uint32_t) const {}
    };
    template <class States>
    Pending<States> pending(uint64_t, uint32_t q) const {
        return {States::splat(static_cast<typename States::Element>(q))};
    }

    template <class States>
    uint64_t limit(const List<States>&, uint32_t depth, uint64_t) const {
        return uint64_t{depth} + 1;
    }

    Row512 lost(const Stretch&, Row512 no, uint32_t) const { return no; }
    uint64_t lost_of(const Stretch&, uint64_t no, const uint16_t*) const { return no; }
};

}  // namespace
}  // namespace adtm::ADTM_TARGET
