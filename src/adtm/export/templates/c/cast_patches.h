/* Whether a feature is 1 in n patches of a row, from the column `first` on: a bit for each. Features are those of the first
   patch in the image, then row > 0, row > 1, ..., column > 0, column > 1, ... */
static inline uint32_t ${name}_seen(const uint32_t *features, uint32_t feature, uint32_t row, uint32_t first, uint32_t n) {
    if (feature < ${NAME}_FEATURES) {
        const uint32_t corner = row * ${NAME}_STRIDE_DOWN * ${NAME}_WIDTH + first * ${NAME}_STRIDE_RIGHT;
        return ${name}_bits(features, corner + feature, n);
    }
    feature -= ${NAME}_FEATURES;
    if (feature + 1 < ${NAME}_ROWS) return row > feature ? UINT32_MAX : 0;
    feature -= ${NAME}_ROWS - 1;
    if (first > feature) return UINT32_MAX;
    return feature - first < 31 ? UINT32_MAX << (feature - first + 1) : 0;
}

/* The votes that a rule casts, its limit less one for every literal that fails, where fewest do; moves on to the next
   rule. Up to 32 patches side by side are asked at once. */
static inline int32_t ${name}_cast(const uint32_t *features, int32_t limit, ${name}_place *at) {
    const $literal_type *const begin = at->literal, *const end = begin + *at->count++;
    int32_t best = 0;
    at->literal = end;
    for (uint32_t row = 0; row < ${NAME}_ROWS && best < limit; ++row) {
        for (uint32_t first = 0; first < ${NAME}_COLUMNS; first += 32) {
            const uint32_t n = ${NAME}_COLUMNS - first < 32 ? ${NAME}_COLUMNS - first : 32;
            uint32_t failed[$planes] = {0}; /* how many literals fail in each patch: a bit of all these numbers in a word */
            uint32_t left = UINT32_MAX >> (32 - n); /* patches in which not too many fail */
            int32_t fewest = 0;
            for (const $literal_type *next = begin; next < end && left; ++next) {
                const uint32_t literal = *next;
                uint32_t more = left & (${name}_seen(features, literal / 2, row, first, n) ^ (literal % 2 - 1));
                for (uint32_t k = 0; k != $count_bits; ++k) {
                    const uint32_t sum = failed[k] ^ more;
                    more &= failed[k];
                    failed[k] = sum;
                }
                left &= ~more;
            }
            for (uint32_t k = $count_bits; k != 0; --k) {
                const uint32_t fewer = left & ~failed[k - 1];
                fewest |= fewer ? 0 : (int32_t)(UINT32_C(1) << (k - 1));
                left = fewer ? fewer : left;
            }
            if (left && limit - fewest > best) best = limit - fewest;
        }
    }
    return best;
}
