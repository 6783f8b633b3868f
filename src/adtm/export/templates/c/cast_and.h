/* The vote that a rule casts, one if none of its literals fails; moves on to the next rule. */
static inline int32_t ${name}_cast(const uint32_t *features, int32_t limit, ${name}_place *at) {
    uint32_t failed = 0, word;
    do { /* to the end: cheaper than a guess where it ends */
        word = *at->word++;
        failed |= (features[word / 2] ^ (*at->mask)[0]) & (*at->mask)[1];
        ++at->mask;
    } while (word % 2 == 0);
    return failed ? 0 : limit;
}
