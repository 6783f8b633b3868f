/* The vote, brought into 0 .. T: an answer in whole numbers, for those who do without floating point. */
static inline int32_t ${name}_clipped(const int32_t votes[${NAME}_VOTES]) {
    return votes[0] < 0 ? 0 : $clipped;
}

/* The value: $low at a vote of 0, $high at T. */
static inline double ${name}_answer(const int32_t votes[${NAME}_VOTES]) {
    const int32_t clipped = ${name}_clipped(votes);
    /* volatile: a product that a compiler joins with the sum is rounded otherwise. */
    const volatile double above = (double)clipped / $aim * $span;
    return $value;
}
