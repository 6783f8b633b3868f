static inline uint64_t ${name}_order_key(const ${name}_machine *self, uint32_t i) {
    return adtm_absorb(adtm_absorb(adtm_absorb(${NAME}_SEED, ADTM_SHUFFLE), self->epochs), i);
}
