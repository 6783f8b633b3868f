static const uint8_t ${name}_least[] = {$least}; /* the least vote of each label that is there */

/* Whether each label is there, 1 or 0. */
static inline void ${name}_answer(const int32_t votes[${NAME}_VOTES], uint8_t labels[${NAME}_VOTES]) {
    for (uint32_t v = 0; v < ${NAME}_VOTES; ++v) labels[v] = votes[v] >= ${name}_least[v];
}
