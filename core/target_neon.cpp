// The kernels for NEON; an empty table where the compiler was not asked for them.
#include "common/draws.h"
#include "common/goal.h"
#include "common/rota.h"
#include "common/tape.h"
#include "common/weyl.h"
#include "types.hpp"

#include <cstring>
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif
#if defined(__aarch64__)
#include <arm_neon.h>

namespace adtm::neon {
namespace {
#include "simd/bits.inl"
#include "simd/vec_neon.hpp"
#include "kernels.inl"
constexpr Kernels kTable = ADTM_KERNELS("neon");
}  // namespace
}  // namespace adtm::neon

const adtm::Kernels adtm::kernels_neon = adtm::neon::kTable;
#else
const adtm::Kernels adtm::kernels_neon = {};
#endif
