// See filters.hpp.
#include "filters.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace adtm::pack {
namespace {

/// The number of the direction in which a picture rises; the border between two has a slope of 5 / 12.
std::int32_t direction(std::int64_t right, std::int64_t down) {
    const std::int64_t x = std::abs(right), y = std::abs(down);
    if (12 * y < 5 * x) return right > 0 ? 0 : 4;
    if (12 * x < 5 * y) return down > 0 ? 2 : 6;
    return down > 0 ? (right > 0 ? 1 : 3) : (right > 0 ? 7 : 5);
}

/// The pixels of the places of a grid, joined two by two: first those of a row, then the rows.
template <class T, class Join>
void pool(const std::vector<T>& pixels, std::size_t height, std::size_t width, const Grid& grid, std::vector<T>& rows,
          std::vector<T>& out, Join join) {
    const std::size_t across = grid.places(width), down = grid.places(height), before = grid.pool / 2;
    const auto each = [&](std::size_t place, std::size_t size, auto visit) {
        const std::size_t at = place * grid.stride, end = std::min(size, at + grid.pool - before);
        for (std::size_t k = at < before ? 0 : at - before; k < end; ++k) visit(k);
    };
    rows.assign(height * across, T{0});
    out.assign(down * across, T{0});
    for (std::size_t y = 0; y < height; ++y)
        for (std::size_t x = 0; x < across; ++x)
            each(x, width, [&](std::size_t k) { join(rows[y * across + x], pixels[y * width + k]); });
    for (std::size_t y = 0; y < down; ++y)
        each(y, height, [&](std::size_t k) {
            for (std::size_t x = 0; x < across; ++x) join(out[y * across + x], rows[k * across + x]);
        });
}

/// One channel of a picture, its planes, and room for them.
class Canvas {
  public:
    Canvas(std::size_t height, std::size_t width, std::size_t reach, const Grid& grid)
        : height_(height),
          width_(width),
          reach_(reach),
          grid_(grid),
          padded_((height + 2 * reach) * (width + 2 * reach)),
          rows_((height + 2 * reach) * width),
          values_(height * width),
          others_(height * width) {}

    /// Takes a channel; beyond the border is the nearest pixel.
    void take(const std::uint8_t* pixels, std::size_t channels) {
        const std::size_t wide = width_ + 2 * reach_;
        for (std::size_t y = 0; y < height_ + 2 * reach_; ++y) {
            const std::size_t row = inside(y, height_);
            for (std::size_t x = 0; x < wide; ++x)
                padded_[y * wide + x] = pixels[(row * width_ + inside(x, width_)) * channels];
        }
    }

    /// The values of the pixels or, of a plane that is summed, of the places.
    const std::vector<std::int32_t>& plane(const Plane& plane) {
        filter(plane.across, plane.down, plane.centre, values_);
        if (plane.mix == 0) return values_;
        filter(plane.down, plane.across, plane.centre, others_);
        if (!plane.summed()) {
            for (std::size_t k = 0; k < values_.size(); ++k) values_[k] += plane.mix * others_[k];
            return values_;
        }
        for (std::size_t k = 0; k < values_.size(); ++k) {
            const bool here = direction(values_[k], others_[k]) == plane.mix - 2;
            others_[k] = here ? std::abs(values_[k]) + std::abs(others_[k]) : 0;
        }
        pool(others_, height_, width_, grid_, pooled_, sums_, [](std::int32_t& to, std::int32_t from) { to += from; });
        return sums_;
    }

  private:
    void filter(const std::vector<std::int32_t>& across, const std::vector<std::int32_t>& down, std::int32_t centre,
                std::vector<std::int32_t>& values) {
        const std::size_t wide = width_ + 2 * reach_, r = across.size() / 2, skip = reach_ - r;
        std::fill(rows_.begin(), rows_.end(), 0);
        for (std::size_t y = skip; y < height_ + 2 * reach_ - skip; ++y)
            for (std::size_t j = 0; j < across.size(); ++j)
                add(&rows_[y * width_], &padded_[y * wide + skip + j], across[j]);
        for (std::size_t y = 0; y < height_; ++y) {
            std::int32_t* out = &values[y * width_];
            std::fill_n(out, width_, 0);
            add(out, &padded_[(y + reach_) * wide + reach_], centre);
            for (std::size_t i = 0; i < down.size(); ++i) add(out, &rows_[(y + skip + i) * width_], down[i]);
        }
    }

    std::size_t inside(std::size_t place, std::size_t size) const {
        return place < reach_ ? 0 : std::min(place - reach_, size - 1);
    }

    void add(std::int32_t* to, const std::int32_t* from, std::int32_t weight) const {
        if (weight == 0) return;
        for (std::size_t x = 0; x < width_; ++x) to[x] += weight * from[x];
    }

    const std::size_t height_, width_, reach_;
    const Grid grid_;
    std::vector<std::int32_t> padded_, rows_, values_, others_, pooled_, sums_;
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

/// Flags of the places of a picture, and room for them.
class Flags {
  public:
    Flags(std::size_t height, std::size_t width, const Grid& grid) : height_(height), width_(width), grid_(grid) {}

    /// Whether sign * value > threshold at each place, or at one of its pixels.
    const std::vector<std::uint8_t>& larger(const std::vector<std::int32_t>& values, std::int32_t sign,
                                            std::int32_t threshold, bool of_places) {
        flags_.resize(values.size());
        for (std::size_t k = 0; k < values.size(); ++k) flags_[k] = sign * values[k] > threshold;
        if (of_places || (grid_.pool == 1 && grid_.stride == 1)) return flags_;
        pool(flags_, height_, width_, grid_, rows_, pooled_, [](std::uint8_t& to, std::uint8_t from) { to |= from; });
        return pooled_;
    }

  private:
    const std::size_t height_, width_;
    const Grid grid_;
    std::vector<std::uint8_t> flags_, rows_, pooled_;
};

/// Writes flags to bits first, first + 1, ... of a row of zeros.
void put(const std::vector<std::uint8_t>& flags, std::size_t first, std::uint64_t* row) {
    for (std::size_t at = 0; at < flags.size(); at += 64) {
        const std::size_t here = std::min<std::size_t>(64, flags.size() - at);
        std::uint8_t some[64] = {};
        std::copy_n(&flags[at], here, some);
        std::uint64_t word = 0;
        for (std::size_t part = 0; part < 8; ++part) word |= eight_flags(some + 8 * part) << (8 * part);
        deposit(row, first + at, word, here);
    }
}

}  // namespace

void picture_bits(const Pictures& pictures, const std::vector<Plane>& planes, const std::vector<PixelBit>& bits,
                  const Grid& grid, const Words& words) {
    const std::size_t n_pixels = pictures.height * pictures.width;
    const std::size_t n_places = grid.places(pictures.height) * grid.places(pictures.width);
    std::size_t reach = 0;
    for (const Plane& plane : planes) reach = std::max(reach, plane.across.size() / 2);
    Canvas canvas(pictures.height, pictures.width, reach, grid);
    Flags flags(pictures.height, pictures.width, grid);
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
                put(flags.larger(*values, bit.sign, threshold, planes[plane].summed()),
                    (channel * bits.size() + k) * n_places, words.row(i));
            }
        }
}

}  // namespace adtm::pack
