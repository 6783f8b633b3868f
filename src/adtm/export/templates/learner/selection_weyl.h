enum { ${NAME}_SELECTION_DRAWS = 0 };

static inline uint32_t ${name}_selection_word(uint32_t b, uint64_t step, uint32_t j) {
    (void)b;
    return adtm_weyl_selection(step) + j * ADTM_WEYL_CLAUSE;
}
