${silence_table}/* The index of the answer: the class with the largest vote. */
static inline uint32_t ${name}_answer(${seen_in}const int32_t votes[${NAME}_VOTES]) {
    uint32_t best = 0;
    for (uint32_t c = 1; c < ${NAME}_VOTES; ++c) {
        if ($wins) best = c;
    }
    return best;
}
