// The kernels for AVX2; an empty table where the compiler was not asked for them.
#include "types.hpp"

#if defined(__AVX2__)
#include "simd/vec_avx2.hpp"
#include "kernels.hpp"
constinit const adtm::Kernels adtm::kernels_avx2 = adtm::avx2::kernels("avx2");
#else
constinit const adtm::Kernels adtm::kernels_avx2 = {};
#endif
