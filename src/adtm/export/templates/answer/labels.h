${silence_table}/* Whether each label is there, 1 or 0. */
static inline void ${name}_answer(${seen_in}const int32_t votes[${NAME}_VOTES], uint8_t labels[${NAME}_VOTES]) {
    for (uint32_t v = 0; v < ${NAME}_VOTES; ++v) labels[v] = $wins;
}
