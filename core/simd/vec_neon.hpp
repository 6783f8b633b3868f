// Blocks of 64 lanes in NEON (AArch64): four registers of 16 bytes. See vec_generic.hpp for the meaning of each operation.
#pragma once
#include <arm_neon.h>

#include <cstdint>

#define ADTM_TARGET neon

namespace adtm::ADTM_TARGET {
namespace {

const uint8_t kBitOfLane[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};

// 16 bytes, all ones where the bit of the mask is set.
inline uint8x16_t expand8(uint16_t mask) {
    const uint8x16_t bit = vld1q_u8(kBitOfLane);
    const uint8x16_t bytes = vcombine_u8(vdup_n_u8(static_cast<uint8_t>(mask)), vdup_n_u8(static_cast<uint8_t>(mask >> 8)));
    return vtstq_u8(bytes, bit);
}

// Bit i of the result is the top bit of byte i.
inline uint16_t top_bits(uint8x16_t v) {
    const uint8x16_t bit = vandq_u8(vcltzq_s8(vreinterpretq_s8_u8(v)), vld1q_u8(kBitOfLane));
    return static_cast<uint16_t>(vaddv_u8(vget_low_u8(bit)) | (vaddv_u8(vget_high_u8(bit)) << 8));
}

constexpr bool kCheapSelect = false;

struct U8x64 {
    using Element = uint8_t;
    uint8x16_t r[4];
    static U8x64 load(const void* p) {
        U8x64 s;
        for (int i = 0; i < 4; ++i) s.r[i] = vld1q_u8(static_cast<const uint8_t*>(p) + 16 * i);
        return s;
    }
    void store(void* p) const { for (int i = 0; i < 4; ++i) vst1q_u8(static_cast<uint8_t*>(p) + 16 * i, r[i]); }
    static U8x64 from_bytes(const uint8_t* p) { return load(p); }
    static U8x64 splat(uint8_t x) { const uint8x16_t v = vdupq_n_u8(x); return {{v, v, v, v}}; }
    static U8x64 select(uint64_t mask, uint8_t x) {
        U8x64 s;
        for (int i = 0; i < 4; ++i) s.r[i] = vandq_u8(expand8(static_cast<uint16_t>(mask >> (16 * i))), vdupq_n_u8(x));
        return s;
    }
    U8x64 adds(U8x64 o) const { U8x64 s; for (int i = 0; i < 4; ++i) s.r[i] = vqaddq_u8(r[i], o.r[i]); return s; }
    U8x64 subs(U8x64 o) const { U8x64 s; for (int i = 0; i < 4; ++i) s.r[i] = vqsubq_u8(r[i], o.r[i]); return s; }
    U8x64 min(U8x64 o) const { U8x64 s; for (int i = 0; i < 4; ++i) s.r[i] = vminq_u8(r[i], o.r[i]); return s; }
    U8x64 max(U8x64 o) const { U8x64 s; for (int i = 0; i < 4; ++i) s.r[i] = vmaxq_u8(r[i], o.r[i]); return s; }
    U8x64 minus(U8x64 o) const { U8x64 s; for (int i = 0; i < 4; ++i) s.r[i] = vsubq_u8(r[i], o.r[i]); return s; }
    uint64_t sign_mask() const {
        uint64_t mask = 0;
        for (int i = 0; i < 4; ++i) mask |= static_cast<uint64_t>(top_bits(r[i])) << (16 * i);
        return mask;
    }
    uint8_t lowest() const { return vminvq_u8(vminq_u8(vminq_u8(r[0], r[1]), vminq_u8(r[2], r[3]))); }
};

struct U16x64 {
    using Element = uint16_t;
    uint16x8_t r[8];
    static U16x64 load(const void* p) {
        U16x64 s;
        for (int i = 0; i < 8; ++i) s.r[i] = vld1q_u16(static_cast<const uint16_t*>(p) + 8 * i);
        return s;
    }
    void store(void* p) const { for (int i = 0; i < 8; ++i) vst1q_u16(static_cast<uint16_t*>(p) + 8 * i, r[i]); }
    static U16x64 from_bytes(const uint8_t* p) {
        U16x64 s;
        for (int i = 0; i < 8; ++i) s.r[i] = vmovl_u8(vld1_u8(p + 8 * i));
        return s;
    }
    static U16x64 splat(uint16_t x) { const uint16x8_t v = vdupq_n_u16(x); return {{v, v, v, v, v, v, v, v}}; }
    static U16x64 select(uint64_t mask, uint16_t x) {
        const uint16_t bits[8] = {1, 2, 4, 8, 16, 32, 64, 128};
        const uint16x8_t bit = vld1q_u16(bits);
        U16x64 s;
        for (int i = 0; i < 8; ++i) {
            const uint16x8_t eight = vdupq_n_u16(static_cast<uint16_t>((mask >> (8 * i)) & 0xFF));
            s.r[i] = vandq_u16(vtstq_u16(eight, bit), vdupq_n_u16(x));
        }
        return s;
    }
    U16x64 adds(U16x64 o) const { U16x64 s; for (int i = 0; i < 8; ++i) s.r[i] = vqaddq_u16(r[i], o.r[i]); return s; }
    U16x64 subs(U16x64 o) const { U16x64 s; for (int i = 0; i < 8; ++i) s.r[i] = vqsubq_u16(r[i], o.r[i]); return s; }
    U16x64 min(U16x64 o) const { U16x64 s; for (int i = 0; i < 8; ++i) s.r[i] = vminq_u16(r[i], o.r[i]); return s; }
    U16x64 max(U16x64 o) const { U16x64 s; for (int i = 0; i < 8; ++i) s.r[i] = vmaxq_u16(r[i], o.r[i]); return s; }
    U16x64 minus(U16x64 o) const { U16x64 s; for (int i = 0; i < 8; ++i) s.r[i] = vsubq_u16(r[i], o.r[i]); return s; }
    uint64_t sign_mask() const {
        uint64_t mask = 0;
        for (int i = 0; i < 4; ++i) {
            const uint8x16_t top = vcombine_u8(vshrn_n_u16(r[2 * i], 8), vshrn_n_u16(r[2 * i + 1], 8));
            mask |= static_cast<uint64_t>(top_bits(top)) << (16 * i);
        }
        return mask;
    }
    uint16_t lowest() const {
        uint16x8_t v = r[0];
        for (int i = 1; i < 8; ++i) v = vminq_u16(v, r[i]);
        return vminvq_u16(v);
    }
};

struct Row512 {
    uint64x2_t r[4];
    static Row512 load(const uint64_t* p) {
        Row512 s;
        for (int i = 0; i < 4; ++i) s.r[i] = vld1q_u64(p + 2 * i);
        return s;
    }
    void store(uint64_t* p) const { for (int i = 0; i < 4; ++i) vst1q_u64(p + 2 * i, r[i]); }
    static Row512 zero() { const uint64x2_t v = vdupq_n_u64(0); return {{v, v, v, v}}; }
    Row512 operator&(Row512 o) const { Row512 s; for (int i = 0; i < 4; ++i) s.r[i] = vandq_u64(r[i], o.r[i]); return s; }
    Row512 operator^(Row512 o) const { Row512 s; for (int i = 0; i < 4; ++i) s.r[i] = veorq_u64(r[i], o.r[i]); return s; }
    Row512 operator~() const { return *this ^ Row512{{vdupq_n_u64(~0ull), vdupq_n_u64(~0ull), vdupq_n_u64(~0ull), vdupq_n_u64(~0ull)}}; }
    Row512 xor3(Row512 o, Row512 c) const { return *this ^ o ^ c; }
    Row512 majority(Row512 o, Row512 c) const {
        Row512 s;
        for (int i = 0; i < 4; ++i) s.r[i] = vbslq_u64(veorq_u64(r[i], o.r[i]), c.r[i], r[i]);
        return s;
    }
    bool is_zero() const {
        const uint64x2_t any = vorrq_u64(vorrq_u64(r[0], r[1]), vorrq_u64(r[2], r[3]));
        return vmaxvq_u32(vreinterpretq_u32_u64(any)) == 0;
    }
};

struct U32x16 {
    uint32x4_t r[4];
    static U32x16 splat(uint32_t x) { const uint32x4_t v = vdupq_n_u32(x); return {{v, v, v, v}}; }
    static U32x16 iota() {
        const uint32_t first[4] = {0, 1, 2, 3};
        U32x16 s;
        for (uint32_t i = 0; i < 4; ++i) s.r[i] = vaddq_u32(vld1q_u32(first), vdupq_n_u32(4 * i));
        return s;
    }
    U32x16 operator+(U32x16 o) const { U32x16 s; for (int i = 0; i < 4; ++i) s.r[i] = vaddq_u32(r[i], o.r[i]); return s; }
    U32x16 operator*(U32x16 o) const { U32x16 s; for (int i = 0; i < 4; ++i) s.r[i] = vmulq_u32(r[i], o.r[i]); return s; }
    U32x16 operator^(U32x16 o) const { U32x16 s; for (int i = 0; i < 4; ++i) s.r[i] = veorq_u32(r[i], o.r[i]); return s; }
    template <int bits> U32x16 shr() const {
        U32x16 s;
        for (int i = 0; i < 4; ++i) s.r[i] = vshrq_n_u32(r[i], bits);
        return s;
    }
    uint16_t less(U32x16 o) const {
        const uint32_t bits[4] = {1, 2, 4, 8};
        uint32_t mask = 0;
        for (int i = 0; i < 4; ++i) mask |= vaddvq_u32(vandq_u32(vcltq_u32(r[i], o.r[i]), vld1q_u32(bits))) << (4 * i);
        return static_cast<uint16_t>(mask);
    }
    static U32x16 load(const uint32_t* p) {
        U32x16 s;
        for (int i = 0; i < 4; ++i) s.r[i] = vld1q_u32(p + 4 * i);
        return s;
    }
    void store(void* p) const { for (int i = 0; i < 4; ++i) vst1q_u32(static_cast<uint32_t*>(p) + 4 * i, r[i]); }
    static U32x16 from_u16(const uint16_t* p) {
        U32x16 s;
        for (int i = 0; i < 4; ++i) s.r[i] = vmovl_u16(vld1_u16(p + 4 * i));
        return s;
    }
    U32x16 gather(const uint32_t* words) const {
        uint32_t at[16];
        store(at);
        for (uint32_t i = 0; i < 16; ++i) at[i] = words[at[i]];
        return load(at);
    }
    Row512 row() const {
        Row512 s;
        for (int i = 0; i < 4; ++i) s.r[i] = vreinterpretq_u64_u32(r[i]);
        return s;
    }
    uint16_t bits_at(U32x16 index) const {
        const uint32_t bits[4] = {1, 2, 4, 8};
        uint32_t mask = 0;
        for (int i = 0; i < 4; ++i) {
            const uint32x4_t bit = vshlq_u32(vdupq_n_u32(1), vreinterpretq_s32_u32(vandq_u32(index.r[i], vdupq_n_u32(31))));
            mask |= vaddvq_u32(vandq_u32(vtstq_u32(r[i], bit), vld1q_u32(bits))) << (4 * i);
        }
        return static_cast<uint16_t>(mask);
    }
};

}  // namespace
}  // namespace adtm::ADTM_TARGET
