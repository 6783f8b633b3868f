// What 32 lanes do together.

// Bit i of lane k becomes bit k of lane i.
FN u32 transpose32(u32 x, u32 lane) {
    u32 m = 0x0000FFFFu;
#pragma unroll
    for (u32 j = 16; j; j >>= 1) {
        const u32 y = __shfl_xor_sync(FULL, x, j);
        x = (lane & j) ? ((x & ~m) | ((y & ~m) >> j)) : ((x & m) | ((y & m) << j));
        m ^= m << (j >> 1);
    }
    return x;
}

// The sum of what this lane and those before it have.
FN u32 sum_up_to(u32 x, u32 lane) {
#pragma unroll
    for (u32 k = 1; k < 32; k <<= 1) {
        const u32 lower = __shfl_up_sync(FULL, x, k);
        if (lane >= k) x += lower;
    }
    return x;
}

FN u64 sum_of_lanes(u64 x) {
#pragma unroll
    for (u32 j = 16; j; j >>= 1) x += __shfl_xor_sync(FULL, x, j);
    return x;
}
