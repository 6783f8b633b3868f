/* 1 if every included literal is true; `empty` for a clause without literals. */
static inline int32_t ${name}_output(const uint32_t *is, const uint32_t *is_not, const uint32_t *features,
                                     int32_t empty) {
    uint32_t any = 0;
    for (uint32_t w = 0; w < $WORDS; ++w) {
        if ((is[w] & ~features[w]) | (is_not[w] & features[w])) return 0;
        any |= is[w] | is_not[w];
    }
    return any ? 1 : empty;
}
