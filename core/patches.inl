// Patches of an image (adtm/patches.py), as lanes: the column of a literal has one bit for each patch, 512 patches are a
// row. Columns of pixels are the image itself, shifted: patches overlap, so no bit is fetched twice. Columns of places are
// the same for every image. Also here: the literals of one patch, and the patches where a clause misses the fewest.

// 64 bits of a row of bits, from bit `at` on; reads one word more than it must.
static inline uint64_t bits_at(const uint64_t* words, size_t at) {
    const uint32_t shift = at % 64;
    words += at / 64;
    return words[0] >> shift | (words[1] << 1) << (63 - shift);
}

// Writes bits one after the other, at most 64 at a time; the word after the last bit is written, too.
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
    // `count` bits of a row of bits; it may be the one that is written.
    void copy(const uint64_t* from, size_t first, uint32_t count, uint64_t flip = 0) {
        for (uint32_t k = 0; k < count; k += 64)
            append(bits_at(from, first + k) ^ flip, count - k < 64 ? count - k : 64);
    }
    // `count` bits of which the first `ones` are set: a place on a thermometer.
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
static void patch_literals(const Grid& grid, const uint64_t* image, uint32_t number, uint64_t* literals) {
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

// The columns of an image: [n_padded + 1][lane_words], the last all ones.
class PatchColumns {
  public:
    PatchColumns(const Grid& grid_, const PatchBuffers& buffers)
        : grid(grid_), columns(buffers.columns), string(buffers.string), thinned(buffers.thinned) {}

    const uint64_t* of(uint32_t literal) const { return columns + size_t{literal} * grid.lane_words; }

    // Once: where a patch lies, and the column of ones for the blanks of a list.
    void fill_places(uint32_t n_padded) {
        const uint32_t first = grid.n_features - (grid.rows - 1) - (grid.columns - 1);
        for (uint32_t k = 0; k + 1 < grid.rows; ++k)
            place(first + k, [&](uint32_t patch) { return patch / grid.columns > k; });
        for (uint32_t k = 0; k + 1 < grid.columns; ++k)
            place(first + grid.rows - 1 + k, [&](uint32_t patch) { return patch % grid.columns > k; });
        for (uint32_t word = 0; word < grid.lane_words; ++word) column(n_padded)[word] = ~uint64_t{0};
    }

    // For every image. With `down` above 1, patches take their first line of pixels, their second and so on from lines
    // that are `down` apart: one string of lines for each remainder. Each is cut into columns by shifting.
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

    // Bits past the last patch may be anything: no clause looks there.
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

    // With `across` above 1: every line as the pixels 0, across, 2 across, …, then 1, across + 1, … and so on.
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

// Of 512 patches those where a clause misses the fewest of its literals, if these are fewer than `limit`; returns how many,
// or `limit`. Level k of a thermometer holds the patches with at most k misses.
template <int limit, class Literal>
static uint32_t fewest_misses_below(const uint64_t* columns, size_t stride, const Literal* literals, uint32_t count,
                                    Row512 patches, uint64_t* best) {
    Row512 level[limit];
    for (int k = 0; k < limit; ++k) level[k] = patches;
    for (uint32_t i = 0; i < count; ++i) {
        const Row512 holds = Row512::load(columns + literals[i] * stride);
        for (int k = limit - 1; k > 0; --k) level[k] = level[k].and_or(holds, level[k - 1]);
        level[0] = level[0] & holds;
        if (i % 4 == 3 && level[limit - 1].is_zero()) return limit;
    }
    for (int k = 0; k < limit; ++k)
        if (!level[k].is_zero()) {
            level[k].store(best);
            return static_cast<uint32_t>(k);
        }
    return limit;
}

// The same for any limit: misses are counted, and the smallest count is read from the highest bit down.
template <class Literal>
static uint32_t fewest_misses_counted(const uint64_t* columns, size_t stride, const Literal* literals, uint32_t count,
                                      Row512 patches, uint64_t* best, uint32_t limit) {
    Counter misses;
    for (uint32_t i = 0; i < count; ++i) misses.add_dense(~Row512::load(columns + literals[i] * stride));
    const uint32_t fewest = misses.least(&patches);
    if (fewest >= limit) return limit;
    patches.store(best);
    return fewest;
}

// The patches of an image where a clause misses the fewest of its literals, as a row of lanes; returns how many it misses
// there, or `limit` where that is not below it (and `best` is anything then).
template <class Literal>
static uint32_t fewest_misses(const Grid& grid, const uint64_t* columns, const Literal* literals, uint32_t count,
                              uint32_t limit, uint64_t* best) {
    static constexpr decltype(&fewest_misses_below<1, Literal>) by_limit[] = {
        nullptr,
        fewest_misses_below<1, Literal>,
        fewest_misses_below<2, Literal>,
        fewest_misses_below<3, Literal>,
        fewest_misses_below<4, Literal>,
        fewest_misses_below<5, Literal>,
        fewest_misses_below<6, Literal>,
        fewest_misses_below<7, Literal>,
        fewest_misses_below<8, Literal>,
    };
    constexpr uint32_t kLevels = sizeof by_limit / sizeof *by_limit;
    uint32_t fewest = limit;
    const size_t stride = grid.lane_words;
    for (uint32_t base = 0; base < grid.n_patches; base += 512) {
        const Row512 patches = base + 512 <= grid.n_patches ? ~Row512::zero() : lanes(0, grid.n_patches, base);
        const uint64_t* from = columns + base / 64;
        uint64_t* to = best + base / 64;
        // Beyond the first row of patches, one more than the fewest so far is already too many.
        const uint32_t below = base != 0 && fewest < limit ? fewest + 1 : limit;
        const uint32_t found = below < kLevels
                                   ? by_limit[below](from, stride, literals, count, patches, to)
                                   : fewest_misses_counted(from, stride, literals, count, patches, to, below);
        if (found < fewest) {
            for (uint64_t* word = best; word < to; ++word) *word = 0;
            fewest = found;
        } else if (found == below) {
            Row512::zero().store(to);
        }
    }
    return fewest;
}
