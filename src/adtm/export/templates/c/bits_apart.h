/* The bits at, at + STRIDE_RIGHT, ... of the features, n of them. */
static inline uint32_t ${name}_bits(const uint32_t *features, uint32_t at, uint32_t n) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < n; ++i, at += ${NAME}_STRIDE_RIGHT) bits |= (features[at / 32] >> (at % 32) & 1) << i;
    return bits;
}
