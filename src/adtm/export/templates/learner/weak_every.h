/* Every automaton makes its weak move. */
static inline void ${name}_weak(${name}_update *update, uint32_t b, uint32_t j, uint64_t u) {
    (void)update, (void)b, (void)j, (void)u;
}

$strong_by_tape
static inline uint32_t ${name}_moves_weakly(const ${name}_update *update, uint32_t k) {
    return ${name}_coin_allows(update, k);
}
