/* The index of the answer: a vote above 0 is for the second class, one below for the first. */
static inline uint32_t ${name}_answer(${seen_in}const int32_t votes[${NAME}_VOTES]) {
    return $wins;
}
