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
    // n <= 8 words, and zeros after them.
    static Row512 load_some(const uint64_t* p, uint32_t n) {
        return {_mm512_maskz_loadu_epi64(static_cast<__mmask8>((1u << n) - 1), p)};
    }
    void store(uint64_t* p) const { _mm512_storeu_si512(p, v); }
    static Row512 zero() { return {_mm512_setzero_si512()}; }
    Row512 operator&(Row512 b) const { return {_mm512_and_si512(v, b.v)}; }
    Row512 operator^(Row512 b) const { return {_mm512_xor_si512(v, b.v)}; }
    Row512 operator~() const { return {_mm512_ternarylogic_epi64(v, v, v, 0x55)}; }
    Row512 xor3(Row512 b, Row512 c) const { return {_mm512_ternarylogic_epi64(v, b.v, c.v, 0x96)}; }
    Row512 majority(Row512 b, Row512 c) const { return {_mm512_ternarylogic_epi64(v, b.v, c.v, 0xE8)}; }
    bool is_zero() const { return _mm512_test_epi64_mask(v, v) == 0; }
};

#define ADTM_WIDE_SHUFFLES  // for simd/transpose.hpp

// Word j of row i and word i of row j change places.
inline void transpose_words(Row512 (&x)[8]) {
    const __m512i even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    __m512i a[8], b[8];
    for (int k = 0; k < 8; k += 2) {
        a[k] = _mm512_unpacklo_epi64(x[k].v, x[k + 1].v);
        a[k + 1] = _mm512_unpackhi_epi64(x[k].v, x[k + 1].v);
    }
    for (int k = 0; k < 8; k += k % 2 == 0 ? 1 : 3) {
        b[k] = _mm512_permutex2var_epi64(a[k], even, a[k + 2]);
        b[k + 2] = _mm512_permutex2var_epi64(a[k], odd, a[k + 2]);
    }
    for (int k = 0; k < 4; ++k) {
        x[k].v = _mm512_shuffle_i64x2(b[k], b[k + 4], 0x44);
        x[k + 4].v = _mm512_shuffle_i64x2(b[k], b[k + 4], 0xEE);
    }
}

// One bit of a row's number and one of a bit's number change places in a tile: here that of the vectors a and b, which lie
// `width` rows apart.
template <int width>
inline void swap_between(__m512i& a, __m512i& b) {
    const __m512i mask = _mm512_set1_epi64(static_cast<long long>(~uint64_t{0} / ((uint64_t{1} << width) + 1)));
    const __m512i up = _mm512_slli_epi64(b, width), down = _mm512_srli_epi64(a, width);
    a = _mm512_ternarylogic_epi64(mask, a, up, 0xCA);
    b = _mm512_ternarylogic_epi64(mask, down, b, 0xCA);
}

// The same for rows of one vector; `moved` has the row that is `width` apart in place of each.
template <int width>
inline __m512i swap_within(__m512i x, __m512i moved) {
    constexpr long long mask = static_cast<long long>(~uint64_t{0} / ((uint64_t{1} << width) + 1));
    const auto by_row = [](long long first, long long second) {
        const auto of = [=](int row) { return (row & width) == 0 ? first : second; };
        return _mm512_setr_epi64(of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7));
    };
    return _mm512_ternarylogic_epi64(by_row(mask, ~mask), x, _mm512_rolv_epi64(moved, by_row(width, 64 - width)), 0xCA);
}

inline void transpose_tile(uint64_t a[64]) {
    __m512i x[8];
    for (int k = 0; k < 8; ++k) x[k] = _mm512_loadu_si512(a + 8 * k);
    for (int k = 0; k < 4; ++k) swap_between<32>(x[k], x[k + 4]);
    for (int k = 0; k < 8; k += k % 2 == 0 ? 1 : 3) swap_between<16>(x[k], x[k + 2]);
    for (int k = 0; k < 8; k += 2) swap_between<8>(x[k], x[k + 1]);
    for (int k = 0; k < 8; ++k) {
        x[k] = swap_within<4>(x[k], _mm512_shuffle_i64x2(x[k], x[k], 0x4E));
        x[k] = swap_within<2>(x[k], _mm512_permutex_epi64(x[k], 0x4E));
        x[k] = swap_within<1>(x[k], _mm512_shuffle_epi32(x[k], _MM_PERM_BADC));
        _mm512_storeu_si512(a + 8 * k, x[k]);
    }
}

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
