/* What a clause says to a row that it may learn from; whether it fires is kept. */
static inline int32_t ${name}_says(${name}_machine *self, uint32_t b, uint32_t j, const uint32_t *features) {
    const int32_t out = ${name}_output(self->include[b][j][0], self->include[b][j][1], features, $empty_learns);
    const uint32_t bit = UINT32_C(1) << (j % 32);
    self->fires[j / 32] = out > 0 ? self->fires[j / 32] | bit : self->fires[j / 32] & ~bit;
    return out;
}
