
/* $row_means. */
typedef struct {
$fields
} ${name}_${row_type};

/* Features first .. first + n - 1 are there. */
static inline void ${name}_set(uint32_t *features, uint32_t first, uint32_t n) {
    uint32_t *word = features + first / 32;
    for (uint32_t bit = UINT32_C(1) << (first % 32); n > 0; --n) {
        *word |= bit;
        bit <<= 1;
        if (bit == 0) {
            bit = 1;
            ++word;
        }
    }
}
$compare

/* $bits_mean. */
static $apart void ${name}_${bits_of}(const ${name}_${row_type} *row, uint32_t features[$encoded_words]) {
    for (uint32_t w = 0; w < $encoded_words; ++w) features[w] = 0;
$setting
}
