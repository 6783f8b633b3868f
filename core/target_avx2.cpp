// The kernels for AVX2; an empty table where the compiler was not asked for them.
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
#if defined(__AVX2__)
#include <immintrin.h>

namespace adtm::avx2 {
namespace {
#include "simd/bits.inl"
#include "simd/vec_avx2.hpp"
#include "kernels.inl"
constexpr Kernels kTable = ADTM_KERNELS("avx2");
}  // namespace
}  // namespace adtm::avx2

const adtm::Kernels adtm::kernels_avx2 = adtm::avx2::kTable;
#else
const adtm::Kernels adtm::kernels_avx2 = {};
#endif
