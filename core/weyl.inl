// Evenly spread words in place of drawn ones: a start, and a stride added again and again, modulo 2^32. The same constants
// and rules stand in Python in adtm/weyl.py, which defines them and the phases; docs/determinism.md explains them.

constexpr uint32_t kClause = 0xCF1BBCDDu, kStep = 0x6A09E667u;

// 64 lanes: bit i is set when first + (64 * block + i) * stride lies below the threshold.
static inline uint64_t spread64(uint32_t first, uint32_t stride, uint32_t block, uint32_t threshold) {
    const U32x16 t = U32x16::splat(threshold), ahead = U32x16::splat(16 * stride);
    U32x16 x = U32x16::iota() * U32x16::splat(stride) + U32x16::splat(first + 64 * block * stride);
    uint64_t mask = 0;
    for (uint32_t part = 0; part < 4; ++part, x = x + ahead) mask |= static_cast<uint64_t>(x.less(t)) << (16 * part);
    return mask;
}

// 64 automata on the rota: bit i is set when the word `ahead` of phase i lies below the threshold.
static inline uint64_t turns64(const uint32_t* phases, uint32_t ahead, uint32_t threshold) {
    const U32x16 t = U32x16::splat(threshold), by = U32x16::splat(ahead);
    uint64_t mask = 0;
    for (uint32_t part = 0; part < 4; ++part)
        mask |= static_cast<uint64_t>((U32x16::load(phases + 16 * part) + by).less(t)) << (16 * part);
    return mask;
}

// The same for up to 64 automata of any index.
static inline uint64_t turns_of(const uint32_t* phases, const uint16_t* index, uint32_t size, uint32_t ahead, uint32_t threshold) {
    const U32x16 t = U32x16::splat(threshold), by = U32x16::splat(ahead);
    uint64_t mask = 0;
    for (uint32_t k = 0; k < size; k += 16)
        mask |= static_cast<uint64_t>((U32x16::from_u16(index + k).gather(phases) + by).less(t)) << k;
    return mask;
}
