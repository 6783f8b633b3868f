/* All other classes learn from a sample, from the next one on. */
static inline uint32_t ${name}_other(const ${name}_machine *self, uint32_t label) {
    (void)self, (void)label;
    return 0;
}
