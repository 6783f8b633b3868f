static inline int32_t ${name}_ones(uint32_t x) {
    x -= x >> 1 & UINT32_C(0x55555555);
    x = (x & UINT32_C(0x33333333)) + (x >> 2 & UINT32_C(0x33333333));
    return (int32_t)(((x + (x >> 4)) & UINT32_C(0x0F0F0F0F)) * UINT32_C(0x01010101) >> 24);
}

/* The votes that a rule casts, whose masks begin at `at`: its limit less one for every literal that fails. */
static inline int32_t ${name}_cast(const uint32_t *features, uint32_t rule, uint32_t at) {
    int32_t cast = $limit;
    for (uint32_t left = ${name}_counts[rule]; left > 0; --left, ++at) {
        const uint32_t x = features[${name}_words[at]];
        cast -= ${name}_ones((${name}_masks[at][0] & ~x) | (${name}_masks[at][1] & x));
    }
    return cast;
}
