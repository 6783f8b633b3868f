/* ---- the model as it was trained: ${name}_resume instead of ${name}_start, and learning goes on ---- */

static const $state ${name}_trained_states[] = {$trained_states};
static const uint64_t ${name}_trained_updates[] = {$trained_updates};
static const uint64_t ${name}_trained_steps[] = {$trained_steps};
${trained_seen}static const ${name}_ledger ${name}_trained_ledger = {$trained_ledger};
$trained_weights
static inline void ${name}_resume(${name}_machine *self) {
    uint32_t automaton = 0, clause = 0;
    ${name}_start(self);
    self->samples = UINT64_C($trained_samples);
    self->epochs = UINT64_C($trained_epochs);
    self->ledger = ${name}_trained_ledger;
${resume_seen}    for (uint32_t b = 0; b < ${NAME}_BANKS; ++b) {
        self->steps[b] = ${name}_trained_steps[b];
        for (uint32_t j = 0; j < ${NAME}_CLAUSES; ++j) {
            self->updates[b][j] = ${name}_trained_updates[clause++];
            for (uint32_t k = 0; k < ${NAME}_LITERALS; ++k) {
                const uint32_t negated = k >= $FEATURES, f = negated ? k - $FEATURES : k, bit = UINT32_C(1) << (f % 32);
                uint32_t *const word = &self->include[b][j][negated][f / 32];
                self->states[b][j][k] = ${name}_trained_states[automaton++];
                *word = self->states[b][j][k] >= ${NAME}_STATES ? *word | bit : *word & ~bit;
            }
        }
    }
$resume_weights}

