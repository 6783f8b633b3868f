/* How far after the next class the first other class of this sample is: drawn. */
static inline uint32_t ${name}_other(${name}_machine *self, uint32_t label) {
    const uint64_t draw = adtm_absorb(adtm_absorb(${NAME}_SEED, ADTM_OTHER_CLASS), self->samples) >> 32;
    (void)label;
    self->ledger.other_class_draws += 1;
    return (uint32_t)(draw * (${NAME}_CLASSES - 1) >> 32);
}
