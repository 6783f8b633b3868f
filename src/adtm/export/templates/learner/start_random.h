            const uint64_t key = adtm_absorb(adtm_absorb(adtm_absorb(${NAME}_SEED, ADTM_START), b), j);
            self->updates[b][j] = $first_clock;
            self->ledger.start_draws += ${NAME}_LITERALS;
            for (uint32_t k = 0; k < ${NAME}_LITERALS; ++k) {
                const uint32_t negated = k >= $FEATURES, f = negated ? k - $FEATURES : k;
                const uint32_t in = adtm_coin(key, k);
                self->states[b][j][k] = ($state)(${NAME}_STATES - 1 + in);
                self->include[b][j][negated][f / 32] |= in << (f % 32);
            }
