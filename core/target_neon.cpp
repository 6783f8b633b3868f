// The kernels for NEON; an empty table where the compiler was not asked for them.
#include "types.hpp"

#include <cstring>
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif
#if defined(__aarch64__)
#include <arm_neon.h>

namespace adtm::neon {
namespace {
#include "bits.inl"
#include "vec_neon.hpp"
#include "random.inl"
#include "weyl.inl"
#include "counter.inl"
#include "train.inl"
#include "infer.inl"
}  // namespace
}  // namespace adtm::neon

const adtm::Kernels adtm::kernels_neon = {"neon", neon::prepare8, neon::prepare16, neon::train8, neon::train16, neon::vote};
#else
const adtm::Kernels adtm::kernels_neon = {};
#endif
