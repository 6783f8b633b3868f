/* The rota: an automaton has a word that starts at its phase and grows by `rate` with every update of its clause. The
   automaton has its turn when the word wraps around, so its turns in some updates are a difference of two floors. */
#ifndef ADTM_ROTA_H
#define ADTM_ROTA_H

#include "function.h"

#define ADTM_PHASE_STRIDE 64 /* from the phases of one clause to those of the next */

/* How far the words are ahead of their phases when the clock of the clause says u. */
ADTM_FUNCTION uint32_t adtm_rota_ahead(uint64_t u, uint32_t rate) { return (uint32_t)u * rate; }

/* Whether the word wrapped around when it last grew by `by`: then it is below `by`. */
ADTM_FUNCTION int adtm_rota_turn(uint32_t phase, uint32_t ahead, uint32_t by) { return phase + ahead < by; }

/* The turns of an automaton in q updates: `whole`, and one more if its word wraps around when it grows by `rest`. */
typedef struct {
    uint32_t whole, rest;
} adtm_turns;

ADTM_FUNCTION adtm_turns adtm_rota_turns(uint32_t q, uint32_t rate) {
    const uint64_t grown = (uint64_t)q * rate;
    adtm_turns turns;
    turns.whole = (uint32_t)(grown >> 32);
    turns.rest = (uint32_t)grown;
    return turns;
}

/* The updates until a word with the value `word` has wrapped around `turns` times. turns >= 1, rate >= 1. */
ADTM_FUNCTION uint64_t adtm_rota_wait(uint32_t word, uint32_t turns, uint32_t rate) {
    return (((uint64_t)turns << 32) - word + rate - 1) / rate;
}

#endif
