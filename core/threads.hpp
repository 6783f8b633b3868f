// Threads: work handed out piece by piece. Who does what never changes a result.
#pragma once
#include <atomic>
#include <cstdint>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace adtm {

// Calls work(worker) on n_threads threads, this one included, or on as many as can be had: before the work begins,
// prepare(n_workers) is told how many there are.
template <class Prepare, class Work>
void on_threads(uint32_t n_threads, Prepare prepare, Work work) {
    std::atomic<bool> ready{false};
    std::vector<std::thread> threads;
    threads.reserve(n_threads);
    for (uint32_t i = 1; i < n_threads; ++i) {
        try {
            threads.emplace_back([&, i] {
                ready.wait(false, std::memory_order_acquire);
                work(i);
            });
        } catch (const std::system_error&) { break; }
    }
    prepare(static_cast<uint32_t>(threads.size()) + 1);
    ready.store(true, std::memory_order_release);
    ready.notify_all();
    work(0u);
    for (std::thread& t : threads) t.join();
}

// Calls work(first) .. work(first + n_threads - 1), each on a thread of its own, this one included, or fewer of them where a
// thread cannot be had. Each thread starts half of those left to it, so that the last begins soon.
template <class Work>
void fan_out(uint32_t first, uint32_t n_threads, const Work& work) {
    std::thread started[32];
    uint32_t n_started = 0;
    try {
        for (; n_threads > 1; ++n_started) {
            const uint32_t half = n_threads / 2;
            n_threads -= half;
            started[n_started] = std::thread([&work, at = first + n_threads, half] { fan_out(at, half, work); });
        }
    } catch (const std::exception&) {}  // no room for it, or no more threads allowed
    work(first);
    for (uint32_t i = 0; i < n_started; ++i) started[i].join();
}

// Calls work(unit, worker) for every unit in 0 .. n_units - 1, on at most n_threads threads.
template <class Work>
void for_each_unit(uint64_t n_units, uint32_t n_threads, Work work) {
    std::atomic<uint64_t> next{0};
    fan_out(0, static_cast<uint32_t>(n_threads < n_units ? n_threads : n_units), [&](uint32_t worker) {
        for (uint64_t unit = next++; unit < n_units; unit = next++) work(unit, worker);
    });
}

}  // namespace adtm
