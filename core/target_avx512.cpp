// The kernels for AVX-512; an empty table where the compiler was not asked for them.
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
#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include <immintrin.h>

namespace adtm::avx512 {
namespace {
#include "simd/bits.inl"
#include "simd/vec_avx512.hpp"
#include "kernels.inl"
constexpr Kernels kTable = ADTM_KERNELS("avx512");
}  // namespace
}  // namespace adtm::avx512

const adtm::Kernels adtm::kernels_avx512 = adtm::avx512::kTable;
#else
const adtm::Kernels adtm::kernels_avx512 = {};
#endif
