// The first states of a machine that starts at random: a coin for every automaton, on all threads.
#pragma once
#include <cstddef>
#include <cstdint>

namespace adtm {

// Sets every state to N - 1 or N (states count from 0): states [n_banks][n_clauses][n_literals], numbers [n_banks] of
// the banks in the whole machine.
template <class Element>
void random_start(Element* states, const uint64_t* numbers, size_t n_banks, size_t n_clauses, size_t n_literals,
                  uint64_t seed, uint32_t n_states, uint32_t n_threads);

}  // namespace adtm
