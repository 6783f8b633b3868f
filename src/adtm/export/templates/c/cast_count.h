static inline int32_t ${name}_ones(uint32_t x) {
    x -= x >> 1 & UINT32_C(0x55555555);
    x = (x & UINT32_C(0x33333333)) + (x >> 2 & UINT32_C(0x33333333));
    return (int32_t)(((x + (x >> 4)) & UINT32_C(0x0F0F0F0F)) * UINT32_C(0x01010101) >> 24);
}

/* The votes that a rule casts, its limit less one for every literal that fails; moves on to the next rule. */
static inline int32_t ${name}_cast(const uint32_t *features, int32_t limit, ${name}_place *at) {
    uint32_t word;
    do {
        word = *at->word++;
        limit -= ${name}_ones((features[word / 2] ^ (*at->mask)[0]) & (*at->mask)[1]);
        ++at->mask;
    } while (word % 2 == 0);
    return limit;
}
