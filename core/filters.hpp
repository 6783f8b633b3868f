// Bits of pictures: filters of whole numbers over the pixels, compared with thresholds, written as literals. The
// definition is src/adtm/tables/filters.py; the bits are the same.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pack.hpp"

namespace adtm::pack {

/// A plane: weights along a row and along a column, both of the same odd size, and that of the pixel itself.
struct Plane {
    std::vector<std::int32_t> across, down;
    std::int32_t centre;
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

/// Bit (channel * n_bits + k) * height * width + pixel of row i is bit k of that pixel in picture i. The rows are 0
/// before. Bits of one plane stand together.
void picture_bits(const Pictures& pictures, const std::vector<Plane>& planes, const std::vector<PixelBit>& bits,
                  const Words& words);

}  // namespace adtm::pack
