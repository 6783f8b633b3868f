// Blocks of 64 lanes in AVX2: two registers where AVX-512 has one. See vec_generic.hpp for the meaning of each operation.
#pragma once
#include <immintrin.h>

#include <cstdint>

#define ADTM_TARGET avx2

namespace adtm::ADTM_TARGET {
namespace {

// 32 bytes, all ones where the bit of the mask is set.
inline __m256i expand8(uint32_t mask) {
    const __m256i which = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201u));
    const __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(mask)), which);
    return _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit);
}

// 16 words of 16 bits, all ones where the bit of the mask is set.
inline __m256i expand16(uint16_t mask) {
    const __m256i bit = _mm256_setr_epi16(0x1, 0x2, 0x4, 0x8, 0x10, 0x20, 0x40, 0x80, 0x100, 0x200, 0x400, 0x800, 0x1000,
                                          0x2000, 0x4000, static_cast<short>(0x8000));
    return _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_set1_epi16(static_cast<short>(mask)), bit), bit);
}

constexpr bool kCheapSelect = false;

struct U8x64 {
    using Element = uint8_t;
    __m256i a, b;
    static U8x64 load(const void* p) {
        const __m256i* q = static_cast<const __m256i*>(p);
        return {_mm256_loadu_si256(q), _mm256_loadu_si256(q + 1)};
    }
    void store(void* p) const {
        __m256i* q = static_cast<__m256i*>(p);
        _mm256_storeu_si256(q, a);
        _mm256_storeu_si256(q + 1, b);
    }
    static U8x64 from_bytes(const uint8_t* p) { return load(p); }
    static U8x64 splat(uint8_t x) { const __m256i v = _mm256_set1_epi8(static_cast<char>(x)); return {v, v}; }
    static U8x64 select(uint64_t mask, uint8_t x) {
        const __m256i v = _mm256_set1_epi8(static_cast<char>(x));
        return {_mm256_and_si256(expand8(static_cast<uint32_t>(mask)), v),
                _mm256_and_si256(expand8(static_cast<uint32_t>(mask >> 32)), v)};
    }
    U8x64 adds(U8x64 o) const { return {_mm256_adds_epu8(a, o.a), _mm256_adds_epu8(b, o.b)}; }
    U8x64 subs(U8x64 o) const { return {_mm256_subs_epu8(a, o.a), _mm256_subs_epu8(b, o.b)}; }
    U8x64 min(U8x64 o) const { return {_mm256_min_epu8(a, o.a), _mm256_min_epu8(b, o.b)}; }
    U8x64 max(U8x64 o) const { return {_mm256_max_epu8(a, o.a), _mm256_max_epu8(b, o.b)}; }
    U8x64 minus(U8x64 o) const { return {_mm256_sub_epi8(a, o.a), _mm256_sub_epi8(b, o.b)}; }
    uint64_t sign_mask() const {
        return static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(a))) |
               (static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(b))) << 32);
    }
    uint8_t lowest() const {
        const __m256i half = _mm256_min_epu8(a, b);
        const __m128i bytes = _mm_min_epu8(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
        // minpos works on 16-bit lanes: take the smaller byte of each pair first.
        const __m128i pairs = _mm_min_epu8(bytes, _mm_srli_epi16(bytes, 8));
        return static_cast<uint8_t>(_mm_cvtsi128_si32(_mm_minpos_epu16(_mm_and_si128(pairs, _mm_set1_epi16(0xFF)))));
    }
};

struct U16x64 {
    using Element = uint16_t;
    __m256i r[4];
    static U16x64 load(const void* p) {
        const __m256i* q = static_cast<const __m256i*>(p);
        return {{_mm256_loadu_si256(q), _mm256_loadu_si256(q + 1), _mm256_loadu_si256(q + 2), _mm256_loadu_si256(q + 3)}};
    }
    void store(void* p) const {
        __m256i* q = static_cast<__m256i*>(p);
        for (int i = 0; i < 4; ++i) _mm256_storeu_si256(q + i, r[i]);
    }
    static U16x64 from_bytes(const uint8_t* p) {
        const __m128i* q = reinterpret_cast<const __m128i*>(p);
        U16x64 s;
        for (int i = 0; i < 4; ++i) s.r[i] = _mm256_cvtepu8_epi16(_mm_loadu_si128(q + i));
        return s;
    }
    static U16x64 splat(uint16_t x) { const __m256i v = _mm256_set1_epi16(static_cast<short>(x)); return {{v, v, v, v}}; }
    static U16x64 select(uint64_t mask, uint16_t x) {
        const __m256i v = _mm256_set1_epi16(static_cast<short>(x));
        U16x64 s;
        for (int i = 0; i < 4; ++i) s.r[i] = _mm256_and_si256(expand16(static_cast<uint16_t>(mask >> (16 * i))), v);
        return s;
    }
    U16x64 adds(U16x64 o) const { U16x64 s; for (int i = 0; i < 4; ++i) s.r[i] = _mm256_adds_epu16(r[i], o.r[i]); return s; }
    U16x64 subs(U16x64 o) const { U16x64 s; for (int i = 0; i < 4; ++i) s.r[i] = _mm256_subs_epu16(r[i], o.r[i]); return s; }
    U16x64 min(U16x64 o) const { U16x64 s; for (int i = 0; i < 4; ++i) s.r[i] = _mm256_min_epu16(r[i], o.r[i]); return s; }
    U16x64 max(U16x64 o) const { U16x64 s; for (int i = 0; i < 4; ++i) s.r[i] = _mm256_max_epu16(r[i], o.r[i]); return s; }
    U16x64 minus(U16x64 o) const { U16x64 s; for (int i = 0; i < 4; ++i) s.r[i] = _mm256_sub_epi16(r[i], o.r[i]); return s; }
    uint64_t sign_mask() const {
        uint64_t mask = 0;
        for (int half = 0; half < 2; ++half) {
            // Signed packing keeps the sign; it interleaves the 128-bit halves, which the permutation undoes.
            const __m256i packed = _mm256_permute4x64_epi64(_mm256_packs_epi16(r[2 * half], r[2 * half + 1]), 0xD8);
            mask |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(packed))) << (32 * half);
        }
        return mask;
    }
    uint16_t lowest() const {
        const __m256i half = _mm256_min_epu16(_mm256_min_epu16(r[0], r[1]), _mm256_min_epu16(r[2], r[3]));
        const __m128i q = _mm_min_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
        return static_cast<uint16_t>(_mm_cvtsi128_si32(_mm_minpos_epu16(q)));
    }
};

