enum { ${NAME}_SELECTION_DRAWS = ${NAME}_CLAUSES };

static inline uint32_t ${name}_selection_word(uint32_t b, uint64_t step, uint32_t j) {
    return adtm_word(adtm_absorb(adtm_absorb(adtm_absorb(${NAME}_SEED, ADTM_SELECT), b), step), j);
}
