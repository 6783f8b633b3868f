// Runs every operation of one target's vector types on random and extreme inputs and compares it, lane by lane, with what
// it means in plain integers. The target is named by the compiler's command line: -DTARGET=avx2.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#define NAME(x) #x
#define FILE_OF(x) NAME(../../core/simd/vec_##x.hpp)
#define VECTORS(x) FILE_OF(x)

#include VECTORS(TARGET)
#include "../../core/common/draws.h"
#include "../../core/simd/misses.hpp"
#include "../../core/simd/transpose.hpp"
#include "../../core/simd/words.hpp"

using namespace adtm::ADTM_TARGET;

namespace {

int checks = 0;

#define CHECK(holds)                                                    \
    do {                                                                \
        ++checks;                                                       \
        if (!(holds)) std::printf("line %d: %s\n", __LINE__, #holds), std::exit(1); \
    } while (false)

uint64_t state = 0x9E3779B97F4A7C15u;
uint64_t any64() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545F4914F6CDD1Du;
}
uint32_t any32() { return static_cast<uint32_t>(any64() >> 32); }

// A word with no bit, every bit, one bit, half of them, few or many.
uint64_t any_mask() {
    switch (any32() % 6) {
        case 0: return 0;
        case 1: return ~uint64_t{0};
        case 2: return uint64_t{1} << (any32() % 64);
        case 3: return any64();
        case 4: return any64() & any64() & any64();
        default: return any64() | any64() | any64();
    }
}

// A number of this width: often at an end, beside one, or at the sign.
template <class E>
E any() {
    const E top = static_cast<E>(E{1} << (8 * sizeof(E) - 1));
    const E edges[] = {0, 1, static_cast<E>(top - 1), top, static_cast<E>(top + 1), static_cast<E>(~E{1}), static_cast<E>(~E{0})};
    return any32() % 2 != 0 ? edges[any32() % 7] : static_cast<E>(any64());
}

template <class Lanes>
void check_lanes() {
    using E = typename Lanes::Element;
    E a[64], b[64], out[64];
    const bool near = any32() % 2 != 0;
    for (int i = 0; i < 64; ++i) a[i] = any<E>(), b[i] = near ? static_cast<E>(a[i] + any32() % 3 - 1) : any<E>();
    const Lanes va = Lanes::load(a), vb = Lanes::load(b);
    const int most = static_cast<E>(~E{0});
#define EACH(vector, scalar)                                                                        \
    (vector).store(out);                                                                            \
    for (int i = 0; i < 64; ++i) CHECK(out[i] == static_cast<E>(scalar));
    EACH(va, a[i])
    EACH(va.adds(vb), a[i] + b[i] > most ? most : a[i] + b[i])
    EACH(va.subs(vb), a[i] < b[i] ? 0 : a[i] - b[i])
    EACH(va.min(vb), a[i] < b[i] ? a[i] : b[i])
    EACH(va.max(vb), a[i] > b[i] ? a[i] : b[i])
    EACH(va.minus(vb), a[i] - b[i])
    const E x = any32() % 2 != 0 ? 1 : any<E>();
    const uint64_t mask = any_mask();
    EACH(Lanes::splat(x), x)
    EACH(Lanes::select(mask, x), mask >> i & 1 ? x : 0)
    uint8_t bytes[64];
    for (uint8_t& byte : bytes) byte = any<uint8_t>();
    EACH(Lanes::from_bytes(bytes), bytes[i])
#undef EACH
    uint64_t signs = 0, none = 0;
    E lowest = static_cast<E>(~E{0});
    for (int i = 0; i < 64; ++i) {
        signs |= static_cast<uint64_t>(a[i] >> (8 * sizeof(E) - 1)) << i;
        none |= static_cast<uint64_t>(a[i] == 0) << i;
        lowest = a[i] < lowest ? a[i] : lowest;
    }
    CHECK(va.sign_mask() == signs);
    CHECK(zeros(va) == none);
    CHECK(va.lowest() == lowest);
    for (E& lane : a) lane = static_cast<E>(~E{0});  // the lowest may stand in any lane, and may be the largest number
    CHECK(Lanes::load(a).lowest() == static_cast<E>(~E{0}));
    const uint32_t at = any32() % 64;
    a[at] = static_cast<E>(any<E>() | 1);
    CHECK(Lanes::load(a).lowest() == a[at]);
}

void check_rows() {
    uint64_t a[8], b[8], out[8];
    for (int i = 0; i < 8; ++i) a[i] = any_mask(), b[i] = any_mask();
    const Row512 va = Row512::load(a), vb = Row512::load(b);
    (va & vb).store(out);
    for (int i = 0; i < 8; ++i) CHECK(out[i] == (a[i] & b[i]));
    (va ^ vb).store(out);
    for (int i = 0; i < 8; ++i) CHECK(out[i] == (a[i] ^ b[i]));
    CHECK(Row512::zero().is_zero());
    CHECK((va & ~va).is_zero());
    CHECK((~va ^ va ^ ~Row512::zero()).is_zero());
    CHECK((va ^ va).is_zero());
    uint64_t one[8] = {};
    const uint32_t bit = any32() % 512;
    one[bit / 64] = uint64_t{1} << (bit % 64);
    CHECK(!Row512::load(one).is_zero());
}

void check_words() {
    uint32_t a[16], b[16], out[16], table[64];
    const bool near = any32() % 2 != 0;
    for (int i = 0; i < 16; ++i) a[i] = any<uint32_t>(), b[i] = near ? a[i] + any32() % 3 - 1 : any<uint32_t>();
    for (uint32_t& word : table) word = any32();
    const U32x16 va = U32x16::load(a), vb = U32x16::load(b);
#define EACH(vector, scalar)                                                     \
    (vector).store(out);                                                         \
    for (uint32_t i = 0; i < 16; ++i) CHECK(out[i] == static_cast<uint32_t>(scalar));
    EACH(va, a[i])
    EACH(va + vb, a[i] + b[i])
    EACH(va * vb, a[i] * b[i])
    EACH(va ^ vb, a[i] ^ b[i])
    EACH(va.template shr<15>(), a[i] >> 15)
    EACH(va.template shr<16>(), a[i] >> 16)
    EACH(U32x16::splat(a[3]), a[3])
    EACH(U32x16::iota(), i)
    uint16_t index[16];
    for (uint16_t& k : index) k = static_cast<uint16_t>(any32());
    EACH(U32x16::from_u16(index), index[i])
    for (uint16_t& k : index) k = static_cast<uint16_t>(any32() % 64);
    EACH(U32x16::from_u16(index).gather(table), table[index[i]])
#undef EACH
    uint64_t row[8];
    va.row().store(row);
    CHECK(std::memcmp(row, a, sizeof row) == 0);
    const uint32_t less = va.less(vb), bits = va.bits_at(U32x16::from_u16(index));
    for (uint32_t i = 0; i < 16; ++i) {
        CHECK((less >> i & 1) == (a[i] < b[i]));
        CHECK((bits >> i & 1) == (a[i] >> (index[i] % 32) & 1));
    }
}

void check_draws() {
    const uint64_t key = any64();
    const uint32_t block = any32() % 1024, threshold = any<uint32_t>(), first = any32(), stride = any32(), size = 1 + any32() % 64;
    uint32_t out[16], phases[64];
    uint16_t index[64];
    words16(key, 16 * block).store(out);
    for (uint32_t i = 0; i < 16; ++i) CHECK(out[i] == adtm_word(key, 16 * block + i));
    for (uint32_t i = 0; i < 64; ++i) {
        phases[i] = any32() % 2 != 0 ? threshold - first + any32() % 3 - 1 : any32();
        index[i] = static_cast<uint16_t>(any32() % 64);
    }
    const uint64_t drawn = below64(key, block, threshold), spread = spread64(first, stride, block, threshold);
    const uint64_t turns = turns64(phases, first, threshold), listed = turns_of(phases, index, size, first, threshold);
    for (uint32_t i = 0; i < 64; ++i) {
        CHECK((drawn >> i & 1) == (adtm_word(key, 64 * block + i) < threshold));
        CHECK((spread >> i & 1) == (first + (64 * block + i) * stride < threshold));
        CHECK((turns >> i & 1) == (phases[i] + first < threshold));
        if (i < size) CHECK((listed >> i & 1) == (phases[index[i]] + first < threshold));
    }
}

void check_bits() {
    uint64_t a[64], b[64];
    for (int i = 0; i < 64; ++i) a[i] = b[i] = any_mask();
    transpose64(b);
    for (int i = 0; i < 64; ++i)
        for (int j = 0; j < 64; ++j) CHECK((b[i] >> j & 1) == (a[j] >> i & 1));
    const uint64_t x = any_mask() | uint64_t{1} << (any32() % 64);
    uint32_t count = 0, low = 64, high = 0;
    for (uint32_t i = 0; i < 64; ++i)
        if ((x >> i & 1) != 0) ++count, low = i < low ? i : low, high = i;
    CHECK(count_bits(x) == count && lowest_bit(x) == low && highest_bit(x) == high);
    for (uint32_t from = 0; from <= 64; ++from)
        for (uint32_t to = from; to <= 64; ++to) {
            uint64_t range = 0;
            for (uint32_t i = from; i < to; ++i) range |= uint64_t{1} << i;
            CHECK(bit_range(from, to) == range);
        }
}

// Rows of some words, which end where they end: gathered as tiles, and woven.
void check_tiles() {
    const uint32_t n_rows = any32() % 65, n = 1 + any32() % kTiles, first = any32() % 3, stride = first + n;
    uint64_t* const rows = static_cast<uint64_t*>(std::malloc(sizeof(uint64_t) * (n_rows * stride + 1)));
    static uint64_t tiles[kTiles][64], woven[512];
    for (uint32_t i = 0; i < n_rows * stride; ++i) rows[i] = any64();
    gather_tiles([&](uint32_t i) { return rows + i * stride; }, n_rows, first, n, tiles[0], 64);
    for (uint32_t t = 0; t < n; ++t)
        for (uint32_t i = 0; i < 64; ++i) CHECK(tiles[t][i] == (i < n_rows ? rows[i * stride + first + t] : 0));
    std::free(rows);
    weave_tiles(tiles, woven);
    for (uint32_t t = 0; t < kTiles; ++t)
        for (uint32_t k = 0; k < 64; ++k) CHECK(woven[8 * k + t] == tiles[t][k]);
}

// So many rows, in which a lane has its bit with one of several chances: 0, 1, and between.
void check_counter(uint32_t rows) {
    Counter sparse, dense;
    static uint32_t counts[512];
    std::memset(counts, 0, sizeof counts);
    Row512 some_rows[4];
    uint32_t n_rows = 0, together = 4;
    for (uint32_t k = 0; k < rows; ++k) {
        uint64_t bits[8];
        for (uint32_t w = 0; w < 8; ++w) bits[w] = w == 0 ? 0 : w == 1 ? ~uint64_t{0} : w < 5 ? any_mask() : any64() | any64();
        for (uint32_t i = 0; i < 512; ++i) counts[i] += bits[i / 64] >> (i % 64) & 1;
        sparse.add(Row512::load(bits));
        some_rows[n_rows++] = Row512::load(bits);
        if (n_rows < together && k + 1 < rows) continue;
        for (uint32_t i = n_rows; i < 4; ++i) some_rows[i] = Row512::zero();
        dense.add_dense(some_rows, n_rows);
        n_rows = 0;
        together = 1 + any32() % 4;
    }
    const uint32_t n_blocks = 1 + any32() % 8;
    uint64_t all = 0, some = 0;
    for (uint32_t i = 0; i < 512; ++i) all += counts[i], some += i < 64 * n_blocks ? counts[i] : 0;
    for (const Counter* counter : {&sparse, &dense}) {
        uint16_t wide[512];
        uint8_t narrow[512];
        counter->store<U16x64>(wide);
        counter->store<U8x64>(narrow);
        for (uint32_t i = 0; i < 512; ++i) {
            CHECK(wide[i] == counts[i]);
            CHECK(narrow[i] == static_cast<uint8_t>(counts[i]));
        }
        CHECK(counter->sum() == all);
        CHECK(counter->sum(n_blocks) == some);
        std::memset(narrow, 0xA5, sizeof narrow);
        counter->store<U8x64>(narrow, n_blocks);
        for (uint32_t i = 0; i < 64 * n_blocks; ++i) CHECK(narrow[i] == static_cast<uint8_t>(counts[i]));
    }
}

// So many literals, and what is left of `most` votes in each lane. Some literals fail everywhere, some nowhere.
void check_misses(uint32_t literals, uint32_t most) {
    Misses<Row512> wide(literals);
    Misses<Word64> narrow(literals);
    static uint32_t counts[512];
    std::memset(counts, 0, sizeof counts);
    for (uint32_t k = 0; k < literals; k += 8) {
        Row512 rows[8];
        Word64 words[8];
        for (uint32_t i = 0; i < 8; ++i) {
            uint64_t bits[8] = {};
            for (uint32_t w = 0; w < 8 && k + i < literals; ++w)
                bits[w] = w == 1 ? ~uint64_t{0} : w == 2 ? 0 : w < 5 ? any_mask() : any64() & any64();
            for (uint32_t lane = 0; lane < 512; ++lane) counts[lane] += bits[lane / 64] >> (lane % 64) & 1;
            rows[i] = Row512::load(bits), words[i] = {bits[0]};
        }
        wide.add(rows);
        narrow.add(words);
    }
    Row512 planes[8];
    Word64 few[8];
    wide.left(most, planes);
    narrow.left(most, few);
    uint64_t bits[8][8];
    bool all = true;
    for (uint32_t p = 0; most >> p != 0; ++p) planes[p].store(bits[p]);
    for (uint32_t lane = 0; lane < 512; ++lane) {
        const uint32_t expected = counts[lane] < most ? most - counts[lane] : 0;
        uint32_t found = 0, again = 0;
        for (uint32_t p = 0; most >> p != 0; ++p) {
            found |= static_cast<uint32_t>(bits[p][lane / 64] >> (lane % 64) & 1) << p;
            if (lane < 64) again |= static_cast<uint32_t>(few[p].v >> lane & 1) << p;
        }
        CHECK(found == expected);
        if (lane < 64) CHECK(again == expected);
        all &= expected == 0;
    }
    CHECK(wide.all_at_least(most) == all);
}

}  // namespace

int main() {
    for (int round = 0; round < 2000; ++round) {
        check_lanes<U8x64>();
        check_lanes<U16x64>();
        check_rows();
        check_words();
        check_draws();
        if (round % 50 == 0) check_bits(), check_tiles();
    }
    for (const uint32_t rows : {0u, 1u, 2u, 3u, 7u, 8u, 63u, 127u, 128u, 255u, 256u, 257u, 600u, 32768u, 65535u}) check_counter(rows);
    for (const uint32_t literals : {0u, 1u, 2u, 7u, 8u, 9u, 16u, 64u, 100u, 255u, 256u, 257u, 511u, 1000u, 3000u})
        for (const uint32_t most : {1u, 2u, 3u, 4u, 5u, 8u, 15u, 16u, 100u, 127u, 128u, 254u, 255u}) check_misses(literals, most);
    std::printf("%d checks hold\n", checks);
    return 0;
}
