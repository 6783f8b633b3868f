// CUDA's names for a machine without a card: every thread is a fiber, and a kernel runs as it is written. For tests of small
// launches; nothing here is fast. Threads of a warp must meet in each of its operations, as all kernels of this project do.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>
#include <setjmp.h>
#include <ucontext.h>

#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__
#define __align__(n)
#define __restrict__
#define __ldg(p) (*(p))
using std::max;
using std::min;

struct uint4 {
    uint32_t x, y, z, w;
};
inline uint4 make_uint4(uint32_t x, uint32_t y, uint32_t z, uint32_t w) { return {x, y, z, w}; }

namespace host {

struct Meeting {  // of `size` fibers; the values of the last one stay readable until all have come to the next
    uint32_t size = 0, came = 0, number = 0;
    uint64_t now[32] = {}, kept[2][32] = {};
};
struct Index {
    uint32_t x, y;
};
struct BlockOf {
    Meeting all;
    std::vector<Meeting> warps;
    std::vector<uint64_t> memory;
    Index index;
};
struct Team {
    Meeting all;
    std::vector<int> mail;
};
struct Fiber {
    ucontext_t context;  // its first entry; from then on jumps, which make no system calls
    jmp_buf place;
    bool begun = false;
    std::vector<char> stack;
    BlockOf* block;
    Team* team;
    Index thread;
    bool done = false;
};

inline jmp_buf scheduler;
inline Fiber* running;
inline Index grid, block_size;
inline const std::function<void()>* kernel;

inline void yield() {
    if (!_setjmp(running->place)) _longjmp(scheduler, 1);
}
inline void resume(Fiber& fiber) {
    running = &fiber;
    if (_setjmp(scheduler)) return;
    if (fiber.begun) _longjmp(fiber.place, 1);
    fiber.begun = true;
    setcontext(&fiber.context);
}

// Waits for all and returns the buffer with their values.
inline const uint64_t* meet(Meeting& m, uint32_t place, uint64_t value) {
    const uint32_t number = m.number;
    m.now[place % 32] = value;
    if (++m.came == m.size) {
        std::memcpy(m.kept[number & 1], m.now, sizeof m.now);
        m.came = 0;
        ++m.number;
    }
    while (m.number == number) yield();
    return m.kept[number & 1];
}
inline uint32_t lane() { return running->thread.x & 31; }
inline const uint64_t* warp(uint64_t value) {
    return meet(running->block->warps[running->thread.x >> 5], lane(), value);
}

inline void enter() {
    (*kernel)();
    running->done = true;
    for (;;) yield();
}

constexpr uint64_t UNTOUCHED = 0xDEADBEEFDEADBEEFull;
constexpr std::ptrdiff_t GUARD = 512;  // words behind the shared memory of a block, which no kernel may touch

inline void run_team(uint32_t first_block, uint32_t row, uint32_t n_blocks, size_t shared_bytes) {
    Team team;
    const uint32_t threads = block_size.x;
    team.all.size = n_blocks * threads;
    team.mail.assign(2 * 32, 0);
    std::vector<BlockOf> blocks(n_blocks);
    std::vector<Fiber> fibers(n_blocks * threads);
    for (uint32_t b = 0; b < n_blocks; ++b) {
        blocks[b].all.size = threads;
        blocks[b].warps.resize(threads / 32);
        for (Meeting& warp : blocks[b].warps) warp.size = 32;
        blocks[b].memory.assign(shared_bytes / 8 + 1 + GUARD, UNTOUCHED);
        blocks[b].index = {first_block + b, row};
    }
    for (size_t k = 0; k < fibers.size(); ++k) {
        Fiber& f = fibers[k];
        f.block = &blocks[k / threads];
        f.team = &team;
        f.thread = {uint32_t(k % threads), 0};
        f.stack.resize(64 << 10);
        getcontext(&f.context);
        f.context.uc_stack.ss_sp = f.stack.data();
        f.context.uc_stack.ss_size = f.stack.size();
        makecontext(&f.context, enter, 0);
    }
    for (bool left = true; left;) {
        left = false;
        for (Fiber& f : fibers) {
            if (f.done) continue;
            left = true;
            resume(f);
        }
    }
    for (const BlockOf& block : blocks)
        if (std::count(block.memory.end() - GUARD, block.memory.end(), UNTOUCHED) != GUARD) {
            std::fputs("a kernel wrote beyond its shared memory\n", stderr);
            std::abort();
        }
}

inline void launch(Index blocks, Index threads, uint32_t team, size_t shared_bytes, const std::function<void()>& body) {
    grid = blocks, block_size = threads, kernel = &body;
    for (uint32_t y = 0; y < blocks.y; ++y)
        for (uint32_t x = 0; x < blocks.x; x += team) run_team(x, y, team, shared_bytes);
}

}  // namespace host

