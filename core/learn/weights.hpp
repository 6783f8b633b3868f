// Rule 6, weights: what a clause adds to a vote when it fires, for each output of the bank; the sign is the polarity.
// "fixed" weights never change. Others go one up or down where the clause learned and fired: "sided" weights keep their
// sign, "free" weights go through 0.
#pragma once
#include "learner.hpp"

namespace adtm::ADTM_TARGET {
namespace {

// The output that learns at step i of the window.
template <class Kind> uint32_t Learner<Kind>::output(uint32_t i) const {
    return set.n_outputs == 1 ? 0 : job.stream.outputs[first + i];
}

template <class Kind> int32_t Learner<Kind>::weight(uint32_t i, uint32_t j) const {
    return bank.weights[static_cast<size_t>(output(i)) * set.n_clauses + j];
}

// The clauses of a block whose weight for that output is at least 0.
template <class Kind> uint64_t Learner<Kind>::positive(uint32_t i, uint32_t block) const {
    return bank.positive[static_cast<size_t>(output(i)) * shape.clause_blocks + block];
}

template <class Kind> int32_t Learner<Kind>::moved_weight(int32_t weight, bool up) const {
    const int64_t most = set.largest_weight, to = int64_t{weight} + (up ? 1 : -1);
    const bool sided = set.weights == Weights::sided;
    const int64_t low = sided && weight >= 0 ? 1 : -most, high = sided && weight < 0 ? -1 : most;
    return static_cast<int32_t>(to < low ? low : to > high ? high : to);
}

// Move the weights of these clauses of a block, which learn from step i and fire there, and correct their votes in the
// rest of the window. The outputs stay, so nothing is evaluated again.
template <class Kind> void Learner<Kind>::move_weights(uint32_t i, bool up, uint32_t block, uint64_t clauses) {
    const uint32_t c = output(i);
    int32_t* const weights = bank.weights + static_cast<size_t>(c) * set.n_clauses;
    uint64_t& signs = bank.positive[static_cast<size_t>(c) * shape.clause_blocks + block];
    uint8_t& unit = bank.unit[static_cast<size_t>(c) * shape.clause_blocks + block];
    for (; clauses != 0; clauses &= clauses - 1) {
        const uint32_t j = 64 * block + lowest_bit(clauses);
        const int32_t before = weights[j], after = moved_weight(before, up);
        if (after == before) continue;
        weights[j] = after;
        const uint64_t bit = clauses & (~clauses + 1);
        signs = after >= 0 ? signs | bit : signs & ~bit;
        if (after != 1 && after != -1) unit = 0;
        if (sees_patches()) continue;  // later steps are not evaluated yet
        for (uint64_t rest = scratch.outputs[j] & bit_range(i + 1, size); rest != 0; rest &= rest - 1) {
            const uint32_t at = lowest_bit(rest);
            if (output(at) != c) continue;
            votes[at] += (after - before) * (tolerant ? counts(j)[at] : 1);
        }
    }
}

}  // namespace
}  // namespace adtm::ADTM_TARGET
