/* The index of the answer: a vote above 0 is for the second label, one below for the first. */
static inline uint32_t ${name}_answer(const int32_t votes[${NAME}_VOTES]) {
    return votes[0] $above 0;
}
