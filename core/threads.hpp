// Threads: work handed out piece by piece. Who does what never changes a result.
#pragma once
#include <atomic>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

namespace adtm {

// Starts work(1) .. work(n_threads - 1), each on a thread of its own; one that cannot be had ends the row. `work` must
// outlive the threads.
template <class Work>
std::vector<std::thread> start_threads(uint32_t n_threads, const Work& work) {
    std::vector<std::thread> threads;
    threads.reserve(n_threads);
    for (uint32_t i = 1; i < n_threads; ++i) {
        try {
            threads.emplace_back([&work, i] { work(i); });
        } catch (const std::system_error&) { break; }
    }
    return threads;
}

// Calls work(worker) on n_threads threads, this one included, or on as many as can be had: before the work begins,
// prepare(n_workers) is told how many there are.
template <class Prepare, class Work>
void on_threads(uint32_t n_threads, Prepare prepare, Work work) {
    std::atomic<bool> ready{false};
    const auto wait_and_work = [&](uint32_t worker) {
        ready.wait(false, std::memory_order_acquire);
        work(worker);
    };
    std::vector<std::thread> threads = start_threads(n_threads, wait_and_work);
    prepare(static_cast<uint32_t>(threads.size()) + 1);
    ready.store(true, std::memory_order_release);
    ready.notify_all();
    work(0u);
    for (std::thread& t : threads) t.join();
}

// Calls work(unit, worker) for every unit in 0 .. n_units - 1, on at most n_threads threads.
template <class Work>
void for_each_unit(uint64_t n_units, uint32_t n_threads, Work work) {
    std::atomic<uint64_t> next{0};
    const auto take_units = [&](uint32_t worker) {
        for (uint64_t unit = next++; unit < n_units; unit = next++) work(unit, worker);
    };
    std::vector<std::thread> threads =
        start_threads(static_cast<uint32_t>(n_threads < n_units ? n_threads : n_units), take_units);
    take_units(0);
    for (std::thread& t : threads) t.join();
}

}  // namespace adtm
