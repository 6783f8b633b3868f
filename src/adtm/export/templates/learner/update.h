/* One update of a clause: the automata from .. to - 1 toss a coin each. */
typedef struct {
    uint64_t coins, words; /* keys of the coins and of the draws of weak feedback */
    uint32_t from, to, first_phase, ahead, rate;
} ${name}_update;

$tape
static inline uint32_t ${name}_tosses(const ${name}_update *update, uint32_t k) {
    return update->from <= k && k < update->to;
}

/* An automaton whose coin says no stays where it is. */
static inline uint32_t ${name}_coin_allows(const ${name}_update *update, uint32_t k) {
    return !${name}_tosses(update, k) || adtm_coin(update->coins, k);
}

$weak
static inline ${name}_update ${name}_begin(${name}_machine *self, uint32_t b, uint32_t j) {
    const uint64_t u = self->updates[b][j]++;
    ${name}_update update = {0, 0, 0, 0, 0, 0, 0};
    ${name}_tape(&update, b, j, u);
    ${name}_weak(&update, b, j, u);
    return update;
}
