
/* A row of the table. */
typedef struct {
$fields
} ${name}_row;

static inline void ${name}_set(uint32_t *features, uint32_t k) { features[k / 32] |= UINT32_C(1) << (k % 32); }
$compare

/* The features of a row. */
static inline void ${name}_features(const ${name}_row *row, uint32_t features[${NAME}_WORDS]) {
    for (uint32_t w = 0; w < ${NAME}_WORDS; ++w) features[w] = 0;
$setting
}
