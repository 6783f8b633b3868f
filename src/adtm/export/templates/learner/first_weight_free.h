/* 1 or -1, by a constant coin; no clause begins with one sign in all outputs of its bank. */
static inline int32_t ${name}_first_weight(uint32_t v, uint32_t j) {
    const uint64_t key = adtm_absorb(${NAME}_FIRST_WEIGHTS, j);
    const uint32_t o = v % ${NAME}_OUTPUTS;
    uint32_t plus = 0, turned;
    for (uint32_t i = 0; i < ${NAME}_OUTPUTS; ++i) plus += adtm_coin(key, i);
    turned = ${NAME}_OUTPUTS > 1 && plus % ${NAME}_OUTPUTS == 0 && o == j % ${NAME}_OUTPUTS;
    return (adtm_coin(key, o) ^ turned) ? 1 : -1;
}
