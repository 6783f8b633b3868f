#include "crew.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace adtm {
namespace {

int64_t nanoseconds() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
    asm volatile("yield");
#endif
}

// Waits until done() holds. A wait between two steps of a bank is too short for sleep. So this spins first, then offers
// its core to other threads (there may be more threads than cores), and sleeps only after some milliseconds.
template <class Done>
void wait_until(Done done) {
    constexpr int kSpins = 10000, kYields = 4000;
    for (int i = 0; !done(); ++i) {
        if (i < kSpins) {
            // Seldom, because a virtual machine loses a core that pauses in a tight loop.
            if (i % 64 == 63) pause();
        } else if (i < kSpins + kYields) {
            std::this_thread::yield();
        } else {
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    }
}

}  // namespace

// ---- BankTeam ------------------------------------------------------------------------------------------------------

void BankTeam::set_up(uint64_t n_steps, uint32_t clause_blocks, uint32_t most_members, double cost) {
    Team::next = &BankTeam::next;
    Team::meet = &BankTeam::meet;
    capacity_ = most_members;
    n_windows_ = (n_steps + kWindow - 1) / kWindow;
    clause_blocks_ = clause_blocks;
    cost_ = cost;
}

void BankTeam::begin(uint32_t n_members) {
    for (Plan& plan : plans_) plan.shares.divide(clause_blocks_, n_members);
    plans_[1].moved = false;
    clock_ = nanoseconds();
    started_.store(uint64_t{n_members} << kShift, std::memory_order_relaxed);
    tickets_.store(n_members, std::memory_order_release);
}

Share BankTeam::share_of(uint32_t member, uint64_t window) const {
    const Plan& plan = plans_[window % 2];
    const uint32_t first = plan.shares.first(member);
    return {window, plan.shares.n_members(), first, first + plan.shares.size(member), plan.moved};
}

bool BankTeam::join(uint32_t* member, Share* share) {
    uint32_t ticket = tickets_.load(std::memory_order_acquire);
    do {
        if (ticket == 0 || ticket >= capacity_) return false;
    } while (!tickets_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel));
    uint64_t started = 0;
    wait_until([&] {
        started = started_.load(std::memory_order_acquire);
        return started >> kShift > ticket || (started & kWindows) == n_windows_;
    });
    const uint64_t window = started & kWindows;
    if (window == n_windows_) return false;
    *member = ticket;  // the window cannot end without this member
    *share = share_of(ticket, window);
    return true;
}

// The plan of window w is there since the leader began window w - 1, and the members have met since (learn/team.hpp).
bool BankTeam::next(Team* team, uint32_t member, Share* share) {
    BankTeam& self = *static_cast<BankTeam*>(team);
    const uint64_t window = share->window + 1;
    if (member == 0) self.measure(window, share->n_members);
    if (window == self.n_windows_) {
        if (member == 0) self.started_.store(window, std::memory_order_release);
        const auto nothing = [](void*) { return false; };
        if (share->n_members > 1)  // the last meeting: after it nobody uses the leader's buffers
            meet(team, member, share->n_members, {128 * window, nullptr, nullptr, nothing, nullptr});
        return false;
    }
    if (member == 0) {
        self.plan(window + 1);
        const uint64_t n_members = self.plans_[window % 2].shares.n_members();
        self.started_.store(n_members << kShift | window, std::memory_order_release);
    }
    *share = self.share_of(member, window);
    return true;
}

// Decide who owns what in a window. The leader is about to begin the window before.
void BankTeam::plan(uint64_t window) {
    const Shares& now = plans_[(window + 1) % 2].shares;
    Shares& then = plans_[window % 2].shares;
    const uint32_t n_members = tickets_.load(std::memory_order_acquire);
    then = now;
    if (n_members != now.n_members()) then.divide(clause_blocks_, n_members);
    balance(window, &then);
    plans_[window % 2].moved = then != now;
}

// Every few windows: often enough to follow changes of a core's speed, seldom enough to measure it.
void BankTeam::balance(uint64_t window, Shares* shares) {
    constexpr uint64_t kOften = 8;
    const uint32_t n_members = shares->n_members();
    if (n_members == 1 || window % kOften != 0) return;
    const int64_t elapsed = clock_ - balanced_;
    const bool measured = idle_.size() == n_members;
    balanced_ = clock_;
    idle_.resize(n_members);
    busy_.resize(n_members);
    for (uint32_t member = 0; member < n_members; ++member) {
        const double idle = static_cast<double>(place_.idle(member));
        busy_[member] = std::max(static_cast<double>(elapsed) - (idle - idle_[member]), 0.0);
        idle_[member] = idle;
    }
    if (measured) shares->balance(busy_.data());
}

