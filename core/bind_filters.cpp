// Binds the bits of pictures: it checks sizes and numbers, releases the GIL and calls filters.cpp.
#include <algorithm>
#include <cstdlib>

#include "bind.hpp"
#include "filters.hpp"
#include "threads.hpp"

using namespace nanobind::literals;
using namespace adtm;

namespace {

// The largest value of a plane must fit 31 bits, so that no sum and no sign can leave 32.
void check_plane(const pack::Plane& plane, const pack::Grid& grid) {
    require(plane.mix >= -1 && plane.mix < 2 + pack::kDirections, "a plane must have a mix in -1..9");
    require(plane.across.size() % 2 == 1 && plane.across.size() == plane.down.size() && plane.across.size() <= 255,
            "a plane must have as many weights across as down, an odd number up to 255");
    const auto total = [](const std::vector<int32_t>& weights) {
        double sum = 0;
        for (const int32_t weight : weights) sum += std::abs(static_cast<double>(weight));
        return sum;
    };
    const double pixels = plane.summed() ? static_cast<double>(grid.pool * grid.pool) : 1;
    const double most = total(plane.across) * total(plane.down) + std::abs(static_cast<double>(plane.centre));
    require(255 * most * (plane.mix == 0 ? 1 : 2) * pixels < 0x1p31, "the values of a plane must fit 32 bits");
}

void pack_pictures(In<uint8_t, 4> images, const std::vector<std::vector<int32_t>>& across,
                   const std::vector<std::vector<int32_t>>& down, const std::vector<int32_t>& centres,
                   const std::vector<int32_t>& mixes, In<int32_t, 2> bits, uint32_t pool, uint32_t stride,
                   Out<uint64_t, 2> words, uint32_t n_jobs) {
    require(n_jobs >= 1, "n_jobs must be at least 1");
    const pack::Grid grid{pool, stride};
    require(grid.pool >= 1 && grid.pool <= 4096 && grid.stride >= 1 && grid.stride <= 4096,
            "pool and stride must be in 1..4096");
    require(across.size() == down.size() && across.size() == centres.size() && across.size() == mixes.size(),
            "each plane must have all its weights");
    std::vector<pack::Plane> planes;
    for (size_t k = 0; k < across.size(); ++k)
        check_plane(planes.emplace_back(across[k], down[k], centres[k], mixes[k]), grid);
    require(bits.shape(1) == 4, "a bit must be plane, sign, number and whether it is a quantile");
    std::vector<pack::PixelBit> asked;
    for (size_t k = 0; k < bits.shape(0); ++k) {
        const int32_t* bit = bits.data() + 4 * k;
        require(bit[0] >= 0 && static_cast<size_t>(bit[0]) < planes.size(), "a bit must name a plane");
        require(bit[1] == 1 || bit[1] == -1, "a sign must be 1 or -1");
        require(bit[3] == 0 || (bit[3] == 1 && bit[2] >= 0 && bit[2] <= 1000), "a quantile must be in 0..1000");
        asked.push_back({static_cast<uint32_t>(bit[0]), bit[1], bit[2], bit[3] == 1});
    }
    const pack::Pictures pictures{images.data(), images.shape(0), images.shape(1), images.shape(2), images.shape(3)};
    require(pictures.height >= 1 && pictures.width >= 1 && pictures.channels >= 1, "a picture must have pixels");
    require(pictures.height <= (1u << 12) && pictures.width <= (1u << 12) && pictures.channels <= 64,
            "a picture must have at most 4096 x 4096 pixels of 64 channels");
    const size_t n_bits = grid.places(pictures.height) * grid.places(pictures.width) * pictures.channels * asked.size();
    require(words.shape(0) == pictures.n_pictures && n_bits <= words.shape(1) * 64, "words must hold all bits");
    const pack::Words rows{words.data(), words.shape(0), words.shape(1)};
    constexpr size_t kPictures = 16;  // one thread takes so many at a time
    Unlocked unlocked;
    for_each_unit((rows.n_rows + kPictures - 1) / kPictures, n_jobs, [&](uint64_t unit, uint32_t) {
        const size_t begin = kPictures * unit, end = std::min(begin + kPictures, rows.n_rows);
        pack::picture_bits(pictures.part(begin, end), planes, asked, grid, rows.part(begin, end));
    });
}

}  // namespace

void bind_filters(nb::module_& m) {
    m.def("pack_pictures", &pack_pictures, "images"_a.noconvert(), "across"_a, "down"_a, "centres"_a, "mixes"_a,
          "bits"_a.noconvert(), "pool"_a, "stride"_a, "words"_a.noconvert(), "n_jobs"_a = 1,
          "Write the bits (plane, sign, number, is a quantile) of places of images (n, height, width, channels).");
}
