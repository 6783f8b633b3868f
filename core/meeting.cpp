#include "meeting.hpp"

#include <algorithm>
#include <new>

namespace adtm {

void MeetingPlace::lend(Seat* seats, uint32_t capacity) {
    seats_ = seats;
    capacity_ = capacity;
    for (size_t i = 0; i < n_seats(capacity); ++i) new (seats + i) Seat;  // another bank may have used them
}

void MeetingPlace::come(uint32_t member, uint64_t meeting, const int32_t* votes) {
    Seat& seat = seats(meeting)[member];
    if (votes != nullptr) std::copy(votes, votes + kShown, seat.votes);
    seat.come.store(meeting + 1, std::memory_order_release);
}

// A member that has come to a later meeting has come to this one. There is no branch in the loop, so the CPU fetches
// the cache lines of all seats at the same time.
bool MeetingPlace::all_have_come(uint32_t n_members, uint64_t meeting) const {
    const Seat* const seats = this->seats(meeting);
    bool here = true;
    for (uint32_t i = 0; i < n_members; ++i) here &= seats[i].come.load(std::memory_order_acquire) > meeting;
    return here;
}

void MeetingPlace::add_up(uint32_t n_members, uint64_t meeting, int32_t* total) const {
    const Seat* const seats = this->seats(meeting);
    std::fill(total, total + kShown, 0);
    for (uint32_t i = 0; i < n_members; ++i)
        for (uint32_t k = 0; k < kShown; ++k) total[k] += seats[i].votes[k];
}

void MeetingPlace::add_idle(uint32_t member, uint64_t nanoseconds) {
    std::atomic<uint64_t>& idle = seats_[member].idle;
    idle.store(idle.load(std::memory_order_relaxed) + nanoseconds, std::memory_order_relaxed);
}

}  // namespace adtm
