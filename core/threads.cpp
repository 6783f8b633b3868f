#include "threads.hpp"

#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace adtm {

// Both numbers only grow: the helper has work while `done` is below `asked`. A helper is never deleted, so no thread
// can touch one that is gone.
struct Helper {
    std::atomic<uint32_t> asked{0}, done{0};
    void (*call)(const void*, uint32_t) = nullptr;
    const void* work = nullptr;
    uint32_t number = 0;

    void ask(void (*call_)(const void*, uint32_t), const void* work_, uint32_t number_) {
        call = call_;
        work = work_;
        number = number_;
        asked.fetch_add(1, std::memory_order_release);
        asked.notify_one();
    }

    void wait() const {
        const uint32_t wanted = asked.load(std::memory_order_relaxed);
        for (uint32_t now = done.load(std::memory_order_acquire); now != wanted;
             now = done.load(std::memory_order_acquire))
            done.wait(now, std::memory_order_acquire);
    }

    [[noreturn]] void live() {
        for (uint32_t round = 0;; ++round) {
            asked.wait(round, std::memory_order_acquire);
            call(work, number);
            done.store(round + 1, std::memory_order_release);
            done.notify_one();
        }
    }
};

namespace {

// The helpers that nobody uses now. They sleep until the process ends; there are as many as were ever needed at a time.
class Idle {
  public:
    static Idle& here() {
        static std::once_flag once;
        std::call_once(once, renew);
        return *idle_;
    }

    void take(uint32_t wanted, std::vector<Helper*>& to) {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (; to.size() < wanted && !helpers_.empty(); helpers_.pop_back()) to.push_back(helpers_.back());
        try {
            for (; to.size() < wanted; ++n_made_) {
                helpers_.reserve(n_made_ + 1);  // so that giving back never fails
                std::unique_ptr<Helper> helper(new Helper);
                std::thread([self = helper.get()] { self->live(); }).detach();
                to.push_back(helper.release());
            }
        } catch (const std::exception&) {}  // the system gives no more
    }

    void give_back(const std::vector<Helper*>& helpers) {
        const std::lock_guard<std::mutex> lock(mutex_);
        helpers_.insert(helpers_.end(), helpers.begin(), helpers.end());
    }

  private:
    // A forked process has none of its parent's threads, and another thread may have held the lock.
    static void renew() {
        idle_ = new Idle;  // never deleted: helpers may outlive everything
#if defined(__unix__) || defined(__APPLE__)
        static const int registered = pthread_atfork(nullptr, nullptr, [] { idle_ = new Idle; });
        static_cast<void>(registered);
#endif
    }

    static inline Idle* idle_ = nullptr;
    std::mutex mutex_;
    std::vector<Helper*> helpers_;
    size_t n_made_ = 0;
};

}  // namespace

Helpers::Helpers(uint32_t wanted) {
    if (wanted == 0) return;
    helpers_.reserve(wanted);
    Idle::here().take(wanted, helpers_);
}

Helpers::~Helpers() {
    if (!helpers_.empty()) Idle::here().give_back(helpers_);
}

void Helpers::ask(void (*call)(const void*, uint32_t), const void* work) {
    for (uint32_t i = 0; i < count(); ++i) helpers_[i]->ask(call, work, i + 1);
}

void Helpers::wait() {
    for (const Helper* helper : helpers_) helper->wait();
}

}  // namespace adtm
