#include "start.hpp"

#include <cstring>

#include "common/draws.h"
#include "threads.hpp"

namespace adtm {

template <class Element>
void random_start(Element* states, const uint64_t* numbers, size_t n_banks, size_t n_clauses, size_t n_literals,
                  uint64_t seed, uint32_t n_states, uint32_t n_threads) {
    constexpr uint64_t kChunk = 64;  // clauses that one thread fills at a time
    const uint64_t n_all = n_banks * n_clauses;
    const Element low = static_cast<Element>(n_states - 1);
    for_each_unit((n_all + kChunk - 1) / kChunk, n_threads, [&](uint64_t chunk, uint32_t) {
        for (uint64_t clause = kChunk * chunk; clause < n_all && clause < kChunk * (chunk + 1); ++clause) {
            const uint64_t bank_key = adtm_absorb(adtm_absorb(seed, ADTM_START), numbers[clause / n_clauses]);
            const uint64_t key = adtm_absorb(bank_key, clause % n_clauses);
            Element* row = states + clause * n_literals;
            for (size_t base = 0; base < n_literals; base += 32) {
                const uint32_t coins = adtm_word(key, static_cast<uint32_t>(base / 32));
                uint8_t coin[32];
                for (uint32_t byte = 0; byte < 4; ++byte) {
                    // Copy the byte into eight, keep bit i in byte i, then turn "not zero" into 1.
                    uint64_t eight = ((coins >> 8 * byte & 0xFF) * 0x0101010101010101u) & 0x8040201008040201u;
                    eight =
                        ((((eight & 0x7F7F7F7F7F7F7F7Fu) + 0x7F7F7F7F7F7F7F7Fu) | eight) >> 7) & 0x0101010101010101u;
                    std::memcpy(coin + 8 * byte, &eight, 8);
                }
                Element part[32];
                for (uint32_t k = 0; k < 32; ++k) part[k] = static_cast<Element>(low + coin[k]);
                std::memcpy(row + base, part, (n_literals - base < 32 ? n_literals - base : 32) * sizeof(Element));
            }
        }
    });
}

template void random_start(uint8_t*, const uint64_t*, size_t, size_t, size_t, uint64_t, uint32_t, uint32_t);
template void random_start(uint16_t*, const uint64_t*, size_t, size_t, size_t, uint64_t, uint32_t, uint32_t);

}  // namespace adtm
