static inline uint32_t ${name}_patch_word(${name}_machine *self, uint32_t b, uint32_t j) {
    const uint64_t clause = adtm_absorb(adtm_absorb(adtm_absorb(${NAME}_SEED, ADTM_PATCH), b), j);
    self->ledger.patch_draws += 1;
    return adtm_word(adtm_absorb(clause, self->updates[b][j]), 0);
}
