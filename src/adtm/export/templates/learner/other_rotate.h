/* How far after the next class the other class of this sample is: in turn, one further in every epoch. */
static inline uint32_t ${name}_other($name *self, uint32_t label) {
    return (uint32_t)((self->rank[label]++ + self->epochs) % (${NAME}_CLASSES - 1));
}
