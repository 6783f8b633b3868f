/* A draw is a pure function of its coordinates. There is no state, so skipped steps cost nothing and any order gives
   the same bits. A key folds the coordinates into 64 bits; a word under a key has 32. adtm/machine/draws.py defines
   these functions. */
#ifndef ADTM_DRAWS_H
#define ADTM_DRAWS_H

#include "function.h"

/* What a draw decides: the first coordinate after the seed. */
enum {
    ADTM_START = 1,
    ADTM_SELECT = 2,
    ADTM_COIN = 3,
    ADTM_WEAK = 4,
    ADTM_OTHER_CLASS = 5,
    ADTM_SHUFFLE = 6,
    ADTM_PATCH = 9 /* 7 and 8 are no draws: the phases of the rota, the first weights of shared clauses */
};

ADTM_FUNCTION uint64_t adtm_mix64(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/* The key with one more coordinate. */
ADTM_FUNCTION uint64_t adtm_absorb(uint64_t key, uint64_t x) {
    return adtm_mix64(key + UINT64_C(0x9E3779B97F4A7C15) * (x + 1));
}

/* Word i under a key: two rounds of multiply and shift, each with one half of the key. */
ADTM_FUNCTION uint32_t adtm_word(uint64_t key, uint32_t i) {
    uint32_t x = i ^ (uint32_t)key;
    x = (x ^ (x >> 16)) * UINT32_C(0x21F0AAAD) + (uint32_t)(key >> 32);
    x = (x ^ (x >> 15)) * UINT32_C(0x735A2D97);
    return x ^ (x >> 15);
}

/* Coin i under a key, 1 or 0: 32 coins share a word. */
ADTM_FUNCTION uint32_t adtm_coin(uint64_t key, uint32_t i) { return adtm_word(key, i / 32) >> (i % 32) & 1; }

#endif
