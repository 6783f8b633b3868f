// The kernels for any CPU.
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

namespace adtm::generic {
namespace {
#include "simd/bits.inl"
#include "simd/vec_generic.hpp"
#include "kernels.inl"
constexpr Kernels kTable = ADTM_KERNELS("generic");
}  // namespace
}  // namespace adtm::generic

const adtm::Kernels adtm::kernels_generic = adtm::generic::kTable;
