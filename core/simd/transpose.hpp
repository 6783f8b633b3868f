// Rows of bits to columns. A tile is 64 x 64 bits: word i holds bits 0 .. 63 of row i, and afterwards bit i of every row.
// The steps here are the same on every CPU; vec_avx512.hpp has shuffles of whole rows, with which they take a third of the
// time.
#pragma once
#include <cstddef>
#include <cstdint>

#include "target.hpp"

namespace adtm::ADTM_TARGET {
namespace {

constexpr uint32_t kTiles = 8;  // that are gathered together: a row of them is one Row512

#ifdef ADTM_WIDE_SHUFFLES
// In place: bit j of a[i] and bit i of a[j] change places.
inline void transpose64(uint64_t a[64]) { transpose_tile(a); }
#else
// One step of a transposition: the two blocks of `width` bits beside the diagonal change places. The compiler knows the
// width and takes several words at a time; GCC would unroll the inner loop first, and then take one word at a time.
template <int width>
inline void swap_blocks(uint64_t a[64]) {
    constexpr uint64_t mask = ~uint64_t{0} / ((uint64_t{1} << width) + 1);
    for (int base = 0; base < 64; base += 2 * width)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 1
#endif
        for (int i = base; i < base + width; ++i) {
            const uint64_t swap = ((a[i] >> width) ^ a[i + width]) & mask;
            a[i] ^= swap << width;
            a[i + width] ^= swap;
        }
}

// In place: bit j of a[i] and bit i of a[j] change places. One copy for all callers: GCC inlines only so much in a file, and
// small functions of the inner loops need it more.
[[gnu::noinline]] void transpose64(uint64_t a[64]) {
    swap_blocks<32>(a);
    swap_blocks<16>(a);
    swap_blocks<8>(a);
    swap_blocks<4>(a);
    swap_blocks<2>(a);
    swap_blocks<1>(a);
}
#endif

// Words first .. first + n - 1 of each row, n <= kTiles, as n tiles that begin `apart` words from each other; row(i) is the
// address of row i < n_rows <= 64.
template <class Row>
inline void gather_tiles(const Row& row, uint32_t n_rows, uint32_t first, uint32_t n, uint64_t* tiles, size_t apart) {
    uint32_t i = 0;
#ifdef ADTM_WIDE_SHUFFLES
    for (; n > kTiles / 4 && i + 8 <= n_rows; i += 8) {
        Row512 rows[8];
        for (uint32_t k = 0; k < 8; ++k) rows[k] = Row512::load_some(row(i + k) + first, n);
        transpose_words(rows);
        for (uint32_t k = 0; k < n; ++k) rows[k].store(tiles + k * apart + i);
    }
#endif
    for (; i < n_rows; ++i)
        for (uint32_t k = 0; k < n; ++k) tiles[k * apart + i] = row(i)[first + k];
    for (; i < 64; ++i)
        for (uint32_t k = 0; k < n; ++k) tiles[k * apart + i] = 0;
}

// Eight tiles whose words k are beside each other afterwards: 64 rows of eight words.
inline void weave_tiles(const uint64_t (*tiles)[64], uint64_t* rows) {
#ifdef ADTM_WIDE_SHUFFLES
    for (uint32_t k = 0; k < 64; k += 8) {
        Row512 words[8];
        for (uint32_t t = 0; t < 8; ++t) words[t] = Row512::load(tiles[t] + k);
        transpose_words(words);
        for (uint32_t t = 0; t < 8; ++t) words[t].store(rows + 8 * (k + t));
    }
#else
    for (uint32_t t = 0; t < 8; ++t)
        for (uint32_t k = 0; k < 64; ++k) rows[8 * k + t] = tiles[t][k];
#endif
}

}  // namespace
}  // namespace adtm::ADTM_TARGET
