// The kernels for AVX-512; an empty table where the compiler was not asked for them.
#include "types.hpp"

#include <cstring>
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif
#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include <immintrin.h>

namespace adtm::avx512 {
namespace {
#include "bits.inl"
#include "vec_avx512.hpp"
#include "random.inl"
#include "weyl.inl"
#include "counter.inl"
#include "train.inl"
#include "infer.inl"
}  // namespace
}  // namespace adtm::avx512

const adtm::Kernels adtm::kernels_avx512 = {"avx512", avx512::prepare8, avx512::prepare16, avx512::train8, avx512::train16, avx512::vote};
#else
const adtm::Kernels adtm::kernels_avx512 = {};
#endif
