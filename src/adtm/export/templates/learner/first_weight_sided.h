static inline int32_t ${name}_first_weight(uint32_t v, uint32_t j) {
    (void)v, (void)j;
    return $sign;
}
