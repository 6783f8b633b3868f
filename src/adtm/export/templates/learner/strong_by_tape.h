static inline uint32_t ${name}_moves_strongly(const ${name}_update *update, uint32_t k) {
    return ${name}_coin_allows(update, k);
}

/* Draws of an automaton that a Type I update offers a move. */
static inline uint32_t ${name}_draws(const ${name}_update *update, uint32_t k, uint32_t strong) {
    (void)strong;
    return ${name}_tosses(update, k);
}

