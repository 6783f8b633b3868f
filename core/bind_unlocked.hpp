// Work without the GIL, by threads that may outlive the interpreter.
//
// A daemon thread that asks for the GIL after the interpreter has ended is ended by Python on the spot (up to 3.13): its
// stack is unwound through C++ that forbids it, and the whole process aborts. So once the end has begun threads that come
// back from the core wait for it instead, and the end waits for those that already ask for the GIL.
#pragma once
#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace adtm {

inline std::atomic<bool> the_end_has_begun{false};
inline std::atomic<int> n_coming_back{0};
inline std::thread::id the_last_thread;

// The GIL is let go for as long as one lives.
class Unlocked {
  public:
    Unlocked() : state_(PyEval_SaveThread()) {}
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;
    ~Unlocked() {
        ++n_coming_back;
        if (the_end_has_begun && std::this_thread::get_id() != the_last_thread) {
            --n_coming_back;
            for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
        }
        PyEval_RestoreThread(state_);
        --n_coming_back;
    }

  private:
    PyThreadState* state_;
};

// To be called at exit, before the interpreter ends.
inline void begin_the_end() {
    the_last_thread = std::this_thread::get_id();
    the_end_has_begun = true;
    PyThreadState* state = PyEval_SaveThread();
    // In a process that was forked, those that asked may not exist any more.
    const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (n_coming_back > 0 && std::chrono::steady_clock::now() < late) std::this_thread::yield();
    PyEval_RestoreThread(state);
}

}  // namespace adtm
