// The variants that the core knows of each rule of the step, with the names that the reference has for them. The native
// backend refuses all others, and the reference has them.
// A field of Settings (src/adtm/machine/settings.py) that names a rule has an enum and a table of names here.
#pragma once
#include <cstdint>

namespace adtm {

enum class Selection : uint32_t { random, weyl };
constexpr const char* kSelectionNames[] = {"random", "weyl"};

enum class Goal : uint32_t { to_class, to_value };
constexpr const char* kGoalNames[] = {"class", "value"};

enum class Weak : uint32_t { every, rota, bernoulli };
constexpr const char* kWeakNames[] = {"every", "rota", "bernoulli"};

enum class Weights : uint32_t { fixed, sided, free };
constexpr const char* kWeightsNames[] = {"fixed", "sided", "free"};

// Rules of which the core knows one variant: who tosses a coin, what becomes of a strong move past the last state, what
// an empty clause says while predicting.
enum class Tape : uint32_t { clocks };
constexpr const char* kTapeNames[] = {"clocks"};
enum class Jump : uint32_t { clamped };
constexpr const char* kJumpNames[] = {"clamped"};
enum class Empty : uint32_t { silent };
constexpr const char* kEmptyNames[] = {"silent"};

}  // namespace adtm
