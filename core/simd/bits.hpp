// Bits of a 64-bit word: counting, finding.
#pragma once
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

#include <cstddef>
#include <cstdint>

#include "target.hpp"

namespace adtm::ADTM_TARGET {
namespace {

#if defined(_MSC_VER) && !defined(__clang__)
inline uint32_t count_bits(uint64_t x) {
    x = x - ((x >> 1) & 0x5555555555555555u);
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    return static_cast<uint32_t>((((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u) >> 56);
}
inline uint32_t lowest_bit(uint64_t x) {
    unsigned long i;
    _BitScanForward64(&i, x);
    return i;
}
inline uint32_t highest_bit(uint64_t x) {
    unsigned long i;
    _BitScanReverse64(&i, x);
    return i;
}
inline void prefetch(const void*, size_t) {}
#else
inline uint32_t count_bits(uint64_t x) { return static_cast<uint32_t>(__builtin_popcountll(x)); }
inline uint32_t lowest_bit(uint64_t x) { return static_cast<uint32_t>(__builtin_ctzll(x)); }
inline uint32_t highest_bit(uint64_t x) { return 63u - static_cast<uint32_t>(__builtin_clzll(x)); }
inline void prefetch(const void* p, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch(static_cast<const char*>(p) + i);
}
#endif

// Bits from .. to - 1 of a word, 0 <= from <= to <= 64.
inline uint64_t bit_range(uint32_t from, uint32_t to) {
    const uint64_t below_to = to >= 64 ? ~uint64_t{0} : (uint64_t{1} << to) - 1;
    const uint64_t below_from = from >= 64 ? ~uint64_t{0} : (uint64_t{1} << from) - 1;
    return below_to & ~below_from;
}

// The lanes of a block that are 0.
template <class Lanes>
inline uint64_t zeros(Lanes v) {
    const Lanes one = Lanes::splat(1);
    return v.min(one).minus(one).sign_mask();
}

}  // namespace
}  // namespace adtm::ADTM_TARGET
