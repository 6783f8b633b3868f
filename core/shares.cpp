#include "shares.hpp"

namespace adtm {

void Shares::divide(uint32_t n_blocks, uint32_t n_members) {
    sizes_.resize(n_members);
    costs_.clear();
    const uint64_t blocks = n_blocks;
    for (uint32_t member = 0; member < n_members; ++member)
        sizes_[member] = static_cast<uint32_t>(blocks * (member + 1) / n_members - blocks * member / n_members);
}

void Shares::balance(const double* busy) {
    // A block that moves is in the caches of another core, so the move has to gain a little.
    constexpr double kWorthwhile = 0.95;
    const uint32_t n = n_members();
    const bool known = !costs_.empty();
    costs_.resize(n);
    for (uint32_t member = 0; member < n; ++member) {
        const double cost = busy[member] / sizes_[member];
        costs_[member] = known ? (costs_[member] + cost) / 2 : cost;
    }
    const auto time_with = [&](uint32_t member, uint32_t more) { return costs_[member] * (sizes_[member] + more); };
    for (uint32_t moves = 0; moves < n; ++moves) {
        uint32_t slow = 0, quick = 0;
        for (uint32_t member = 1; member < n; ++member) {
            if (time_with(member, 0) > time_with(slow, 0)) slow = member;
            if (time_with(member, 1) < time_with(quick, 1)) quick = member;
        }
        if (sizes_[slow] < 2 || time_with(quick, 1) >= kWorthwhile * time_with(slow, 0)) return;
        --sizes_[slow];
        ++sizes_[quick];
    }
}

uint32_t Shares::first(uint32_t member) const {
    uint32_t first = 0;
    for (uint32_t before = 0; before < member; ++before) first += sizes_[before];
    return first;
}

}  // namespace adtm
