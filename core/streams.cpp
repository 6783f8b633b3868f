#include "streams.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace adtm {

// Keys are drawn or evenly spread, so few share their first bits: sorting by these does nearly all of the work.
void sorted_order(const uint64_t* keys, size_t n, uint32_t* order) {
    const int shift = 64 - std::clamp(static_cast<int>(std::bit_width(n)), 1, 16);
    std::vector<uint32_t> end(size_t{1} << (64 - shift));
    for (size_t i = 0; i < n; ++i) ++end[keys[i] >> shift];
    uint32_t begin = 0;
    for (uint32_t& count : end) begin += count, count = begin - count;
    for (size_t i = 0; i < n; ++i) order[end[keys[i] >> shift]++] = static_cast<uint32_t>(i);
    const auto before = [keys](uint32_t a, uint32_t b) { return keys[a] < keys[b] || (keys[a] == keys[b] && a < b); };
    begin = 0;
    for (const uint32_t stop : end) {
        if (stop - begin > 1) std::sort(order + begin, order + stop, before);
        begin = stop;
    }
}

void rotating_others(const uint32_t* own, size_t n, size_t n_others, uint32_t n_classes, uint32_t begin,
                     uint32_t* others) {
    const uint32_t circle = n_classes - 1;
    std::vector<uint32_t> next(n_classes, begin % circle);
    for (size_t i = 0; i < n; ++i) {
        uint32_t place = next[own[i]];
        for (size_t z = 0; z < n_others; ++z) {
            const uint32_t other = own[i] + place + 1;
            others[z * n + i] = other < n_classes ? other : other - n_classes;
            if (++place == circle) place = 0;
        }
        next[own[i]] = place;
    }
}

void class_streams(const uint32_t* order, const uint32_t* own, const uint32_t* others, size_t n, size_t n_others,
                   uint32_t n_banks, uint32_t* rows, int32_t* targets, uint64_t* offsets) {
    std::fill(offsets, offsets + n_banks + 1, 0);
    for (size_t i = 0; i < n; ++i) ++offsets[own[i] + 1];
    for (size_t i = 0; i < n * n_others; ++i) ++offsets[others[i] + 1];
    for (uint32_t bank = 0; bank < n_banks; ++bank) offsets[bank + 1] += offsets[bank];
    std::vector<uint64_t> next(offsets, offsets + n_banks);
    for (size_t i = 0; i < n; ++i) {
        const uint64_t first = next[own[i]]++;
        rows[first] = order[i], targets[first] = 1;
        for (size_t z = 0; z < n_others; ++z) {
            const uint64_t second = next[others[z * n + i]]++;
            rows[second] = order[i], targets[second] = 0;
        }
    }
}

}  // namespace adtm
