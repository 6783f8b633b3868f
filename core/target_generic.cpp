// The kernels for any CPU.
#include "types.hpp"

#include <cstring>
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

namespace adtm::generic {
namespace {
#include "bits.inl"
#include "vec_generic.hpp"
#include "random.inl"
#include "weyl.inl"
#include "counter.inl"
#include "train.inl"
#include "infer.inl"
}  // namespace
}  // namespace adtm::generic

const adtm::Kernels adtm::kernels_generic = {"generic", generic::prepare8, generic::prepare16, generic::train8, generic::train16, generic::vote};
