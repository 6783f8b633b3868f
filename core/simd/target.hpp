// The CPU target that is compiled: the name of its namespace, ADTM_TARGET, and its vector types. Every file that is
// compiled once for each target includes this one and opens that namespace.
//
// The .cpp of a target includes its vec_NAME.hpp first, which names it. A file that an editor opens alone has no
// target, and gets the generic one. tests/test_core_hygiene.py checks that this happens to no target.
#pragma once
#ifndef ADTM_TARGET
#include "vec_generic.hpp"
#endif
