
/* $row_means. */
typedef struct {
$fields
} ${name}_${row_type};

static inline void ${name}_set(uint32_t *features, uint32_t k) { features[k / 32] |= UINT32_C(1) << (k % 32); }
$compare

/* $bits_mean. */
static inline void ${name}_${bits_of}(const ${name}_${row_type} *row, uint32_t features[$encoded_words]) {
    for (uint32_t w = 0; w < $encoded_words; ++w) features[w] = 0;
$setting
}
