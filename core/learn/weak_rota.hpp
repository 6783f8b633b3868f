// Weak feedback, rule "rota": an automaton makes a weak move when it has its turn (common/rota.h).
#pragma once
#include "../common/rota.h"
#include "../simd/words.hpp"
#include "../types.hpp"
#include "lists.hpp"

namespace adtm::ADTM_TARGET {
namespace {

class WeakRota {
  public:
    static constexpr bool defers = true;

    WeakRota(const TrainJob& job, uint32_t j)
        : phases(job.clauses.phases + static_cast<size_t>(ADTM_PHASE_STRIDE) * j),
          at_toss(job.scratch.at_toss),
          rate(job.clauses.weak_rates[j]) {}

    struct Update {
        const uint32_t* phases;
        uint32_t ahead, rate;
        uint64_t weak(uint32_t block) const { return turns64(phases + 64 * block, ahead, rate); }
        uint64_t strong(uint32_t) const { return ~uint64_t{0}; }
        uint64_t draws(uint64_t, uint64_t) const { return 0; }
    };
    Update update(uint64_t u) const { return {phases, adtm_rota_ahead(u + 1, rate), rate}; }

    // All automata have the whole turns. Those whose word wraps around by the rest of a turn have one more.
    template <class States>
    struct Pending {
        const uint32_t* phases;
        uint32_t q, ahead;
        adtm_turns turns;
        States whole;
        uint64_t carried = 0;
        // The inner loop of deferred moves. GCC inlined it only where few others call it: 2 % of a training.
        [[gnu::always_inline]] States moves(uint32_t block, uint64_t valid) {
            const uint64_t carry = turns64(phases + 64 * block, ahead, turns.rest) & valid;
            carried += count_bits(carry);
            return whole.adds(States::select(carry, 1));
        }
        States moves_of(const uint16_t* entries, uint32_t size) const {
            return whole.adds(States::select(turns_of(phases, entries, size, ahead, turns.rest), 1));
        }
        void count(Ledger& ledger, uint32_t n) const {
            ledger.type_ib_skipped += static_cast<uint64_t>(q - turns.whole) * n - carried;
        }
    };
    template <class States>
    Pending<States> pending(uint64_t u, uint32_t q) const {
        const adtm_turns turns = adtm_rota_turns(q, rate);
        return {phases, q, adtm_rota_ahead(u, rate) + turns.rest, turns,
                States::splat(static_cast<typename States::Element>(turns.whole))};
    }

    // Of the shallowest included automata, the one with the largest word has its turns first.
    template <class States>
    uint64_t limit(const List<States>& list, uint32_t depth, uint64_t u) const {
        uint32_t furthest = ~0u;  // without a list: the earliest turn there can be
        if (list.exists()) {
            const uint32_t ahead = adtm_rota_ahead(u, rate);
            furthest = 0;
            list.for_each_at(depth, [&](uint32_t literal) {
                const uint32_t word = phases[literal] + ahead;
                furthest = word > furthest ? word : furthest;
            });
        }
        return adtm_rota_wait(furthest, depth + 1, rate);
    }

    // A coin that says no costs a move only where the automaton has its turn when it tosses.
    Row512 lost(const Stretch& stretch, Row512 no, uint32_t group) const {
        const U32x16 start = U32x16::splat(stretch.ahead), r = U32x16::splat(rate);
        uint64_t mask[8] = {};
        for (uint32_t k = 0; k < 512; k += 16) {
            const U32x16 x = U32x16::load(phases + group + k) + U32x16::load(at_toss + group + k) * r + start;
            mask[k / 64] |= static_cast<uint64_t>(x.less(r)) << (k % 64);
        }
        return no & Row512::load(mask);
    }
    uint64_t lost_of(const Stretch& stretch, uint64_t no, const uint16_t* entries) const {
        uint64_t lost = 0;
        for (; no != 0; no &= no - 1) {
            const uint32_t k = lowest_bit(no), literal = entries[k];
            lost |=
                static_cast<uint64_t>(adtm_rota_turn(phases[literal], at_toss[literal] * rate + stretch.ahead, rate))
                << k;
        }
        return lost;
    }

  private:
    const uint32_t* phases;
    const uint32_t* at_toss;
    uint32_t rate;
};

}  // namespace
}  // namespace adtm::ADTM_TARGET
