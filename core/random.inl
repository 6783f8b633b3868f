// A draw is a pure function of its coordinates: no state, so skipped steps cost nothing and any order gives the same bits.
// key(...) folds the coordinates into 64 bits; word(key, i) is the i-th 32-bit word under that key. The same functions
// stand in Python in adtm/draws.py, which defines them.

enum Purpose : uint64_t { kSelect = 2, kCoin = 3, kWeak = 4 };

constexpr uint64_t kGolden = 0x9E3779B97F4A7C15u;

static inline uint64_t mix64(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

static inline uint64_t absorb(uint64_t key, uint64_t x) { return mix64(key + kGolden * (x + 1)); }

// Words first .. first + 15 under a key: two rounds of multiply and shift, one half of the key before each.
static inline U32x16 words16(uint64_t key, uint32_t first) {
    U32x16 x = (U32x16::splat(first) + U32x16::iota()) ^ U32x16::splat(static_cast<uint32_t>(key));
    x = (x ^ x.template shr<16>()) * U32x16::splat(0x21F0AAADu) + U32x16::splat(static_cast<uint32_t>(key >> 32));
    x = (x ^ x.template shr<15>()) * U32x16::splat(0x735A2D97u);
    return x ^ x.template shr<15>();
}

// 64 lanes: bit i is set when word 64 * block + i lies below the threshold.
static inline uint64_t below64(uint64_t key, uint32_t block, uint32_t threshold) {
    const U32x16 t = U32x16::splat(threshold);
    uint64_t mask = 0;
    for (uint32_t part = 0; part < 4; ++part)
        mask |= static_cast<uint64_t>(words16(key, 64 * block + 16 * part).less(t)) << (16 * part);
    return mask;
}
