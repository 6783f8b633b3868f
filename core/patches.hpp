// Patches of an image (adtm/tables/patches.py) as lanes: the column of a literal has one bit for each patch, and a row
// is 512 patches. The columns of pixels are the image itself, shifted: patches overlap, and no bit is fetched twice.
// The columns of places are the same for every image. This file also has the literals of one patch, and the patches for
// which a clause casts the most votes.
#pragma once
#include "simd/counter.hpp"
#include "types.hpp"

namespace adtm::ADTM_TARGET {
namespace {

// 64 bits of a row of bits, from bit `at` on. It always reads two words.
inline uint64_t bits_at(const uint64_t* words, size_t at) {
    const uint32_t shift = at % 64;
    words += at / 64;
    return words[0] >> shift | (words[1] << 1) << (63 - shift);
}

// Writes bits one after the other, at most 64 at a time. It also writes the word after the last bit.
class BitWriter {
  public:
    explicit BitWriter(uint64_t* words_) : words(words_) { words[0] = 0; }
    void append(uint64_t bits, uint32_t count) {
        bits &= bit_range(0, count);
        const uint32_t shift = at % 64;
        words[at / 64] |= bits << shift;
        words[at / 64 + 1] = (bits >> 1) >> (63 - shift);
        at += count;
    }
    // Copies `count` bits of a row of bits, which may be the one that is written.
    void copy(const uint64_t* from, size_t first, uint32_t count, uint64_t flip = 0) {
        for (uint32_t k = 0; k < count; k += 64)
            append(bits_at(from, first + k) ^ flip, count - k < 64 ? count - k : 64);
    }
    // Writes `count` bits of which the first `ones` are set: a place on a thermometer.
    void thermometer(uint32_t ones, uint32_t count) {
        for (uint32_t k = 0; k < count; k += 64) {
            const uint32_t here = count - k < 64 ? count - k : 64, set = ones > k ? ones - k : 0;
            append(bit_range(0, set < here ? set : here), here);
        }
    }

  private:
    uint64_t* const words;
    size_t at = 0;
};

// The literals of patch `number`: [n_literals rounded up to 64, and a word more].
void patch_literals(const Grid& grid, const uint64_t* image, uint32_t number, uint64_t* literals) {
    const uint32_t row = number / grid.columns, column = number % grid.columns;
    BitWriter to(literals);
    for (uint32_t c = 0; c < grid.channels; ++c)
        for (uint32_t y = 0; y < grid.patch_height; ++y) {
            const size_t line = size_t{c} * grid.height + size_t{row} * grid.down + y;
            to.copy(image, line * grid.width + size_t{column} * grid.across, grid.patch_width);
        }
    to.thermometer(row, grid.rows - 1);
    to.thermometer(column, grid.columns - 1);
    to.copy(literals, 0, grid.n_features, ~uint64_t{0});
}

// The columns of an image: [blank + 1][lane_words]. The last column has a bit for every patch.
class PatchColumns {
  public:
    PatchColumns(const Grid& grid_, const PatchBuffers& buffers)
        : grid(grid_), columns(buffers.columns), string(buffers.string), thinned(buffers.thinned) {}

    const uint64_t* of(uint32_t literal) const { return columns + size_t{literal} * grid.lane_words; }

    // Once: the columns of the patches' places, and the last column, which the blanks of a list name.
    void fill_places() {
        const uint32_t first = grid.n_features - (grid.rows - 1) - (grid.columns - 1);
        for (uint32_t k = 0; k + 1 < grid.rows; ++k)
            place(first + k, [&](uint32_t patch) { return patch / grid.columns > k; });
        for (uint32_t k = 0; k + 1 < grid.columns; ++k)
            place(first + grid.rows - 1 + k, [&](uint32_t patch) { return patch % grid.columns > k; });
        for (uint32_t word = 0; word < grid.lane_words; ++word) {
            const uint32_t left = grid.n_patches > 64 * word ? grid.n_patches - 64 * word : 0;
            column(grid.blank)[word] = bit_range(0, left < 64 ? left : 64);
        }
    }

