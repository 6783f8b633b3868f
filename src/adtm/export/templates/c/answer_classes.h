static const $class_type ${name}_preference[] = {$preference}; /* of labels with equal votes the first wins */

/* The index of the answer: the label with the largest vote. */
static inline uint32_t ${name}_answer(const int32_t votes[${NAME}_VOTES]) {
    uint32_t best = ${name}_preference[0];
    for (uint32_t i = 1; i < ${NAME}_VOTES; ++i) {
        if (votes[${name}_preference[i]] > votes[best]) best = ${name}_preference[i];
    }
    return best;
}
