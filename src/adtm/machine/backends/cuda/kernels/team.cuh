// How the blocks of a team, which train one bank together, add up their votes: each sends its 32 numbers into the shared
// memory of all (Hopper's clusters). The two buffers alternate. A block sends number k + 2 only after it has all of k + 1,
// so after everybody has read number k. The wait is one of the block's own scope: blocks share nothing in global memory, and a
// wider one would empty the L1 cache each time.
#if TEAM == 1
#define CLUSTER
struct Mail {
    u64 nothing;
};
FN void open_mail(Mail&, u32) {}
FN void send(Mail&, const int*, u32, u32, u32) {}
FN int receive(Mail&, int mine, u32, u32, u32) { return mine; }
FN void meet_team() {}
#else
#define CLUSTER __cluster_dims__(TEAM, 1, 1)

FN u32 shared_address(const void* p) { return (u32)__cvta_generic_to_shared(p); }

FN u32 at_block(u32 address, u32 rank) {
    u32 there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

FN void meet_team() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

FN void expect_votes(u64* barrier) {
    asm volatile(
        "{ .reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t, [%0], %1; }" ::"r"(shared_address(barrier)),
        "r"(TEAM * 128)
        : "memory");
}

FN void wait_for_votes(u64* barrier, u32 parity) {
    u32 done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
}

struct Mail {
    u64 barriers[2];
    int votes[2][TEAM][32];
};

FN void open_mail(Mail& mail, u32 tid) {
    if (tid == 0) {
        for (int b = 0; b < 2; ++b)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&mail.barriers[b])) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (tid == 0) expect_votes(&mail.barriers[0]), expect_votes(&mail.barriers[1]);
    meet_team();
}

// Sends to all blocks what this one has for each lane; exchange number `round`. All threads call it, after a barrier.
FN void send(Mail& mail, const int* votes, u32 round, u32 rank, u32 tid) {
    const u32 b = round & 1, lane = tid & 31, warp = tid >> 5;
    if (warp < TEAM && lane < 8) {  // four numbers each
        const u32 to = at_block(shared_address(&mail.votes[b][rank][4 * lane]), warp);
        const u32 barrier = at_block(shared_address(&mail.barriers[b]), warp);
        const uint4 mine = ((const uint4*)votes)[lane];
        asm volatile(
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to),
            "r"(mine.x), "r"(mine.y), "r"(mine.z), "r"(mine.w), "r"(barrier)
            : "memory");
    }
}

// The sum of what the blocks have sent for a step.
FN int receive(Mail& mail, int, u32 round, u32 tid, u32 step) {
    const u32 b = round & 1;
    wait_for_votes(&mail.barriers[b], round >> 1 & 1);
    if (tid == 0) expect_votes(&mail.barriers[b]);
    int sum = 0;
#pragma unroll
    for (int r = 0; r < TEAM; ++r) sum += mail.votes[b][r][step];
    return sum;
}
#endif
