// The patches of an image: their sizes, and the working memory for them.
#pragma once
#include <cstdint>

#include "memory.hpp"
#include "types.hpp"

namespace adtm {

// All sizes, from seven of them, which the caller has checked.
Grid grid_of(uint32_t height, uint32_t width, uint32_t channels, uint32_t patch_height, uint32_t patch_width,
             uint32_t down, uint32_t across);

// The buffers of one thread; they are empty without patches.
class PatchMemory {
  public:
    explicit PatchMemory(const Grid& grid);
    PatchBuffers buffers() const { return {columns_.data(), string_.data(), thinned_.data()}; }

  private:
    Buffer<uint64_t> columns_, string_, thinned_;
};

}  // namespace adtm
