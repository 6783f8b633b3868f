// Threads, and pieces of work for them. Results never depend on who does what.
//
// A call borrows threads and gives them back. To start and end them would take half a millisecond of a call.
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

namespace adtm {

struct Helper;  // a thread that sleeps until it is asked

// Threads that help the calling thread as long as this object lives.
class Helpers {
  public:
    // So many, or fewer if the system gives no more.
    explicit Helpers(uint32_t wanted);
    ~Helpers();
    Helpers(const Helpers&) = delete;
    Helpers& operator=(const Helpers&) = delete;

    uint32_t count() const { return static_cast<uint32_t>(helpers_.size()); }

    // Calls work(0) here and work(1) .. work(count()) on the helpers, and returns when all are done. `work` must not
    // throw.
    template <class Work>
    void run(const Work& work) {
        ask([](const void* what, uint32_t i) { (*static_cast<const Work*>(what))(i); }, &work);
        work(uint32_t{0});
        wait();
    }

  private:
    void ask(void (*call)(const void*, uint32_t), const void* work);
    void wait();

    std::vector<Helper*> helpers_;
};

// Calls work(worker) on n_threads threads, this one included, or on fewer if the system gives no more. Before that it
// calls prepare(n_workers) with their number.
template <class Prepare, class Work>
void on_threads(uint32_t n_threads, Prepare prepare, const Work& work) {
    Helpers helpers(n_threads - 1);
    prepare(helpers.count() + 1);
    helpers.run(work);
}

// Calls work(unit, worker) for every unit in 0 .. n_units - 1, on at most n_threads threads.
template <class Work>
void for_each_unit(uint64_t n_units, uint32_t n_threads, const Work& work) {
    if (n_units == 0) return;
    std::atomic<uint64_t> next{0};
    Helpers helpers(static_cast<uint32_t>(n_threads < n_units ? n_threads : n_units) - 1);
    helpers.run([&](uint32_t worker) {
        for (uint64_t unit = next++; unit < n_units; unit = next++) work(unit, worker);
    });
}

}  // namespace adtm
