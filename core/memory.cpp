#include "memory.hpp"

#include <cstring>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace adtm {

Memory::Memory(size_t bytes, bool zeroed) {
    constexpr size_t kHugePage = size_t{2} << 20;
    const bool large = bytes >= 2 * kHugePage;
    align_ = std::align_val_t{large ? kHugePage : 128};
    data_ = ::operator new(bytes + 64, align_);  // a kernel may read a block past the end of the last row
#if defined(__linux__)
    if (large) madvise(data_, bytes, MADV_HUGEPAGE);  // a hint: results do not depend on it
#endif
    if (zeroed) std::memset(data_, 0, bytes + 64);
}

Memory::~Memory() { release(); }

void Memory::release() {
    if (data_ != nullptr) ::operator delete(data_, align_);
    data_ = nullptr;
}

}  // namespace adtm
