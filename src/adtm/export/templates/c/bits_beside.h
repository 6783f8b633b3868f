/* The bits at .. at + n - 1 of the features, 1 <= n <= 32. */
static inline uint32_t ${name}_bits(const uint32_t *features, uint32_t at, uint32_t n) {
    const uint32_t *const word = features + at / 32;
    const uint32_t low = word[0] >> (at % 32), high = at % 32 + n > 32 ? word[1] << (32 - at % 32) : 0;
    return (low | high) & UINT32_MAX >> (32 - n);
}

