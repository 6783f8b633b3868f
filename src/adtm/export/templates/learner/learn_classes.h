$other_class
/* One sample: its own class learns that it is, some others, which follow each other, that it is not. */
static inline void ${name}_learn(${name}_machine *self, const uint32_t *features, uint32_t label) {
    uint32_t place = ${name}_other(self, label);
    ${name}_step(self, label, features, 1);
    for (uint32_t z = 0; z < ${NAME}_OTHERS; ++z) {
        const uint32_t other = label + 1 + place;
        ${name}_step(self, other < ${NAME}_CLASSES ? other : other - ${NAME}_CLASSES, features, 0);
        place = place + 1 < ${NAME}_CLASSES - 1 ? place + 1 : 0;
    }
    self->seen[label] += 1;
    self->samples += 1;
}
