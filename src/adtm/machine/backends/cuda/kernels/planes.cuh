// 32 automata at a time: plane p of a word holds bit p of their states. Pure functions, no threads and no memory; the tests
// compile them for the host and compare them with the reference.
//
// A state of 0 .. 2N - 1 is kept with 2^(PLANES - 1) - N added to it, so that the highest plane is the include mask.

// Where the bits of word w lie in from .. to - 1.
FN u32 span(u32 from, u32 to, u32 w) {
    const u32 s = 32 * w;
    const u32 a = from <= s ? 0 : from - s < 32 ? from - s : 32, b = to <= s ? 0 : to - s < 32 ? to - s : 32;
    return (b >= 32 ? FULL : (1u << b) - 1) & ~(a >= 32 ? FULL : (1u << a) - 1);
}

// A bit of a number as a mask of 32.
FN u32 spread_bit(u32 number, u32 p) { return (u32)((int32_t)(number << (31 - p)) >> 31); }

// x - by where the mask says so, and one less where `one` does; none below `low`.
FN void subtract(u32 (&x)[PLANES], u32 mask, u32 by, u32 one, u32 low) {
    u32 borrow = one, below = 0;
#pragma unroll
    for (int p = 0; p < PLANES; ++p) {
        const u32 b = spread_bit(by, p) & mask, l = spread_bit(low, p), v = x[p];
        x[p] = v ^ b ^ borrow;
        borrow = (~v & (b | borrow)) | (b & borrow);
        below = (~x[p] & l) | (below & ~(x[p] ^ l));
    }
    below |= borrow;
#pragma unroll
    for (int p = 0; p < PLANES; ++p) x[p] = (x[p] & ~below) | (spread_bit(low, p) & below);
}

// x + by where the mask says so; none above `high`.
FN void add(u32 (&x)[PLANES], u32 mask, u32 by, u32 high) {
    u32 carry = 0, above = 0;
#pragma unroll
    for (int p = 0; p < PLANES; ++p) {
        const u32 a = spread_bit(by, p) & mask, h = spread_bit(high, p), v = x[p];
        x[p] = v ^ a ^ carry;
        carry = (v & a) | (carry & (v | a));
        above = (x[p] & ~h) | (above & ~(x[p] ^ h));
    }
    above |= carry;
#pragma unroll
    for (int p = 0; p < PLANES; ++p) x[p] = (x[p] & ~above) | (spread_bit(high, p) & above);
}

// x + by where `up` says so, x - by where `down` does; none below `low` and none above `high`.
FN void move_by(u32 (&x)[PLANES], u32 up, u32 down, u32 by, u32 low, u32 high) {
    u32 carry = down, below = 0, above = 0;
#pragma unroll
    for (int p = 0; p < PLANES; ++p) {
        const u32 a = (spread_bit(by, p) ^ down) & (up | down), l = spread_bit(low, p), h = spread_bit(high, p), v = x[p];
        x[p] = v ^ a ^ carry;
        carry = (v & a) | (carry & (v | a));
        below = (~x[p] & l) | (below & ~(x[p] ^ l));
        above = (x[p] & ~h) | (above & ~(x[p] ^ h));
    }
    below = down & (below | ~carry), above = up & (above | carry);
#pragma unroll
    for (int p = 0; p < PLANES; ++p)
        x[p] = (x[p] & ~(below | above)) | (spread_bit(low, p) & below) | (spread_bit(high, p) & above);
}

// One more where the mask says so, or one less; none beyond `end`.
template <bool MORE>
FN void move_one(u32 (&x)[PLANES], u32 mask, u32 end) {
    u32 inside = 0;
#pragma unroll
    for (int p = 0; p < PLANES; ++p) inside |= x[p] ^ spread_bit(end, p);
    u32 carry = mask & inside;
#pragma unroll
    for (int p = 0; p < PLANES; ++p) {
        const u32 v = x[p];
        x[p] = v ^ carry;
        carry &= MORE ? v : ~v;
    }
}

// The included automata nearest to exclusion, of those in `which` (not empty): moves that they survive, and in `which` all
// that survive no more.
FN u32 shallowest(const u32 (&x)[PLANES], u32& which) {
    u32 depth = 0;
#pragma unroll
    for (int p = PLANES - 2; p >= 0; --p) {
        const u32 lower = which & ~x[p];
        if (lower) which = lower;
        else depth |= 1u << p;
    }
    return depth;
}
