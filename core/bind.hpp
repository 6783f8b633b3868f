// What the bindings share: types of arrays, and checks of what comes from Python.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "grid.hpp"
#include "bind_unlocked.hpp"

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
inline void require(bool holds, const std::string& what) { require(holds, what.c_str()); }

// A ledger as Python reads it, by the names of its counts.
inline nb::dict counts_of(const Ledger& ledger) {
    nb::dict counts;
#define ADTM_COUNT(name) counts[#name] = ledger.name;
    ADTM_LEDGER(ADTM_COUNT)
#undef ADTM_COUNT
    return counts;
}

template <class Element>
void check_n_states(uint32_t n_states) {
    require(n_states >= 1 && n_states <= (sizeof(Element) == 1 ? 128u : 32768u),
            "n_states does not fit the states' type");
}

// With these sizes every product fits 64 bits and every index 32.
inline void check_sizes(uint64_t n_banks, uint64_t n_clauses, uint64_t n_literals) {
    require(n_banks >= 1 && n_banks <= 65536, "n_banks must be in 1..65536");
    require(n_clauses >= 1 && n_clauses <= 65536, "n_clauses must be in 1..65536");
    require(n_literals >= 2 && n_literals <= (1u << 24) && n_literals % 2 == 0,
            "n_literals must be even and in 2..2^24");
}

inline void check_literals(const In<uint64_t, 2>& literals, uint32_t n_literals) {
    require(literals.shape(1) == (static_cast<size_t>(n_literals) + 511) / 512 * 8,
            "literals have the wrong number of words");
    require(literals.shape(0) <= UINT32_MAX, "too many samples for one call");
}

// The patches of images, from seven sizes: height, width, channels, height and width of a patch, pixels down and across
// to the next. None are no patches. The number of a patch, of a pixel and of a literal must fit 32 bits, and a literal
// of a patch the 16 bits of a list.
inline Grid read_grid(const In<uint32_t, 1>& sizes, uint64_t n_literals) {
    if (sizes.shape(0) == 0) return {};
    require(sizes.shape(0) == 7, "patches must be none, or seven sizes");
    uint64_t size[7];
    for (size_t i = 0; i < 7; ++i) {
        size[i] = sizes.data()[i];
        require(size[i] >= 1 && size[i] <= (1u << 24), "sizes of patches must be in 1..2^24");
    }
    const auto [height, width, channels, h, w, down, across] = size;
    require(h <= height && w <= width, "a patch must fit into its image");
    require(height * width <= (1u << 24) && height * width * channels <= (1u << 23),
            "images must have at most 2^23 bits");
    const uint64_t rows = (height - h) / down + 1, columns = (width - w) / across + 1;
    require(rows * columns <= (1u << 20), "an image must have at most 2^20 patches");
    require(n_literals == 2 * (h * w * channels + rows - 1 + columns - 1) && n_literals < 65472,
            "n_literals must be those of a patch, fewer than 65472");
    return grid_of(sizes.data()[0], sizes.data()[1], sizes.data()[2], sizes.data()[3], sizes.data()[4], sizes.data()[5],
                   sizes.data()[6]);
}

// Checks the shape, and that every vote fits 32 bits where a clause casts up to `most_votes`.
inline void check_weights(const In<int32_t, 3>& weights, size_t n_banks, size_t n_clauses, uint32_t most_votes) {
    require(most_votes >= 1 && most_votes <= 65535, "most_votes must be in 1..65535");
    require(weights.shape(0) == n_banks && weights.shape(1) >= 1 && weights.shape(1) <= 65536 &&
                weights.shape(2) == n_clauses,
            "weights must be (banks, outputs, clauses)");
    const int32_t* weight = weights.data();
    for (size_t row = 0; row < n_banks * weights.shape(1); ++row) {
        uint64_t most = 0;
        for (size_t j = 0; j < n_clauses; ++j, ++weight)
            most += static_cast<uint64_t>(*weight < 0 ? -int64_t{*weight} : *weight);
        require(most <= INT32_MAX / most_votes,
                "weights of an output times most_votes must not add up to more than 2^31 - 1");
    }
}

}  // namespace adtm
