static inline uint64_t ${name}_order_key(const ${name}_machine *self, uint32_t i) {
    const uint32_t stride = (uint32_t)self->epochs * ADTM_WEYL_STEP;
    return (uint32_t)(i * ADTM_WEYL_SAMPLE + (uint32_t)((uint64_t)i * ((uint64_t)i + 1) / 2) * stride);
}
