// See filters.hpp.
#include "filters.hpp"

#include <algorithm>
#include <cstring>

namespace adtm::pack {
namespace {

/// One channel of a picture, its planes, and room for them.
class Canvas {
  public:
    Canvas(std::size_t height, std::size_t width, std::size_t reach)
        : height_(height),
          width_(width),
          reach_(reach),
          padded_((height + 2 * reach) * (width + 2 * reach)),
          rows_((height + 2 * reach) * width),
          values_(height * width) {}

    /// Takes a channel; beyond the border is the nearest pixel.
    void take(const std::uint8_t* pixels, std::size_t channels) {
        const std::size_t wide = width_ + 2 * reach_;
        for (std::size_t y = 0; y < height_ + 2 * reach_; ++y) {
            const std::size_t row = inside(y, height_);
            for (std::size_t x = 0; x < wide; ++x)
                padded_[y * wide + x] = pixels[(row * width_ + inside(x, width_)) * channels];
        }
    }

    const std::vector<std::int32_t>& plane(const Plane& plane) {
        const std::size_t wide = width_ + 2 * reach_, r = plane.across.size() / 2, skip = reach_ - r;
        std::fill(rows_.begin(), rows_.end(), 0);
        for (std::size_t y = skip; y < height_ + 2 * reach_ - skip; ++y)
            for (std::size_t j = 0; j < plane.across.size(); ++j)
                add(&rows_[y * width_], &padded_[y * wide + skip + j], plane.across[j]);
        for (std::size_t y = 0; y < height_; ++y) {
            std::int32_t* out = &values_[y * width_];
            std::fill_n(out, width_, 0);
            add(out, &padded_[(y + reach_) * wide + reach_], plane.centre);
            for (std::size_t i = 0; i < plane.down.size(); ++i)
                add(out, &rows_[(y + skip + i) * width_], plane.down[i]);
        }
        return values_;
    }

  private:
    std::size_t inside(std::size_t place, std::size_t size) const {
        return place < reach_ ? 0 : std::min(place - reach_, size - 1);
    }

    void add(std::int32_t* to, const std::int32_t* from, std::int32_t weight) const {
        if (weight == 0) return;
        for (std::size_t x = 0; x < width_; ++x) to[x] += weight * from[x];
    }

    const std::size_t height_, width_, reach_;
    std::vector<std::int32_t> padded_, rows_, values_;
};

/// The values of a plane above 0 under a sign, in ascending order.
class Above {
  public:
    void of(const std::vector<std::int32_t>& values, std::int32_t sign) {
        sorted_.clear();
        for (const std::int32_t value : values)
            if (sign * value > 0) sorted_.push_back(sign * value);
        std::sort(sorted_.begin(), sorted_.end());
    }
    std::int32_t quantile(std::int32_t thousandths) const {
        return sorted_.empty() ? 0 : sorted_[(sorted_.size() - 1) * static_cast<std::size_t>(thousandths) / 1000];
    }

  private:
    std::vector<std::int32_t> sorted_;
};

/// Writes sign * value > threshold to bits first, first + 1, ... of a row of zeros.
void put_larger(const std::vector<std::int32_t>& values, std::int32_t sign, std::int32_t threshold, std::size_t first,
                std::uint64_t* row) {
    for (std::size_t at = 0; at < values.size(); at += 64) {
        const std::size_t here = std::min<std::size_t>(64, values.size() - at);
        std::uint8_t flags[64] = {};
        for (std::size_t k = 0; k < here; ++k) flags[k] = sign * values[at + k] > threshold;
        std::uint64_t word = 0;
        for (std::size_t part = 0; part < 8; ++part) word |= eight_flags(flags + 8 * part) << (8 * part);
        deposit(row, first + at, word, here);
    }
}

}  // namespace

void picture_bits(const Pictures& pictures, const std::vector<Plane>& planes, const std::vector<PixelBit>& bits,
                  const Words& words) {
    const std::size_t n_pixels = pictures.height * pictures.width;
    std::size_t reach = 0;
    for (const Plane& plane : planes) reach = std::max(reach, plane.across.size() / 2);
    Canvas canvas(pictures.height, pictures.width, reach);
    Above above;
    for (std::size_t i = 0; i < pictures.n_pictures; ++i)
        for (std::size_t channel = 0; channel < pictures.channels; ++channel) {
            canvas.take(pictures.data + i * n_pixels * pictures.channels + channel, pictures.channels);
            const std::vector<std::int32_t>* values = nullptr;
            std::uint32_t plane = ~std::uint32_t{0};
            std::int32_t sorted_sign = 0;  // of the values that `above` holds; 0: of another plane
            for (std::size_t k = 0; k < bits.size(); ++k) {
                const PixelBit& bit = bits[k];
                if (bit.plane != plane) values = &canvas.plane(planes[plane = bit.plane]), sorted_sign = 0;
                if (bit.quantile && bit.sign != sorted_sign) above.of(*values, sorted_sign = bit.sign);
                const std::int32_t threshold = bit.quantile ? above.quantile(bit.number) : bit.number;
                put_larger(*values, bit.sign, threshold, (channel * bits.size() + k) * n_pixels, words.row(i));
            }
        }
}

}  // namespace adtm::pack
