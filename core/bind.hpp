// What the bindings share: array types, and checks at the door.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace adtm {

namespace nb = nanobind;

template <class T, int dims>
using In = nb::ndarray<const T, nb::ndim<dims>, nb::c_contig, nb::device::cpu>;
template <class T, int dims>
using Out = nb::ndarray<T, nb::ndim<dims>, nb::c_contig, nb::device::cpu>;
template <class T, int dims>
using Made = nb::ndarray<nb::numpy, T, nb::ndim<dims>>;

inline void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

// Sizes that keep every product inside 64 bits and every index inside 32.
inline void check_sizes(uint64_t n_banks, uint64_t n_clauses, uint64_t n_literals) {
    require(n_banks >= 1 && n_banks <= 65536, "n_banks must be in 1..65536");
    require(n_clauses >= 1 && n_clauses <= 65536, "n_clauses must be in 1..65536");
    require(n_literals >= 2 && n_literals <= (1u << 24) && n_literals % 2 == 0, "n_literals must be even and in 2..2^24");
}

}  // namespace adtm
