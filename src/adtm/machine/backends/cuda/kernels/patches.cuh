// Patches of an image (adtm/tables/patches.py): a column has what 32 * PATCH_WORDS patches say to a literal, and after the
// columns of all literals comes one that is always true. layout.cu has cut the lines of an image into strings, one for each
// place in a line of a patch: the column of a pixel is a piece of a string, since patches overlap.
// Compiled for: PATCHES of an image in GRID_COLUMNS, pixels of a patch in PATCH_HEIGHT lines of PATCH_WIDTH, DOWN (pixels from a
// patch to the one below), STRING (words of a string).
#if PATCHES
#define PATCH_WORDS ((PATCHES + 31) / 32u)
#define PATCH_LANES \
    (PATCH_WORDS <= 4 ? 4 : PATCH_WORDS <= 8 ? 8 : PATCH_WORDS <= 16 ? 16 : 32)  // that have words of their own
#define KEPT \
    (PATCH_WORDS <= 32 ? PATCH_WORDS : 0)  // words of a clause's best patches in shared memory, else found again
#define FEATURES (N_LITERALS / 2u)
#define REMAINDERS (DOWN < PATCH_HEIGHT ? DOWN : PATCH_HEIGHT)
#define GRID_ROWS (PATCHES / GRID_COLUMNS)
#define PIXELS (FEATURES - (GRID_ROWS - 1) - (GRID_COLUMNS - 1))

// Once: the columns of places, and the last one.
FN void fill_places(u32* columns, u32 tid, u32 n_threads) {
#pragma unroll 1
    for (u32 k = tid; k < (FEATURES - PIXELS) * PATCH_WORDS; k += n_threads) {
        const u32 place = k / PATCH_WORDS, w = k % PATCH_WORDS;
        u32 bits = 0;
#pragma unroll 1
        for (u32 b = 0; b < 32; ++b) {
            const u32 patch = 32 * w + b, row = patch / GRID_COLUMNS, column = patch % GRID_COLUMNS;
            bits |= (u32)(place < GRID_ROWS - 1 ? row > place : column > place - (GRID_ROWS - 1)) << b;
        }
        columns[(PIXELS + place) * COLUMN + w] = bits;
        columns[(FEATURES + PIXELS + place) * COLUMN + w] = ~bits;
    }
    for (u32 w = tid; w < PATCH_WORDS; w += n_threads) columns[ALWAYS * COLUMN + w] = FULL;
}

// Word k of the columns of pixels: where it lies, and where in the strings.
struct Pixels {
    u32 to, from, shift;
};
FN Pixels pixels_of(u32 k) {
    const u32 f = k / PATCH_WORDS, w = k % PATCH_WORDS, x = f % PATCH_WIDTH, line = f / PATCH_WIDTH;
    const u32 y = line % PATCH_HEIGHT, first = y / DOWN * GRID_COLUMNS + 32 * w;
    const u32 string = (line / PATCH_HEIGHT * PATCH_WIDTH + x) * REMAINDERS + y % DOWN;
    return {f * COLUMN + w, string * STRING + first / 32, first % 32};
}
FN void fill_word(u32* columns, const u32* strings, const Pixels& at) {
    const u32 bits = __funnelshift_r(strings[at.from], strings[at.from + 1], at.shift);
    columns[at.to] = bits;
    columns[at.to + FEATURES * COLUMN] = ~bits;
}

// For every image: the columns of pixels, from word `tid` on.
FN void fill_pixels(u32* columns, const u32* strings, u32 tid, u32 n_threads) {
#pragma unroll 1  // instructions that are read once cost more than they save
    for (u32 k = tid; k < PIXELS * PATCH_WORDS; k += n_threads) fill_word(columns, strings, pixels_of(k));
}

#define BY_VECTORS (LISTS && !MISSES && KEPT)  // ANDs look at four words of a column at once
#define VECTOR_LANES (PATCH_LANES / 4)
#if BY_VECTORS
FN u32 any_of(const uint4& found) { return __any_sync(FULL, (found.x | found.y | found.z | found.w) != 0); }
FN void keep_both(uint4& found, const uint4* columns, u32 two) {
    const uint4 a = columns[(two & 0xFFFF) * (COLUMN / 4)], b = columns[(two >> 16) * (COLUMN / 4)];
    found.x &= a.x & b.x, found.y &= a.y & b.y, found.z &= a.z & b.z, found.w &= a.w & b.w;
}

// What lanes that are a multiple of VECTOR_LANES apart keep together.
FN void keep_common(uint4& found) {
#pragma unroll
    for (u32 j = 16; j >= VECTOR_LANES; j >>= 1) {
        found.x &= __shfl_xor_sync(FULL, found.x, j), found.y &= __shfl_xor_sync(FULL, found.y, j);
        found.z &= __shfl_xor_sync(FULL, found.z, j), found.w &= __shfl_xor_sync(FULL, found.w, j);
    }
}

// The patches to which an AND with a list says yes, in four words of each lane, from 4 * (lane % VECTOR_LANES) on. Lanes a
// multiple of VECTOR_LANES apart share the literals. Most clauses fail at the first of them.
FN uint4 patches_by_list(const uint16_t* list, const u32* columns, u32 size, u32 lane) {
    const u32 at = lane % VECTOR_LANES, w = 4 * at;
    const uint4* const mine = (const uint4*)columns + min(at, COLUMN / 4 - 1);
    uint4 found =
        make_uint4(span(0, PATCHES, w), span(0, PATCHES, w + 1), span(0, PATCHES, w + 2), span(0, PATCHES, w + 3));
    const u32 group = lane / VECTOR_LANES, n = (size + 7) / 8;
    if (n == 0) return found;
    uint4 e = ((const uint4*)list)[min(group, n - 1)];  // that all lanes go the same way, some look at a literal again
    keep_both(found, mine, e.x), keep_both(found, mine, e.y);
    keep_common(found);
    if (!any_of(found)) return found;
    keep_both(found, mine, e.z), keep_both(found, mine, e.w);
#pragma unroll 1
    for (u32 first = 32 / VECTOR_LANES; first < n; first += 32 / VECTOR_LANES) {
        e = ((const uint4*)list)[min(first + group, n - 1)];
        keep_both(found, mine, e.x), keep_both(found, mine, e.y);
        keep_both(found, mine, e.z), keep_both(found, mine, e.w);
    }
    keep_common(found);
    return found;
}
#endif

// Of 32 patches the most that a clause says to one, and in `which` those to which it says so.
FN u32 most_said(const Said& said, u32& which) {
    u32 most = 0;
    which = FULL;
#pragma unroll
    for (int p = SAID - 1; p >= 0; --p)
        if (which & said.planes[p]) which &= said.planes[p], most |= 1u << p;
    return most;
}

// The literals of a patch, of a chunk of words: a lane reads one bit of each, then has a word.
FN u32 literals_of(const u32* columns, u32 patch, u32 first, u32 n_words, u32 lane) {
    const u32* mine = columns + (32 * first + lane) * COLUMN + patch / 32;
    u32 bits = 0;
    for (u32 k = 0; k < n_words; ++k) bits |= (mine[32 * k * COLUMN] >> patch % 32 & 1) << k;
    return transpose32(bits, lane);
}
#else
#define KEPT 0
#endif