#define threadIdx (host::running->thread)
#define blockIdx (host::running->block->index)
#define gridDim (host::grid)
#define blockDim (host::block_size)
#define SHARED_MEMORY(name) unsigned char* name = (unsigned char*)host::running->block->memory.data()
#define CLUSTER

inline void __syncthreads() { host::meet(host::running->block->all, 0, 0); }
inline void __syncwarp() { host::warp(0); }
inline uint32_t __ballot_sync(uint32_t, bool vote) {
    const uint64_t* v = host::warp(vote);
    uint32_t mask = 0;
    for (int k = 0; k < 32; ++k) mask |= uint32_t(v[k] & 1) << k;
    return mask;
}
inline bool __any_sync(uint32_t, bool vote) { return __ballot_sync(0, vote) != 0; }
template <class T>
T of_lane(T x, uint32_t from) {
    uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof x);
    bits = host::warp(bits)[from & 31];
    std::memcpy(&x, &bits, sizeof x);
    return x;
}
template <class T>
T __shfl_sync(uint32_t, T x, uint32_t from) {
    return of_lane(x, from);
}
template <class T>
T __shfl_xor_sync(uint32_t, T x, uint32_t mask) {
    return of_lane(x, host::lane() ^ mask);
}
template <class T>
T __shfl_up_sync(uint32_t, T x, uint32_t by) {
    return of_lane(x, host::lane() >= by ? host::lane() - by : host::lane());
}
template <class T, class Join>
T joined(T x, Join join) {
    uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof x);
    const uint64_t* v = host::warp(bits);
    T sum;
    std::memcpy(&sum, &v[0], sizeof sum);
    for (int k = 1; k < 32; ++k) {
        T y;
        std::memcpy(&y, &v[k], sizeof y);
        sum = join(sum, y);
    }
    return sum;
}
template <class T>
T __reduce_add_sync(uint32_t, T x) {
    return joined(x, [](T a, T b) { return T(a + b); });
}
inline uint32_t __reduce_and_sync(uint32_t, uint32_t x) {
    return joined(x, [](uint32_t a, uint32_t b) { return a & b; });
}
inline uint32_t __reduce_max_sync(uint32_t, uint32_t x) {
    return joined(x, [](uint32_t a, uint32_t b) { return a > b ? a : b; });
}
inline uint32_t __reduce_min_sync(uint32_t, uint32_t x) {
    return joined(x, [](uint32_t a, uint32_t b) { return a < b ? a : b; });
}
template <class T>
T atomicAdd(T* at, T x) {
    const T old = *at;
    *at += x;
    return old;
}
inline uint32_t atomicMin(uint32_t* at, uint32_t x) {
    const uint32_t old = *at;
    *at = min(old, x);
    return old;
}
inline int __popc(uint32_t x) { return __builtin_popcount(x); }
inline int __ffs(uint32_t x) { return __builtin_ffs(int(x)); }
inline uint32_t __funnelshift_r(uint32_t low, uint32_t high, uint32_t by) {
    return uint32_t((uint64_t{high} << 32 | low) >> (by & 31));
}
inline int __clz(uint32_t x) { return x ? __builtin_clz(x) : 32; }
inline uint32_t __umulhi(uint32_t a, uint32_t b) { return uint32_t(uint64_t(a) * b >> 32); }

// In the place of team.cuh: the sum over all blocks of a team.
struct Mail {
    uint64_t nothing;
};
inline void open_mail(Mail&, uint32_t) {}
inline void meet_team() { host::meet(host::running->team->all, 0, 0); }
inline void send(Mail&, const int*, uint32_t, uint32_t, uint32_t) {}
inline int receive(Mail&, int mine, uint32_t, uint32_t tid, uint32_t) {
    std::vector<int>& mail = host::running->team->mail;
    if (tid < 32) mail[tid] += mine;
    meet_team();
    const int sum = mail[tid & 31];
    meet_team();
    if (tid < 32) mail[tid] = 0;
    meet_team();
    return sum;
}