    // For every image. With `down` above 1, the first lines of pixels of all patches are `down` apart, and so are the
    // second ones: there is a string of lines for each remainder. Shifts cut it into columns.
    void fill_pixels(const uint64_t* image) {
        const uint64_t* lines = grid.across == 1 ? image : thin(image);
        const uint32_t width = grid.thinned_width;
        const uint32_t remainders = grid.down < grid.patch_height ? grid.down : grid.patch_height;
        for (uint32_t c = 0; c < grid.channels; ++c)
            for (uint32_t x = 0; x < grid.patch_width; ++x)
                for (uint32_t rest = 0; rest < remainders; ++rest) {
                    const uint32_t n_lines = grid.rows + (grid.patch_height - 1 - rest) / grid.down;
                    BitWriter to(string);
                    for (uint32_t i = 0; i < n_lines; ++i) {
                        const size_t line = size_t{c} * grid.height + rest + size_t{i} * grid.down;
                        const size_t start = (line * grid.across + x % grid.across) * width + x / grid.across;
                        to.copy(lines, start, grid.columns);
                    }
                    for (uint32_t y = rest; y < grid.patch_height; y += grid.down)
                        cut((c * grid.patch_height + y) * grid.patch_width + x, size_t{y / grid.down} * grid.columns);
                }
    }

  private:
    const Grid& grid;
    uint64_t *const columns, *const string, *const thinned;

    uint64_t* column(uint32_t literal) const { return columns + size_t{literal} * grid.lane_words; }

    template <class Holds>
    void place(uint32_t feature, Holds holds) {
        uint64_t *yes = column(feature), *no = column(grid.n_features + feature);
        for (uint32_t word = 0; word < grid.lane_words; ++word) {
            yes[word] = 0;
            for (uint32_t bit = 0; bit < 64; ++bit) yes[word] |= uint64_t{holds(64 * word + bit)} << bit;
            no[word] = ~yes[word];
        }
    }

    // Bits past the last patch may be anything: no clause reads them.
    void cut(uint32_t feature, size_t at) {
        const uint32_t shift = at % 64;
        const uint64_t* from = string + at / 64;
        uint64_t *yes = column(feature), *no = column(grid.n_features + feature);
        for (uint32_t base = 0; base < grid.lane_words; base += 8, from += 8, yes += 8, no += 8) {
            uint64_t cut[8];
            for (uint32_t k = 0; k < 8; ++k) cut[k] = from[k] >> shift | (from[k + 1] << 1) << (63 - shift);
            const Row512 row = Row512::load(cut);
            row.store(yes);
            (~row).store(no);
        }
    }

