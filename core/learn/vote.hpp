// Rule 2, vote: the sum of the weights of the clauses that fire. Each member of a team has the votes of its own clauses
// for all steps of the window; members add them up when they meet (team.hpp).
#pragma once
#include "learner.hpp"

namespace adtm::ADTM_TARGET {
namespace {

template <class Kind> void Learner<Kind>::add_votes(uint32_t block, const uint64_t* fired) {
    if (set.n_outputs == 1 && bank.unit[block] != 0) {
        const uint64_t plus = bank.positive[block];
        for (uint32_t i = 0; i < size; ++i)
            votes[i] +=
                static_cast<int32_t>(2 * count_bits(fired[i] & plus)) - static_cast<int32_t>(count_bits(fired[i]));
        return;
    }
    for (uint32_t i = 0; i < size; ++i) {
        const int32_t* weights = bank.weights + static_cast<size_t>(output(i)) * set.n_clauses + 64 * block;
        int32_t sum = 0;
        for (uint64_t rest = fired[i]; rest != 0; rest &= rest - 1) sum += weights[lowest_bit(rest)];
        votes[i] += sum;
    }
}

}  // namespace
}  // namespace adtm::ADTM_TARGET
