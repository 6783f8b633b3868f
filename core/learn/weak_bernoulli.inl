// Weak feedback, rule "bernoulli": the standard machine, a draw for every automaton. Nothing is gained by waiting, so
// Type Ib is applied at once and the rest of the interface is not needed; there is no coin tape.

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
        return {adtm_absorb(key, u), rate};  // always of one update
    }

  private:
    uint64_t key;
    uint32_t rate;
    bool boost;
};
