/* The votes that a rule casts, whose masks begin at `at`: one, if none of its literals fails. */
static inline int32_t ${name}_cast(const uint32_t *features, uint32_t rule, uint32_t at) {
    uint32_t failed = 0;
    for (uint32_t left = ${name}_counts[rule]; left > 0; --left, ++at) { /* to the end: cheaper than a guess where it ends */
        const uint32_t x = features[${name}_words[at]];
        failed |= (${name}_masks[at][0] & ~x) | (${name}_masks[at][1] & x);
    }
    return !failed;
}
