// The kernels for NEON; an empty table where the compiler was not asked for them.
#include "types.hpp"

#if defined(__aarch64__)
#include "simd/vec_neon.hpp"
#include "kernels.hpp"
constinit const adtm::Kernels adtm::kernels_neon = adtm::neon::kernels("neon");
#else
constinit const adtm::Kernels adtm::kernels_neon = {};
#endif
