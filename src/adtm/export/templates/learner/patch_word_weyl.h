static inline uint32_t ${name}_patch_word(const ${name}_machine *self, uint32_t b, uint32_t j) {
    return adtm_weyl_patch(j, self->updates[b][j]);
}
