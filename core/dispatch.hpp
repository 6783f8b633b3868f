// Which targets were compiled, which run on this CPU, and which was asked for.
#pragma once
#include <string>
#include <vector>

#include "types.hpp"

namespace adtm {

// Names of the targets that run here, fastest first.
std::vector<std::string> available_targets();

// The kernels of a target by name; empty: the environment variable ADTM_TARGET, else the fastest.
// Throws std::invalid_argument for a name that does not run here.
const Kernels& kernels_for(const std::string& name);

}  // namespace adtm
