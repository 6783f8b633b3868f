// Blocks of 64 lanes in AVX-512 (F, BW, DQ, VL). See vec_generic.hpp for the meaning of each operation.
#pragma once
#include <immintrin.h>

#include <cstdint>

#define ADTM_TARGET avx512

namespace adtm::ADTM_TARGET {
namespace {

constexpr bool kCheapSelect = true;

struct U8x64 {
    using Element = uint8_t;
    __m512i v;
    static U8x64 load(const void* p) { return {_mm512_loadu_si512(p)}; }
    void store(void* p) const { _mm512_storeu_si512(p, v); }
    static U8x64 from_bytes(const uint8_t* p) { return load(p); }
    static U8x64 splat(uint8_t x) { return {_mm512_set1_epi8(static_cast<char>(x))}; }
    // A masked move of a constant register: a masked broadcast from a general register would crowd one port.
    static U8x64 select(uint64_t mask, uint8_t x) { return {_mm512_maskz_mov_epi8(mask, splat(x).v)}; }
    U8x64 adds(U8x64 b) const { return {_mm512_adds_epu8(v, b.v)}; }
    U8x64 subs(U8x64 b) const { return {_mm512_subs_epu8(v, b.v)}; }
    U8x64 min(U8x64 b) const { return {_mm512_min_epu8(v, b.v)}; }
    U8x64 max(U8x64 b) const { return {_mm512_max_epu8(v, b.v)}; }
    U8x64 minus(U8x64 b) const { return {_mm512_sub_epi8(v, b.v)}; }
    uint64_t sign_mask() const { return _mm512_movepi8_mask(v); }
    uint8_t lowest() const {
        const __m256i half = _mm256_min_epu8(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
        const __m128i bytes = _mm_min_epu8(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
        // minpos works on 16-bit lanes: take the smaller byte of each pair first.
        const __m128i pairs = _mm_min_epu8(bytes, _mm_srli_epi16(bytes, 8));
        return static_cast<uint8_t>(_mm_cvtsi128_si32(_mm_minpos_epu16(_mm_and_si128(pairs, _mm_set1_epi16(0xFF)))));
    }
};

struct U16x64 {
    using Element = uint16_t;
    __m512i a, b;
    static U16x64 load(const void* p) {
        return {_mm512_loadu_si512(p), _mm512_loadu_si512(static_cast<const uint8_t*>(p) + 64)};
    }
    void store(void* p) const {
        _mm512_storeu_si512(p, a);
        _mm512_storeu_si512(static_cast<uint8_t*>(p) + 64, b);
    }
    static U16x64 from_bytes(const uint8_t* p) {
        const __m256i* q = reinterpret_cast<const __m256i*>(p);
        return {_mm512_cvtepu8_epi16(_mm256_loadu_si256(q)), _mm512_cvtepu8_epi16(_mm256_loadu_si256(q + 1))};
    }
    static U16x64 splat(uint16_t x) { const __m512i v = _mm512_set1_epi16(static_cast<short>(x)); return {v, v}; }
    static U16x64 select(uint64_t mask, uint16_t x) {
        const __m512i v = splat(x).a;
        return {_mm512_maskz_mov_epi16(static_cast<__mmask32>(mask), v), _mm512_maskz_mov_epi16(static_cast<__mmask32>(mask >> 32), v)};
    }
    U16x64 adds(U16x64 o) const { return {_mm512_adds_epu16(a, o.a), _mm512_adds_epu16(b, o.b)}; }
    U16x64 subs(U16x64 o) const { return {_mm512_subs_epu16(a, o.a), _mm512_subs_epu16(b, o.b)}; }
    U16x64 min(U16x64 o) const { return {_mm512_min_epu16(a, o.a), _mm512_min_epu16(b, o.b)}; }
    U16x64 max(U16x64 o) const { return {_mm512_max_epu16(a, o.a), _mm512_max_epu16(b, o.b)}; }
    U16x64 minus(U16x64 o) const { return {_mm512_sub_epi16(a, o.a), _mm512_sub_epi16(b, o.b)}; }
    uint64_t sign_mask() const {
        return static_cast<uint64_t>(_mm512_movepi16_mask(a)) | (static_cast<uint64_t>(_mm512_movepi16_mask(b)) << 32);
    }
    uint16_t lowest() const {
        const __m512i v = _mm512_min_epu16(a, b);
        const __m256i half = _mm256_min_epu16(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
        const __m128i q = _mm_min_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
        return static_cast<uint16_t>(_mm_cvtsi128_si32(_mm_minpos_epu16(q)));
    }
};

struct Row512 {
    __m512i v;
    static Row512 load(const uint64_t* p) { return {_mm512_loadu_si512(p)}; }
    void store(uint64_t* p) const { _mm512_storeu_si512(p, v); }
    static Row512 zero() { return {_mm512_setzero_si512()}; }
    Row512 operator&(Row512 b) const { return {_mm512_and_si512(v, b.v)}; }
    Row512 operator^(Row512 b) const { return {_mm512_xor_si512(v, b.v)}; }
    Row512 operator~() const { return {_mm512_ternarylogic_epi64(v, v, v, 0x55)}; }
    Row512 xor3(Row512 b, Row512 c) const { return {_mm512_ternarylogic_epi64(v, b.v, c.v, 0x96)}; }
    Row512 majority(Row512 b, Row512 c) const { return {_mm512_ternarylogic_epi64(v, b.v, c.v, 0xE8)}; }
    bool is_zero() const { return _mm512_test_epi64_mask(v, v) == 0; }
};

struct U32x16 {
    __m512i v;
    static U32x16 splat(uint32_t x) { return {_mm512_set1_epi32(static_cast<int>(x))}; }
    static U32x16 iota() { return {_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)}; }
    U32x16 operator+(U32x16 b) const { return {_mm512_add_epi32(v, b.v)}; }
    U32x16 operator*(U32x16 b) const { return {_mm512_mullo_epi32(v, b.v)}; }
    U32x16 operator^(U32x16 b) const { return {_mm512_xor_si512(v, b.v)}; }
    template <int bits> U32x16 shr() const { return {_mm512_srli_epi32(v, bits)}; }
    uint16_t less(U32x16 b) const { return _mm512_cmplt_epu32_mask(v, b.v); }
    static U32x16 load(const uint32_t* p) { return {_mm512_loadu_si512(p)}; }
    void store(void* p) const { _mm512_storeu_si512(p, v); }
    static U32x16 from_u16(const uint16_t* p) {
        return {_mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
    }
    U32x16 gather(const uint32_t* words) const { return {_mm512_i32gather_epi32(v, words, 4)}; }
    Row512 row() const { return {v}; }
    uint16_t bits_at(U32x16 i) const { return _mm512_movepi32_mask(_mm512_rorv_epi32(v, (i + splat(1)).v)); }
};

}  // namespace
}  // namespace adtm::ADTM_TARGET
