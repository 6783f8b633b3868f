// Weak feedback, rule "bernoulli": the standard machine, with a draw for every automaton. To wait would save nothing:
// Type Ib is given at once, and the rest of the interface is not needed. There is no coin tape.
#pragma once
#include "../common/draws.h"
#include "../simd/bits.hpp"
#include "../simd/words.hpp"
#include "../types.hpp"

namespace adtm::ADTM_TARGET {
namespace {

class WeakBernoulli {
  public:
    static constexpr bool defers = false;

    WeakBernoulli(const TrainJob& job, uint32_t j)
        : key(adtm_absorb(adtm_absorb(adtm_absorb(job.settings->seed, ADTM_WEAK), job.bank.number), j)),
          rate(job.clauses.weak_rates[j]),
          boost(job.settings->boost) {}

    struct Update {
        uint64_t key;
        uint32_t rate;
        bool boost;
        uint64_t weak(uint32_t block) const { return below64(key, block, rate); }
        uint64_t strong(uint32_t block) const { return boost ? ~uint64_t{0} : ~below64(key, block, rate); }
        uint64_t draws(uint64_t strong, uint64_t weak) const { return boost ? weak : strong + weak; }
    };
    Update update(uint64_t u) const { return {adtm_absorb(key, u), rate, boost}; }

    template <class States>
    struct Pending {
        uint64_t key;
        uint32_t rate;
        uint64_t moved = 0;
        States moves(uint32_t block, uint64_t valid) {
            const uint64_t mask = below64(key, block, rate) & valid;
            moved += count_bits(mask);
            return States::select(mask, 1);
        }
        void count(Ledger& ledger, uint32_t n) const {
            ledger.coins += n;
            ledger.type_ib_skipped += n - moved;
        }
    };
    template <class States>
    Pending<States> pending(uint64_t u, uint32_t) const {
        return {adtm_absorb(key, u), rate};  // there is always one update
    }

  private:
    uint64_t key;
    uint32_t rate;
    bool boost;
};

}  // namespace
}  // namespace adtm::ADTM_TARGET
