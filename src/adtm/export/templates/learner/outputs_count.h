static inline uint32_t ${name}_ones(uint32_t x) {
    x -= x >> 1 & UINT32_C(0x55555555);
    x = (x & UINT32_C(0x33333333)) + (x >> 2 & UINT32_C(0x33333333));
    return ((x + (x >> 4)) & UINT32_C(0x0F0F0F0F)) * UINT32_C(0x01010101) >> 24;
}

/* Included literals of a clause. */
static inline uint32_t ${name}_size(const uint32_t *is, const uint32_t *is_not) {
    uint32_t size = 0;
    for (uint32_t w = 0; w < $WORDS; ++w) size += ${name}_ones(is[w]) + ${name}_ones(is_not[w]);
    return size;
}

/* Up to TOLERANCE + 1 votes, one less for every included literal that is false; `empty` for a clause without literals. */
static inline int32_t ${name}_output(const uint32_t *is, const uint32_t *is_not, const uint32_t *features,
                                     int32_t empty) {
    const uint32_t size = ${name}_size(is, is_not);
    uint32_t votes = size <= ${NAME}_TOLERANCE ? size : ${NAME}_TOLERANCE + 1;
    if (size == 0) return empty;
    for (uint32_t w = 0; w < $WORDS; ++w) {
        const uint32_t missed = ${name}_ones((is[w] & ~features[w]) | (is_not[w] & features[w]));
        if (missed >= votes) return 0;
        votes -= missed;
    }
    return (int32_t)votes;
}
