/* Weak moves are for the automata whose turn it is; their phases are a fixed hash, not a draw. */
static inline void ${name}_weak(${name}_update *update, uint32_t b, uint32_t j, uint64_t u) {
    (void)b;
    update->first_phase = ADTM_PHASE_STRIDE * j;
    update->rate = $rate;
    update->ahead = adtm_rota_ahead(u + 1, update->rate);
}

$strong_by_tape
static inline uint32_t ${name}_moves_weakly(const ${name}_update *update, uint32_t k) {
    const uint32_t phase = adtm_word(${NAME}_PHASES, update->first_phase + k);
    return adtm_rota_turn(phase, update->ahead, update->rate) && ${name}_coin_allows(update, k);
}
