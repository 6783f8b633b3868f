// The steps of an epoch: sorting samples into their order, and steps into the streams of their banks.
#pragma once
#include <cstddef>
#include <cstdint>

namespace adtm {

// order[i] is the index of the i-th smallest key; of equal keys the one with the smaller index comes first.
void sorted_order(const uint64_t* keys, size_t n, uint32_t* order);

// The samples of each class meet the other classes in turn, n_others at a time, the first ones from place `begin` on in
// the circle of the others: writes others [n_others][n]. Each own[i] must be below n_classes, n_others and begin as well.
void rotating_others(const uint32_t* own, size_t n, size_t n_others, uint32_t n_classes, uint32_t begin,
                     uint32_t* others);

// Sample i, which is row order[i], is a step of bank own[i] with target 1, and a step of each of the banks others[0][i]
// .. others[n_others - 1][i] with target 0. Writes the rows and targets of these n * (1 + n_others) steps, bank by bank
// and in the order of the samples, and where each bank begins: offsets [n_banks + 1]. All banks must be below n_banks.
void class_streams(const uint32_t* order, const uint32_t* own, const uint32_t* others, size_t n, size_t n_others,
                   uint32_t n_banks, uint32_t* rows, int32_t* targets, uint64_t* offsets);

}  // namespace adtm
