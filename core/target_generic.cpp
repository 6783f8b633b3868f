// The kernels for any CPU.
#include "simd/vec_generic.hpp"
#include "kernels.hpp"

constinit const adtm::Kernels adtm::kernels_generic = adtm::generic::kernels("generic");
