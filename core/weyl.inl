// Evenly spread words in place of drawn ones: first + index * stride, modulo 2^32. The same constants and rules stand in
// Python in adtm/weyl.py, which defines them; docs/determinism.md explains them.

constexpr uint32_t kClause = 0xCF1BBCDDu, kStep = 0x6A09E667u, kLiteral = 0xBB67AE85u;

// 64 lanes: bit i is set when word 64 * block + i lies below the threshold.
static inline uint64_t spread64(uint32_t first, uint32_t stride, uint32_t block, uint32_t threshold) {
    const U32x16 t = U32x16::splat(threshold), ahead = U32x16::splat(16 * stride);
    U32x16 x = U32x16::iota() * U32x16::splat(stride) + U32x16::splat(first + 64 * block * stride);
    uint64_t mask = 0;
    for (uint32_t part = 0; part < 4; ++part, x = x + ahead) mask |= static_cast<uint64_t>(x.less(t)) << (16 * part);
    return mask;
}

// The same for up to 64 words with any indices.
static inline uint64_t spread_of(uint32_t first, uint32_t stride, const uint16_t* index, uint32_t size, uint32_t threshold) {
    const U32x16 t = U32x16::splat(threshold), start = U32x16::splat(first), by = U32x16::splat(stride);
    uint64_t mask = 0;
    for (uint32_t k = 0; k < size; k += 16)
        mask |= static_cast<uint64_t>((U32x16::from_u16(index + k) * by + start).less(t)) << k;
    return mask;
}

// The same for 64 words that stand in memory, all shifted by `first`.
static inline uint64_t spread_at(uint32_t first, const uint32_t* words, uint32_t threshold) {
    const U32x16 t = U32x16::splat(threshold), start = U32x16::splat(first);
    uint64_t mask = 0;
    for (uint32_t part = 0; part < 4; ++part)
        mask |= static_cast<uint64_t>((U32x16::load(words + 16 * part) + start).less(t)) << (16 * part);
    return mask;
}
