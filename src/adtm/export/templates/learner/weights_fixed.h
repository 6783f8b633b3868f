/* $polarity. */
static inline int32_t ${name}_weight(const ${name}_machine *self, uint32_t v, uint32_t j) {
    (void)self, (void)v, (void)j;
    return $sign;
}
