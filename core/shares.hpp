// Which clause blocks of a bank each member of its team owns: a run of blocks, whose length follows the member's speed.
// Cores differ: some are small, some have other work too. A team is as fast as its slowest member.
#pragma once
#include <cstdint>
#include <vector>

namespace adtm {

class Shares {
  public:
    // All members get about the same number.
    void divide(uint32_t n_blocks, uint32_t n_members);
    // `busy` is how long each member has worked since the last call, without the time it waited. Slow members give
    // blocks to members that would still be faster with one more. Everyone keeps one.
    void balance(const double* busy);

    bool operator==(const Shares& other) const { return sizes_ == other.sizes_; }
    uint32_t n_members() const { return static_cast<uint32_t>(sizes_.size()); }
    uint32_t first(uint32_t member) const;
    uint32_t size(uint32_t member) const { return sizes_[member]; }

  private:
    std::vector<uint32_t> sizes_;  // blocks of each member
    std::vector<double> costs_;  // time that a block takes each member, smoothed; empty before the first call
};

}  // namespace adtm
