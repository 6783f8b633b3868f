/* One sample of class 0 or 1. */
static inline void ${name}_learn(${name}_machine *self, const uint32_t *features, uint32_t label) {
    ${name}_step(self, 0, features, label);
    self->seen[label] += 1;
    self->samples += 1;
}
