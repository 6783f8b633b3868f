// The variants that the core knows of each rule of the step, by the names that the reference's tables have for them.
// What is not listed here is refused by the native backend and can be had from the reference.
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

// One variant each: whose turn it is to toss a coin, a strong jump past the last state, an empty clause while predicting.
constexpr const char* kTapeNames[] = {"clocks"};
constexpr const char* kJumpNames[] = {"clamped"};
constexpr const char* kEmptyNames[] = {"silent"};

}  // namespace adtm
