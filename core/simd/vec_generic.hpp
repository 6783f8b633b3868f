// Blocks of 64 lanes in plain C++; the compiler vectorises the loops as far as the base instruction set allows.
// Every vec_*.hpp names its target and offers the same types with the same meaning, so each target computes the same bits:
//   U8x64, U16x64   64 automaton states: load store from_bytes splat select adds subs min max minus sign_mask lowest
//   U32x16          16 words of a draw: arithmetic, a comparison that gives a bit mask, words and bits by index
//   Row512          512 bits: load store zero and xor not xor3 majority is_zero
#pragma once
#include <cstdint>
#include <cstring>

#define ADTM_TARGET generic

namespace adtm::ADTM_TARGET {
namespace {

// Whether select() takes one or two instructions.
constexpr bool kCheapSelect = false;

template <class E>
struct Lanes64 {
    using Element = E;
    E lane[64];

    static Lanes64 load(const void* p) { Lanes64 r; std::memcpy(r.lane, p, sizeof r.lane); return r; }
    void store(void* p) const { std::memcpy(p, lane, sizeof lane); }
    static Lanes64 from_bytes(const uint8_t* p) { Lanes64 r; for (int i = 0; i < 64; ++i) r.lane[i] = p[i]; return r; }
    static Lanes64 splat(E x) { Lanes64 r; for (int i = 0; i < 64; ++i) r.lane[i] = x; return r; }
    // Lane i is x where bit i of the mask is set, else 0.
    static Lanes64 select(uint64_t mask, E x) {
        Lanes64 r;
        for (int byte = 0; byte < 8; ++byte) {
            // Copy the byte into eight lanes, keep bit i in lane i, then stretch "not zero" over the lane.
            uint64_t spread = (((mask >> (8 * byte)) & 0xFF) * 0x0101010101010101u) & 0x8040201008040201u;
            spread = ((((spread & 0x7F7F7F7F7F7F7F7Fu) + 0x7F7F7F7F7F7F7F7Fu) | spread) >> 7) & 0x0101010101010101u;
            uint8_t flag[8];
            std::memcpy(flag, &spread, 8);
            for (int i = 0; i < 8; ++i) r.lane[8 * byte + i] = flag[i];
        }
        if (x == 1) return r;
        for (int i = 0; i < 64; ++i) r.lane[i] = static_cast<E>((0u - r.lane[i]) & x);
        return r;
    }
    Lanes64 adds(Lanes64 b) const {
        Lanes64 r;
        for (int i = 0; i < 64; ++i) {
            const E room = static_cast<E>(~lane[i]);
            r.lane[i] = static_cast<E>(lane[i] + (b.lane[i] < room ? b.lane[i] : room));
        }
        return r;
    }
    Lanes64 subs(Lanes64 b) const {
        Lanes64 r;
        for (int i = 0; i < 64; ++i) r.lane[i] = static_cast<E>(lane[i] - (b.lane[i] < lane[i] ? b.lane[i] : lane[i]));
        return r;
    }
    Lanes64 min(Lanes64 b) const {
        Lanes64 r;
        for (int i = 0; i < 64; ++i) r.lane[i] = lane[i] < b.lane[i] ? lane[i] : b.lane[i];
        return r;
    }
    Lanes64 max(Lanes64 b) const {
        Lanes64 r;
        for (int i = 0; i < 64; ++i) r.lane[i] = lane[i] > b.lane[i] ? lane[i] : b.lane[i];
        return r;
    }
    Lanes64 minus(Lanes64 b) const {
        Lanes64 r;
        for (int i = 0; i < 64; ++i) r.lane[i] = static_cast<E>(lane[i] - b.lane[i]);
        return r;
    }
    uint64_t sign_mask() const {
        uint64_t mask = 0;
        uint8_t top[64];
        for (int i = 0; i < 64; ++i) top[i] = static_cast<uint8_t>(lane[i] >> (8 * sizeof(E) - 8));
        for (int byte = 0; byte < 8; ++byte) {
            uint64_t eight;
            std::memcpy(&eight, top + 8 * byte, 8);
            mask |= (((eight & 0x8080808080808080u) * 0x0002040810204081u) >> 56) << (8 * byte);
        }
        return mask;
    }
    E lowest() const {
        E x = lane[0];
        for (int i = 1; i < 64; ++i) x = lane[i] < x ? lane[i] : x;
        return x;
    }
};
using U8x64 = Lanes64<uint8_t>;
using U16x64 = Lanes64<uint16_t>;

struct Row512 {
    uint64_t word[8];
    static Row512 load(const uint64_t* p) { Row512 r; std::memcpy(r.word, p, sizeof r.word); return r; }
    void store(uint64_t* p) const { std::memcpy(p, word, sizeof word); }
    static Row512 zero() { return Row512{{0, 0, 0, 0, 0, 0, 0, 0}}; }
    Row512 operator&(Row512 b) const { Row512 r; for (int i = 0; i < 8; ++i) r.word[i] = word[i] & b.word[i]; return r; }
    Row512 operator^(Row512 b) const { Row512 r; for (int i = 0; i < 8; ++i) r.word[i] = word[i] ^ b.word[i]; return r; }
    Row512 operator~() const { Row512 r; for (int i = 0; i < 8; ++i) r.word[i] = ~word[i]; return r; }
    // Sum and carry of three bits.
    Row512 xor3(Row512 b, Row512 c) const { return *this ^ b ^ c; }
    Row512 majority(Row512 b, Row512 c) const { Row512 r; for (int i = 0; i < 8; ++i) r.word[i] = (word[i] & (b.word[i] | c.word[i])) | (b.word[i] & c.word[i]); return r; }
    bool is_zero() const { uint64_t any = 0; for (int i = 0; i < 8; ++i) any |= word[i]; return any == 0; }
};

struct U32x16 {
    uint32_t lane[16];
    static U32x16 splat(uint32_t x) { U32x16 r; for (int i = 0; i < 16; ++i) r.lane[i] = x; return r; }
    static U32x16 iota() { U32x16 r; for (uint32_t i = 0; i < 16; ++i) r.lane[i] = i; return r; }
    U32x16 operator+(U32x16 b) const { U32x16 r; for (int i = 0; i < 16; ++i) r.lane[i] = lane[i] + b.lane[i]; return r; }
    U32x16 operator*(U32x16 b) const { U32x16 r; for (int i = 0; i < 16; ++i) r.lane[i] = lane[i] * b.lane[i]; return r; }
    U32x16 operator^(U32x16 b) const { U32x16 r; for (int i = 0; i < 16; ++i) r.lane[i] = lane[i] ^ b.lane[i]; return r; }
    template <int bits> U32x16 shr() const { U32x16 r; for (int i = 0; i < 16; ++i) r.lane[i] = lane[i] >> bits; return r; }
    uint16_t less(U32x16 b) const {
        uint32_t mask = 0;
        for (uint32_t i = 0; i < 16; ++i) mask |= static_cast<uint32_t>(lane[i] < b.lane[i]) << i;
        return static_cast<uint16_t>(mask);
    }
    static U32x16 load(const uint32_t* p) { U32x16 r; std::memcpy(r.lane, p, sizeof r.lane); return r; }
    void store(void* p) const { std::memcpy(p, lane, sizeof lane); }
    static U32x16 from_u16(const uint16_t* p) { U32x16 r; for (int i = 0; i < 16; ++i) r.lane[i] = p[i]; return r; }
    // Lane i is the word at index (lane i).
    U32x16 gather(const uint32_t* words) const { U32x16 r; for (int i = 0; i < 16; ++i) r.lane[i] = words[lane[i]]; return r; }
    Row512 row() const { Row512 r; std::memcpy(r.word, lane, sizeof lane); return r; }
    // Bit i of the result is the bit of lane i that lane i of the index names, modulo 32.
    uint16_t bits_at(U32x16 index) const {
        uint32_t mask = 0;
        for (uint32_t i = 0; i < 16; ++i) mask |= (lane[i] >> (index.lane[i] % 32) & 1) << i;
        return static_cast<uint16_t>(mask);
    }
};

}  // namespace
}  // namespace adtm::ADTM_TARGET
