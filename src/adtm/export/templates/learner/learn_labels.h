/* One sample, and whether each label is there, 1 or 0. */
static inline void ${name}_learn(${name}_machine *self, const uint32_t *features, const uint8_t labels[${NAME}_VOTES]) {
    for (uint32_t v = 0; v < ${NAME}_VOTES; ++v) {
        ${name}_step(self, v, features, labels[v]);
        self->seen[labels[v] ? ${NAME}_VOTES + v : v] += 1;
    }
    self->samples += 1;
}
