/* How far after the next class the first other class of this sample is: in turn, one further in every epoch. */
static inline uint32_t ${name}_other(${name}_machine *self, uint32_t label) {
    const uint64_t first = self->epochs % (${NAME}_CLASSES - 1);
    return (uint32_t)((self->rank[label]++ * ${NAME}_OTHERS + first) % (${NAME}_CLASSES - 1));
}
