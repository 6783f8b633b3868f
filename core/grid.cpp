#include "grid.hpp"

namespace adtm {
namespace {

size_t words_of(const Grid& grid, size_t bits) { return grid.n_patches == 0 ? 0 : bits / 64 + 2; }

}  // namespace

Grid grid_of(uint32_t height, uint32_t width, uint32_t channels, uint32_t patch_height, uint32_t patch_width,
             uint32_t down, uint32_t across) {
    Grid grid{};
    grid.height = height;
    grid.width = width;
    grid.channels = channels;
    grid.patch_height = patch_height;
    grid.patch_width = patch_width;
    grid.down = down;
    grid.across = across;
    grid.rows = (height - patch_height) / down + 1;
    grid.columns = (width - patch_width) / across + 1;
    grid.n_patches = grid.rows * grid.columns;
    grid.n_features = patch_height * patch_width * channels + grid.rows - 1 + grid.columns - 1;
    grid.blank = round_up(2 * grid.n_features, 64);
    grid.lane_words = round_up(grid.n_patches, 512) / 64;
    grid.sample_words = round_up(2 * height * width * channels, 512) / 64;
    grid.thinned_width = (width + across - 1) / across;
    return grid;
}

// A string has the lines of pixels of all patches, with a bit for each column of patches. A column that begins in the
// last line is read to its end.
PatchMemory::PatchMemory(const Grid& grid)
    : columns_((static_cast<size_t>(grid.blank) + 1) * grid.lane_words),
      string_(words_of(grid, static_cast<size_t>(grid.height) * grid.columns) + grid.lane_words),
      thinned_(words_of(grid, static_cast<size_t>(grid.channels) * grid.height * grid.across * grid.thinned_width)) {}

}  // namespace adtm
