// The kernels for AVX2; an empty table where the compiler was not asked for them.
#include "types.hpp"

#include <cstring>
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif
#if defined(__AVX2__)
#include <immintrin.h>

namespace adtm::avx2 {
namespace {
#include "bits.inl"
#include "vec_avx2.hpp"
#include "random.inl"
#include "weyl.inl"
#include "counter.inl"
#include "train.inl"
#include "infer.inl"
}  // namespace
}  // namespace adtm::avx2

const adtm::Kernels adtm::kernels_avx2 = {"avx2", avx2::prepare8, avx2::prepare16, avx2::train8, avx2::train16, avx2::vote};
#else
const adtm::Kernels adtm::kernels_avx2 = {};
#endif
