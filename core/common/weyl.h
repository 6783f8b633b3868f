/* Evenly spread words in place of drawn ones: multiples of a constant, modulo 2^32. adtm/machine/weyl.py defines them,
   docs/determinism/theory.md explains them. */
#ifndef ADTM_WEYL_H
#define ADTM_WEYL_H

#include "function.h"

#define ADTM_WEYL_CLAUSE UINT32_C(0xCF1BBCDD)
#define ADTM_WEYL_STEP UINT32_C(0x6A09E667)
#define ADTM_WEYL_SAMPLE UINT32_C(0x9E3779B9)

/* The selection word of clause 0 at a step of its bank. The word of clause j is j * ADTM_WEYL_CLAUSE more. */
ADTM_FUNCTION uint32_t adtm_weyl_selection(uint64_t step) { return (uint32_t)step * ADTM_WEYL_STEP; }

/* The word by which clause j chooses a patch when its clock says u. */
ADTM_FUNCTION uint32_t adtm_weyl_patch(uint32_t j, uint64_t u) {
    return j * ADTM_WEYL_CLAUSE + (uint32_t)u * ADTM_WEYL_SAMPLE;
}

#endif
