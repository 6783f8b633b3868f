$other_class
/* One sample: its own class learns that it is, one other that it is not. */
static inline void ${name}_learn($name *self, const uint32_t *features, uint32_t label) {
    const uint32_t other = label + 1 + ${name}_other(self, label);
    ${name}_step(self, label, features, 1);
    ${name}_step(self, other < ${NAME}_CLASSES ? other : other - ${NAME}_CLASSES, features, 0);
    self->seen[label] += 1;
    self->samples += 1;
}
