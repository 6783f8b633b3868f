// Which clause blocks of a bank each member of its team owns: a run of them, as long as the member's speed allows. Cores
// differ: some are small, some are shared with strangers, and a team is as quick as its slowest member.
#pragma once
#include <cstdint>
#include <vector>

namespace adtm {

class Shares {
  public:
    // Each member about as many.
    void divide(uint32_t n_blocks, uint32_t n_members);
    // `busy` is how long each member worked since the last call, waiting left out. Members that took long give blocks to
    // those that would still be quicker with one more; everyone keeps one.
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
