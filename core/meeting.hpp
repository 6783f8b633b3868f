// Where the members of a team meet: each comes with its votes, sees when all have come, and then what their votes add up to.
// Everyone looks at everyone's seat: with up to 16 members that was quicker than adding up in groups first.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "types.hpp"

namespace adtm {

// A member's seat: the meeting it has come to and its votes, on one cache line, so that one look takes both. Processors fetch
// such lines in pairs; what nobody waits for is on the other.
struct alignas(128) Seat {
    std::atomic<uint64_t> come{0};  // the last meeting that it has come to, plus 1
    int32_t votes[kShown] = {};
    alignas(64) std::atomic<uint64_t> idle{0};  // nanoseconds that the member has waited
};

// Meetings of a stream have rising numbers. Those with even and with odd number have different seats, so that votes stay until
// a member comes to the one after the next; where two in a row are alike, the second has no votes.
class MeetingPlace {
  public:
    static size_t n_seats(uint32_t capacity) { return size_t{2} * capacity; }
    // Seats for the members that there may ever be.
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
