// Which targets were compiled, which run on this CPU, and which one is used.
#pragma once
#include <string>
#include <vector>

#include "types.hpp"

namespace adtm {

// Names of the instruction sets that run here, fastest first.
std::vector<std::string> instruction_sets();

// The kernels of a target by name. An empty name stands for the environment variable ADTM_CPU, else for the fastest
// target. Throws std::invalid_argument for a target that does not run here.
const Kernels& kernels_for(const std::string& name);

}  // namespace adtm
