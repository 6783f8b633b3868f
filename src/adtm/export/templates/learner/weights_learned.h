static inline int32_t ${name}_weight(const ${name}_machine *self, uint32_t v, uint32_t j) {
    return self->weights[v][j];
}

/* The weight of a clause that learned and fires goes one up or down$side. */
static inline void ${name}_move_weight(${name}_machine *self, uint32_t v, uint32_t j, int up) {
    int32_t *const weight = &self->weights[v][j];
    const int32_t low = $low, high = $high;
    if (up ? *weight < high : *weight > low) *weight += up ? 1 : -1;
}

$first_weight
