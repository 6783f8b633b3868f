/* How this folder declares functions. They are C99 and need <stdint.h> alone: no state, no heap, no intrinsics. So the
   C++ core, a CUDA kernel and a generated C program compute with the same text. */
#ifndef ADTM_FUNCTION_H
#define ADTM_FUNCTION_H

#include <stdint.h>

#ifdef __CUDACC__
#define ADTM_FUNCTION static __host__ __device__ inline
#else
#define ADTM_FUNCTION static inline
#endif

#endif
