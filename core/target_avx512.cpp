// The kernels for AVX-512; an empty table where the compiler was not asked for them.
#include "types.hpp"

#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include "simd/vec_avx512.hpp"
#include "kernels.hpp"
constinit const adtm::Kernels adtm::kernels_avx512 = adtm::avx512::kernels("avx512");
#else
constinit const adtm::Kernels adtm::kernels_avx512 = {};
#endif
