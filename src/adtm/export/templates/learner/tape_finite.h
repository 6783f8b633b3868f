static inline void ${name}_tape(${name}_update *update, uint32_t b, uint32_t j, uint64_t u) {
    const adtm_stretch stretch = adtm_tape(u, 1, ${NAME}_D, ${NAME}_LITERALS);
    const uint64_t clause = adtm_absorb(adtm_absorb(adtm_absorb(${NAME}_SEED, ADTM_COIN), b), j);
    update->coins = adtm_absorb(clause, stretch.cycle);
    update->from = stretch.from;
    update->to = stretch.to;
}
