// Where the members of a team meet (learn/team.hpp): each comes with its votes, sees when all have come, and adds up
// the votes of all. Each member reads the seats of all others: with up to 16 members this was faster than sums of
// groups.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "types.hpp"

namespace adtm {

// A member's seat. The meeting that it has come to and its votes are on one cache line, so that others fetch both at
// once. CPUs fetch lines in pairs; the other line has what nobody waits for.
struct alignas(128) Seat {
    std::atomic<uint64_t> come{0};  // the last meeting that the member has come to, plus 1
    int32_t votes[kShown] = {};
    alignas(64) std::atomic<uint64_t> idle{0};  // nanoseconds that the member has waited
};

// Meetings with even and with odd number have different seats. So the votes of a meeting stay until a member comes to
// the meeting after the next (invariant 3 of learn/team.hpp).
class MeetingPlace {
  public:
    static size_t n_seats(uint32_t capacity) { return size_t{2} * capacity; }
    // `seats` are for the most members that there can be.
    void lend(Seat* seats, uint32_t capacity);

    // `votes` is [kShown], or null.
    void come(uint32_t member, uint64_t meeting, const int32_t* votes);
    bool all_have_come(uint32_t n_members, uint64_t meeting) const;
    void add_up(uint32_t n_members, uint64_t meeting, int32_t* total) const;

    void add_idle(uint32_t member, uint64_t nanoseconds);
    uint64_t idle(uint32_t member) const { return seats_[member].idle.load(std::memory_order_relaxed); }

  private:
    Seat* seats(uint64_t meeting) const { return seats_ + (meeting % 2) * capacity_; }

    Seat* seats_ = nullptr;  // [2][capacity]
    size_t capacity_ = 0;
};

}  // namespace adtm