void BankTeam::meet(Team* team, uint32_t member, uint32_t n_members, const Meeting& meeting) {
    MeetingPlace& place = static_cast<BankTeam*>(team)->place_;
    const auto all_have_come = [&] { return place.all_have_come(n_members, meeting.number); };
    place.come(member, meeting.number, meeting.votes);
    bool here = all_have_come();
    while (!here && meeting.meanwhile(meeting.who)) here = all_have_come();
    if (!here) {
        const int64_t since = nanoseconds();
        wait_until(all_have_come);
        place.add_idle(member, static_cast<uint64_t>(nanoseconds() - since));
    }
    if (meeting.votes != nullptr) place.add_up(n_members, meeting.number, meeting.total);
}

void BankTeam::lend(uint64_t* even, uint64_t* odd, Seat* seats) {
    columns[0] = even;
    columns[1] = odd;
    place_.lend(seats, capacity_);
}

void BankTeam::measure(uint64_t window, uint32_t n_members) {
    const int64_t now = nanoseconds();
    spent_ += static_cast<double>(now - clock_) * n_members;
    clock_ = now;
    cost_.store(spent_ / static_cast<double>(window), std::memory_order_relaxed);
}

double BankTeam::attraction() const {
    const uint32_t members = tickets_.load(std::memory_order_relaxed);
    const uint64_t left = n_windows_ - (started_.load(std::memory_order_relaxed) & kWindows);
    if (members == 0 || members >= capacity_ || left < 3)
        return 0;  // one window is under way, and in the next it would be admitted
    return static_cast<double>(left) * cost() / (members + 1);
}

// ---- Crew ----------------------------------------------------------------------------------------------------------

Crew::Crew(const uint64_t* start, uint32_t n_banks, uint32_t clause_blocks, uint32_t n_threads, const double* costs)
    : n_banks_(n_banks), most_members_(std::min(clause_blocks, n_threads)), teams_(new BankTeam[n_banks]) {
    for (uint32_t bank = 0; bank < n_banks; ++bank) {
        const uint64_t n_steps = start[bank + 1] - start[bank];
        teams_[bank].set_up(n_steps, clause_blocks, most_members_, costs[bank]);
        if (n_steps != 0) order_.push_back(bank);
    }
    std::stable_sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
        return teams_[a].cost() * static_cast<double>(teams_[a].n_windows()) >
               teams_[b].cost() * static_cast<double>(teams_[b].n_windows());
    });
}

uint32_t Crew::most_workers() const {
    const uint64_t most = uint64_t{most_members_} * order_.size();
    return static_cast<uint32_t>(std::min<uint64_t>(most, UINT32_MAX));
}

// Each bank gets one thread, the most costly bank first. The threads that are left go to the teams that need them most.
void Crew::prepare(uint32_t n_workers) {
    const uint32_t n_begun = std::min<uint32_t>(n_workers, static_cast<uint32_t>(order_.size()));
    std::vector<uint32_t> members(n_begun, 1);
    for (uint32_t spare = n_workers - n_begun; spare != 0; --spare) {
        uint32_t neediest = n_begun;
        double most = -1;
        for (uint32_t i = 0; i < n_begun; ++i) {
            const BankTeam& team = teams_[order_[i]];
            const double need = team.cost() * static_cast<double>(team.n_windows()) / members[i];
            if (members[i] < most_members_ && need > most) neediest = i, most = need;
        }
        if (neediest == n_begun) break;
        ++members[neediest];
    }
    for (uint32_t i = 0; i < n_begun; ++i) {
        const uint32_t bank = order_[i];
        BankTeam& team = teams_[bank];
        team.begin(members[i]);
        for (uint32_t member = 0; member < members[i]; ++member)
            first_.push_back({bank, member, team.share_of(member, 0), &team});
    }
    next_bank_ = n_begun;
}

bool Crew::first_place(uint32_t worker, Place* place) {
    if (worker >= first_.size()) return false;
    *place = first_[worker];
    return true;
}

bool Crew::next_place(Place* place) {
    if (next_bank_.load(std::memory_order_relaxed) < order_.size()) {
        const uint32_t next = next_bank_.fetch_add(1, std::memory_order_relaxed);
        if (next < order_.size()) {
            BankTeam& team = teams_[order_[next]];
            team.begin(1);
            *place = {order_[next], 0, team.share_of(0, 0), &team};
            return true;
        }
    }
    for (;;) {
        BankTeam* best = nullptr;
        double most = 0;
        for (const uint32_t bank : order_) {
            const double attraction = teams_[bank].attraction();
            if (attraction > most) best = &teams_[bank], most = attraction;
        }
        if (best == nullptr) return false;
        place->bank = static_cast<uint32_t>(best - teams_.get());
        place->team = best;
        if (best->join(&place->member, &place->share)) return true;
    }
}

void Crew::costs(double* out) const {
    for (uint32_t bank = 0; bank < n_banks_; ++bank) out[bank] = teams_[bank].cost();
}

}  // namespace adtm