    // With `across` above 1: reorders every line as the pixels 0, across, 2 across, …, then 1, across + 1, … and so on.
    const uint64_t* thin(const uint64_t* image) {
        BitWriter to(thinned);
        for (size_t line = 0; line < size_t{grid.channels} * grid.height; ++line)
            for (uint32_t rest = 0; rest < grid.across; ++rest)
                for (uint32_t k = 0; k < grid.thinned_width; ++k) {
                    const size_t x = rest + size_t{k} * grid.across, at = line * grid.width + x;
                    to.append(x < grid.width ? image[at / 64] >> (at % 64) & 1 : 0, 1);
                }
        return thinned;
    }
};

// The literals of a clause come in eights here: blanks, which hold in every patch, fill the list. So no branch depends
// on how many literals are left.

// Of 512 patches those that satisfy a clause. It stops when there are none.
template <class Literal>
Row512 satisfied(const uint64_t* columns, size_t stride, const Literal* literals, uint32_t count, Row512 patches) {
    for (uint32_t i = 0; i < count && !patches.is_zero(); i += 8)
        for (uint32_t k = 0; k < 8; ++k) patches = patches & Row512::load(columns + literals[i + k] * stride);
    return patches;
}

constexpr uint64_t kAll = ~uint64_t{0};
alignas(64) constexpr uint64_t kNoneAndAll[2][8] = {{0, 0, 0, 0, 0, 0, 0, 0},
                                                    {kAll, kAll, kAll, kAll, kAll, kAll, kAll, kAll}};

// Keeps of 512 patches those for which a clause casts the most votes, and returns this number of votes: `most`, less
// one for each literal that fails, and 0 where `most` fail. A tree of adders counts the literals that hold, bit-sliced.
// The count starts so high that it reaches 2^top where the clause casts a vote; its low bits are then the votes less
// one. With kTop = top the planes are registers; kTop = 0 leaves `top` open.
template <uint32_t kTop, class Literal>
uint32_t most_votes_in(const uint64_t* columns, size_t stride, const Literal* literals, uint32_t count, uint32_t most,
                       uint32_t top, Row512& patches) {
    if constexpr (kTop != 0) top = kTop;
    const uint32_t start = (1u << top) - (count - most + 1);
    Row512 plane[kTop != 0 ? kTop + 1 : 18];
    for (uint32_t p = 0; p <= top; ++p) plane[p] = Row512::load(kNoneAndAll[start >> p & 1]);  // no branch
    for (uint32_t i = 0; i < count; i += 8) {
        Row512 eight[8], two[4], four[2];
        for (uint32_t k = 0; k < 8; ++k) eight[k] = Row512::load(columns + literals[i + k] * stride);
        for (uint32_t k = 0; k < 4; ++k) two[k] = full_add(plane[0], eight[2 * k], eight[2 * k + 1]);
        for (uint32_t k = 0; k < 2; ++k) four[k] = full_add(plane[1], two[2 * k], two[2 * k + 1]);
        Row512 carry = full_add(plane[2], four[0], four[1]);
        for (uint32_t p = 3; p <= top; ++p) {
            const Row512 next = plane[p] & carry;
            plane[p] = plane[p] ^ carry;
            carry = next;
        }
    }
    patches = patches & plane[top];
    if (patches.is_zero()) return 0;
    uint32_t more = 0;
    for (uint32_t p = top; p-- > 0;) {
        if ((most - 1) >> p == 0) continue;
        const Row512 with = patches & plane[p];
        if (with.is_zero()) continue;
        patches = with;
        more += 1u << p;
    }
    return more + 1;
}

// The most votes that a clause casts for any patch of an image. Sets `best` to the patches with so many votes, as a row
// of lanes; where there are no votes, `best` may be anything. `count` is a multiple of eight.
template <class Literal>
uint32_t best_patches(const Grid& grid, const uint64_t* columns, const Literal* literals, uint32_t count, uint32_t most,
                      uint64_t* best) {
    const size_t stride = grid.lane_words;
    uint32_t votes = 0;
    for (uint32_t base = 0; base < grid.n_patches; base += 512) {
        const uint64_t* from = columns + base / 64;
        Row512 patches = Row512::load(from + grid.blank * stride);
        uint32_t here = most;
        if (most == 1) {
            patches = satisfied(from, stride, literals, count, patches);
            here = patches.is_zero() ? 0 : 1;
        } else if (count != 0 && count - most < 64 && most <= 64) {
            here = most_votes_in<6>(from, stride, literals, count, most, 6, patches);
        } else if (count != 0) {
            uint32_t top = 7;  // 2^top is at least the literals that must hold, and the votes
            while (1u << top < count - most + 1 || 1u << top < most) ++top;
            here = most_votes_in<0>(from, stride, literals, count, most, top, patches);
        }
        if (here > votes) {
            for (uint32_t word = 0; word < base / 64; ++word) best[word] = 0;
            votes = here;
        } else if (here < votes) {
            patches = Row512::zero();
        }
        patches.store(best + base / 64);
    }
    return votes;
}

}  // namespace
}  // namespace adtm::ADTM_TARGET
