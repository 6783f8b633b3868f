// The threads that train a machine: which bank each works on, with whom, and when it moves on.
//
// Banks never read each other, so a bank with one thread needs no synchronisation. If there are more threads than banks
// left, threads share a bank as a *team*; learn/team.hpp draws how its members meet. A team grows between two windows:
// a thread that has finished a bank takes the most costly bank that nobody has begun, or joins the team that has the
// most work left for each member. So ten unequal banks keep any number of threads busy to the end. Now and then members
// that make others wait hand some clauses over (shares.hpp). Results do not depend on any of this.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "meeting.hpp"
#include "shares.hpp"
#include "types.hpp"

namespace adtm {

// The team of one bank. Its first member, the leader, admits threads that want to join, and lends its buffers to the
// team.
class BankTeam : public Team {
  public:
    // Before the run. `cost` is the cost of a window in the last run, in the same unit for all banks.
    void set_up(uint64_t n_steps, uint32_t clause_blocks, uint32_t most_members, double cost);
    // Called by the leader, or before the threads start: so many members begin.
    void begin(uint32_t n_members);
    // Called by the leader, before its first window.
    void lend(uint64_t* even, uint64_t* odd, Seat* seats);
    // Called by a thread that has nothing to do. True if it has become a member, false if it is too late.
    bool join(uint32_t* member, Share* share);
    // The member's share of a window that the leader has begun, or is about to begin.
    Share share_of(uint32_t member, uint64_t window) const;

    uint64_t n_windows() const { return n_windows_; }
    double cost() const { return cost_.load(std::memory_order_relaxed); }
    // The work that would be left for each member if one more joined; 0 if nobody can join.
    double attraction() const;

  private:
    static bool next(Team* team, uint32_t member, Share* share);
    static void meet(Team* team, uint32_t member, uint32_t n_members, const Meeting& meeting);
    void measure(uint64_t window, uint32_t n_members);
    void plan(uint64_t window);
    void balance(uint64_t window, Shares* shares);

    // `started_` holds the number of a window, and above it the number of its members.
    static constexpr int kShift = 40;
    static constexpr uint64_t kWindows = (uint64_t{1} << kShift) - 1;

    uint64_t n_windows_ = 0;
    uint32_t clause_blocks_ = 0;
    uint32_t capacity_ = 0;  // the most members that the team can have
    MeetingPlace place_;
    // Who owns what in a window, and whether that differs from the window before.
    struct Plan {
        Shares shares;
        bool moved = true;
    };
    // For windows with even and with odd number: the leader writes one while others may still read the other.
    Plan plans_[2];
    int64_t clock_ = 0;  // when the leader began its present window
    int64_t balanced_ = 0;  // when balance() last read how long members had waited
    std::vector<double> idle_,
        busy_;  // of each member: how long it had waited by then, and how long it has worked since
    double spent_ = 0;  // time of all members in the windows done
    std::atomic<double> cost_{0};
    alignas(64) std::atomic<uint64_t> started_{0};  // the window that the leader has begun
    alignas(64) std::atomic<uint32_t> tickets_{0};  // given out so far; the ticket of a member is its number
};

// A thread's place: a member of the team of a bank.
struct Place {
    uint32_t bank, member;
    Share share;
    BankTeam* team;
};

class Crew {
  public:
    // start: [n_banks + 1] where the stream of each bank begins. costs: [n_banks] of a window in the last run.
    Crew(const uint64_t* start, uint32_t n_banks, uint32_t clause_blocks, uint32_t n_threads, const double* costs);

    // The most threads that can have something to do.
    uint32_t most_workers() const;
    // Called before the threads start, with their number.
    void prepare(uint32_t n_workers);
    // Where a worker begins, and where it goes when a bank is done. False if nothing is left to do.
    bool first_place(uint32_t worker, Place* place);
    bool next_place(Place* place);
    // After the run: the cost of a window of each bank, [n_banks].
    void costs(double* out) const;

  private:
    uint32_t n_banks_, most_members_;
    std::unique_ptr<BankTeam[]> teams_;  // [n_banks]
    std::vector<uint32_t> order_;  // banks that have steps, the most costly first
    std::vector<Place> first_;  // of each worker
    std::atomic<uint32_t> next_bank_{0};  // place in order_ of the first bank that nobody has begun
};

}  // namespace adtm
