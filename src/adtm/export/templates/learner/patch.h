enum { ${NAME}_PATCH_WORDS = (${NAME}_PATCH_FEATURES + 31) / 32 };

/* Bits at .. at + n - 1 of the features, 1 <= n <= 32. */
static inline uint32_t ${name}_bits(const uint32_t *features, uint32_t at, uint32_t n) {
    const uint32_t *const word = features + at / 32;
    const uint32_t low = word[0] >> (at % 32), high = at % 32 + n > 32 ? word[1] << (32 - at % 32) : 0;
    return (low | high) & UINT32_MAX >> (32 - n);
}

/* Sets bits at .. at + n - 1, which were 0. */
static inline void ${name}_put(uint32_t *patch, uint32_t at, uint32_t n, uint32_t bits) {
    patch[at / 32] |= bits << (at % 32);
    if (at % 32 + n > 32) patch[at / 32 + 1] |= bits >> (32 - at % 32);
}

/* The features of the patch in this row and column of patches. */
static inline void ${name}_patch(const uint32_t *features, uint32_t row, uint32_t column, uint32_t *patch) {
    uint32_t at = 0;
    for (uint32_t w = 0; w < ${NAME}_PATCH_WORDS; ++w) patch[w] = 0;
    for (uint32_t bit = 0; bit < ${NAME}_PLANES; ++bit) {
        for (uint32_t y = 0; y < ${NAME}_PATCH_HEIGHT; ++y) {
            const uint32_t line = (bit * ${NAME}_HEIGHT + row * ${NAME}_STRIDE_DOWN + y) * ${NAME}_WIDTH;
            uint32_t from = line + column * ${NAME}_STRIDE_RIGHT;
            for (uint32_t left = ${NAME}_PATCH_WIDTH, n; left > 0; left -= n, at += n, from += n) {
                n = left < 32 ? left : 32;
                ${name}_put(patch, at, n, ${name}_bits(features, from, n));
            }
        }
    }
    for (uint32_t k = 0; k < row; ++k) ${name}_put(patch, at + k, 1, 1);
    at += ${NAME}_ROWS - 1;
    for (uint32_t k = 0; k < column; ++k) ${name}_put(patch, at + k, 1, 1);
}
