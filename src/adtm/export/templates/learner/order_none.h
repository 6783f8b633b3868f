/* The order of the samples of the epoch that comes: as they are. */
static inline void ${name}_order(${name}_machine *self, uint32_t *order, uint32_t n) {
    (void)self;
    for (uint32_t i = 0; i < n; ++i) order[i] = i;
}
