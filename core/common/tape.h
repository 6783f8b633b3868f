/* The coin tape of a clause with n automata: in a cycle of d updates each automaton tosses once, in order, evenly spread.
   Update u tosses for the automata floor(r n / d) .. floor((r + 1) n / d) - 1 with r = u mod d. */
#ifndef ADTM_TAPE_H
#define ADTM_TAPE_H

#include "function.h"

/* Automata from .. to - 1 toss with the coins of one cycle. */
typedef struct {
    uint64_t cycle;
    uint64_t updates; /* how many of the updates are in this cycle */
    uint32_t from, to;
} adtm_stretch;

/* Who tosses in those of the updates u .. u + q - 1 that are in the cycle of u. */
ADTM_FUNCTION adtm_stretch adtm_tape(uint64_t u, uint64_t q, uint64_t d, uint32_t n) {
    adtm_stretch stretch;
    const uint64_t cycle = d == 1 ? u : u / d, r = u - cycle * d, here = q < d - r ? q : d - r;
    stretch.cycle = cycle;
    stretch.updates = here;
    stretch.from = r == 0 ? 0 : (uint32_t)(r * n / d);
    stretch.to = r + here == d ? n : (uint32_t)((r + here) * n / d);
    return stretch;
}

/* The inverse: the update of a cycle, 0 .. d - 1, at which automaton k tosses. */
ADTM_FUNCTION uint64_t adtm_toss_of(uint32_t k, uint64_t d, uint32_t n) { return ((uint64_t)(k + 1) * d - 1) / n; }

#endif
