// Bits of pictures: filters of whole numbers over the pixels, compared with thresholds, written as literals. The
// definition is src/adtm/tables/filters.py; the bits are the same.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pack.hpp"

namespace adtm::pack {

constexpr std::int32_t kDirections = 8;

/// A plane: weights along a row and along a column, both of the same odd size, and that of the pixel itself. `mix` adds
/// (1) or subtracts (-1) the filter with rows and columns exchanged; 2 + k is the strength of edges of direction k,
/// summed over the pixels of a place.
struct Plane {
    std::vector<std::int32_t> across, down;
    std::int32_t centre, mix;

    bool summed() const { return mix >= 2; }
};

/// The places that have bits: every stride-th pixel of every stride-th row. Each stands for pool x pool
/// pixels, from pool / 2 before it on, as far as there are any.
struct Grid {
    std::size_t pool, stride;

    std::size_t places(std::size_t pixels) const { return (pixels + stride - 1) / stride; }
};

/// Whether sign * value > number; with `quantile`, the number is one of thousandths of the picture's values above 0.
struct PixelBit {
    std::uint32_t plane;
    std::int32_t sign, number;
    bool quantile;
};

/// Pictures of one size, their numbers in the order row, column, channel.
struct Pictures {
    const std::uint8_t* data;
    std::size_t n_pictures, height, width, channels;

    Pictures part(std::size_t begin, std::size_t end) const {
        return {data + begin * height * width * channels, end - begin, height, width, channels};
    }
};

/// Bit (channel * n_bits + k) * n_places + place of row i is bit k of that place in picture i. The rows are 0 before.
/// Bits of one plane stand together.
void picture_bits(const Pictures& pictures, const std::vector<Plane>& planes, const std::vector<PixelBit>& bits,
                  const Grid& grid, const Words& words);

}  // namespace adtm::pack
