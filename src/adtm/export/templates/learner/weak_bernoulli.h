/* The standard machine: weak moves with probability 1/s, strong ones with (s - 1)/s or, boosted, always. */
static inline void ${name}_weak(${name}_update *update, uint32_t b, uint32_t j, uint64_t u) {
    const uint64_t clause = adtm_absorb(adtm_absorb(adtm_absorb(${NAME}_SEED, ADTM_WEAK), b), j);
    update->words = adtm_absorb(clause, u);
    update->rate = $rate;
}

static inline uint32_t ${name}_moves_weakly(const ${name}_update *update, uint32_t k) {
    return adtm_word(update->words, k) < update->rate;
}

static inline uint32_t ${name}_moves_strongly(const ${name}_update *update, uint32_t k) {
    return ${NAME}_BOOST || !${name}_moves_weakly(update, k);
}

static inline uint32_t ${name}_draws(const ${name}_update *update, uint32_t k, uint32_t strong) {
    (void)update, (void)k;
    return !(${NAME}_BOOST && strong);
}
