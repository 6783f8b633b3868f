/* A rule casts its limit less one vote for every literal that fails. Literals come as masks of one word of features
   each: features that must be 1, and features that must be 0. */
static const $masks_type ${name}_rules[${NAME}_BANKS] = {$rules_of_banks};
static const $limit_type ${name}_limits[] = {$limits};
static const $weight_type ${name}_weights[][${NAME}_OUTPUTS] = {$weights};
static const $count_type ${name}_counts[] = {$counts}; /* masks of each rule */
static const $word_type ${name}_words[] = {$words};
static const uint32_t ${name}_masks[][2] = {$masks};

static inline int32_t ${name}_ones(uint32_t x) {
    x -= x >> 1 & UINT32_C(0x55555555);
    x = (x & UINT32_C(0x33333333)) + (x >> 2 & UINT32_C(0x33333333));
    return (int32_t)(((x + (x >> 4)) & UINT32_C(0x0F0F0F0F)) * UINT32_C(0x01010101) >> 24);
}

/* The votes for a sample. */
static inline void ${name}_votes(const uint32_t *features, int32_t votes[${NAME}_VOTES]) {
    uint32_t at = 0, rule = 0;
    for (uint32_t bank = 0; bank < ${NAME}_BANKS; ++bank) {
        const uint32_t end = rule + ${name}_rules[bank];
        int32_t *const sums = votes + bank * ${NAME}_OUTPUTS;
        for (uint32_t o = 0; o < ${NAME}_OUTPUTS; ++o) sums[o] = 0;
        for (; rule < end; ++rule) {
            int32_t cast = ${name}_limits[rule];
            for (uint32_t left = ${name}_counts[rule]; left > 0; --left, ++at) {
                const uint32_t x = features[${name}_words[at]];
                cast -= ${name}_ones((${name}_masks[at][0] & ~x) | (${name}_masks[at][1] & x));
            }
            if (cast <= 0) continue;
            for (uint32_t o = 0; o < ${NAME}_OUTPUTS; ++o) sums[o] += ${name}_weights[rule][o] * cast;
        }
    }
}
