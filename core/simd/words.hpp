// The words of common/draws.h, common/weyl.h and common/rota.h, 16 or 64 at a time.
#pragma once
#include "target.hpp"

namespace adtm::ADTM_TARGET {
namespace {

// The words of 16 indices under a key: adtm_word for 16 lanes.
inline U32x16 words_at(uint64_t key, U32x16 index) {
    U32x16 x = index ^ U32x16::splat(static_cast<uint32_t>(key));
    x = (x ^ x.template shr<16>()) * U32x16::splat(0x21F0AAADu) + U32x16::splat(static_cast<uint32_t>(key >> 32));
    x = (x ^ x.template shr<15>()) * U32x16::splat(0x735A2D97u);
    return x ^ x.template shr<15>();
}

// Words first .. first + 15 under a key.
inline U32x16 words16(uint64_t key, uint32_t first) { return words_at(key, U32x16::splat(first) + U32x16::iota()); }

// 64 lanes: bit i is set when word 64 * block + i under a key lies below the threshold.
inline uint64_t below64(uint64_t key, uint32_t block, uint32_t threshold) {
    const U32x16 t = U32x16::splat(threshold);
    uint64_t mask = 0;
    for (uint32_t part = 0; part < 4; ++part)
        mask |= static_cast<uint64_t>(words16(key, 64 * block + 16 * part).less(t)) << (16 * part);
    return mask;
}

// 64 lanes: bit i is set when first + (64 * block + i) * stride lies below the threshold.
inline uint64_t spread64(uint32_t first, uint32_t stride, uint32_t block, uint32_t threshold) {
    const U32x16 t = U32x16::splat(threshold), ahead = U32x16::splat(16 * stride);
    U32x16 x = U32x16::iota() * U32x16::splat(stride) + U32x16::splat(first + 64 * block * stride);
    uint64_t mask = 0;
    for (uint32_t part = 0; part < 4; ++part, x = x + ahead) mask |= static_cast<uint64_t>(x.less(t)) << (16 * part);
    return mask;
}

// 64 automata on the rota: bit i is set when phase i plus `ahead` lies below the threshold.
inline uint64_t turns64(const uint32_t* phases, uint32_t ahead, uint32_t threshold) {
    const U32x16 t = U32x16::splat(threshold), by = U32x16::splat(ahead);
    uint64_t mask = 0;
    for (uint32_t part = 0; part < 4; ++part)
        mask |= static_cast<uint64_t>((U32x16::load(phases + 16 * part) + by).less(t)) << (16 * part);
    return mask;
}

// The same for up to 64 automata with any indices.
inline uint64_t turns_of(const uint32_t* phases, const uint16_t* index, uint32_t size, uint32_t ahead,
                         uint32_t threshold) {
    const U32x16 t = U32x16::splat(threshold), by = U32x16::splat(ahead);
    uint64_t mask = 0;
    for (uint32_t k = 0; k < size; k += 16)
        mask |= static_cast<uint64_t>((U32x16::from_u16(index + k).gather(phases) + by).less(t)) << k;
    return mask;
}

}  // namespace
}  // namespace adtm::ADTM_TARGET
