static inline uint32_t ${name}_moves_strongly(const ${name}_update *update, uint32_t k) {
    return ${name}_coin_allows(update, k);
}

/* Draws of an automaton in a Type I update. */
static inline uint32_t ${name}_draws(const ${name}_update *update, uint32_t k, uint32_t up) {
    (void)up;
    return ${name}_tosses(update, k);
}