struct Row512 {
    __m256i a, b;
    static Row512 load(const uint64_t* p) {
        const __m256i* q = reinterpret_cast<const __m256i*>(p);
        return {_mm256_loadu_si256(q), _mm256_loadu_si256(q + 1)};
    }
    void store(uint64_t* p) const {
        __m256i* q = reinterpret_cast<__m256i*>(p);
        _mm256_storeu_si256(q, a);
        _mm256_storeu_si256(q + 1, b);
    }
    static Row512 zero() { return {_mm256_setzero_si256(), _mm256_setzero_si256()}; }
    Row512 operator&(Row512 o) const { return {_mm256_and_si256(a, o.a), _mm256_and_si256(b, o.b)}; }
    Row512 operator^(Row512 o) const { return {_mm256_xor_si256(a, o.a), _mm256_xor_si256(b, o.b)}; }
    Row512 operator~() const { const __m256i ones = _mm256_set1_epi32(-1); return {_mm256_xor_si256(a, ones), _mm256_xor_si256(b, ones)}; }
    Row512 xor3(Row512 o, Row512 c) const { return *this ^ o ^ c; }
    Row512 majority(Row512 o, Row512 c) const {
        const auto two = [](__m256i x, __m256i y, __m256i z) {
            return _mm256_or_si256(_mm256_and_si256(x, _mm256_or_si256(y, z)), _mm256_and_si256(y, z));
        };
        return {two(a, o.a, c.a), two(b, o.b, c.b)};
    }
    bool is_zero() const { const __m256i any = _mm256_or_si256(a, b); return _mm256_testz_si256(any, any) != 0; }
};

struct U32x16 {
    __m256i a, b;
    static U32x16 splat(uint32_t x) { const __m256i v = _mm256_set1_epi32(static_cast<int>(x)); return {v, v}; }
    static U32x16 iota() {
        return {_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15)};
    }
    U32x16 operator+(U32x16 o) const { return {_mm256_add_epi32(a, o.a), _mm256_add_epi32(b, o.b)}; }
    U32x16 operator*(U32x16 o) const { return {_mm256_mullo_epi32(a, o.a), _mm256_mullo_epi32(b, o.b)}; }
    U32x16 operator^(U32x16 o) const { return {_mm256_xor_si256(a, o.a), _mm256_xor_si256(b, o.b)}; }
    template <int bits> U32x16 shr() const { return {_mm256_srli_epi32(a, bits), _mm256_srli_epi32(b, bits)}; }
    uint16_t less(U32x16 o) const {
        // There is no unsigned compare: move both sides to the signed range first.
        const __m256i flip = _mm256_set1_epi32(static_cast<int>(0x80000000u));
        const auto mask8 = [flip](__m256i x, __m256i y) {
            const __m256i lt = _mm256_cmpgt_epi32(_mm256_xor_si256(y, flip), _mm256_xor_si256(x, flip));
            return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(lt)));
        };
        return static_cast<uint16_t>(mask8(a, o.a) | (mask8(b, o.b) << 8));
    }
    static U32x16 load(const uint32_t* p) {
        const __m256i* q = reinterpret_cast<const __m256i*>(p);
        return {_mm256_loadu_si256(q), _mm256_loadu_si256(q + 1)};
    }
    void store(void* p) const {
        __m256i* q = static_cast<__m256i*>(p);
        _mm256_storeu_si256(q, a);
        _mm256_storeu_si256(q + 1, b);
    }
    static U32x16 from_u16(const uint16_t* p) {
        const __m128i* q = reinterpret_cast<const __m128i*>(p);
        return {_mm256_cvtepu16_epi32(_mm_loadu_si128(q)), _mm256_cvtepu16_epi32(_mm_loadu_si128(q + 1))};
    }
    U32x16 gather(const uint32_t* words) const {
        const int* base = reinterpret_cast<const int*>(words);
        return {_mm256_i32gather_epi32(base, a, 4), _mm256_i32gather_epi32(base, b, 4)};
    }
    Row512 row() const { return {a, b}; }
    uint16_t bits_at(U32x16 i) const {
        const auto mask8 = [](__m256i word, __m256i index) {
            const __m256i to_top = _mm256_andnot_si256(index, _mm256_set1_epi32(31));
            return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_sllv_epi32(word, to_top))));
        };
        return static_cast<uint16_t>(mask8(a, i.a) | (mask8(b, i.b) << 8));
    }
};

}  // namespace
}  // namespace adtm::ADTM_TARGET
