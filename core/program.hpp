// How the authors' program learns, in plain loops: one counter decides who tosses a coin, and a jump past the last state
// is not made. The kernels know neither. The reference defines both rules (tape.py, moves.py); a study of the paper's
// tables compares them, a twentieth of its time here.
#pragma once
#include <cstdint>

#include "types.hpp"

namespace adtm {

// One bank with one output, ANDs, fixed weights, random selection, and weak moves for all (weak = "every").
struct Program {
    uint64_t seed, bank, d;  // d = 0 stands for infinity
    uint32_t T, n_states, step;
    uint32_t n_clauses, n_literals;
};

// Learns from n_steps samples, those of the rows, and writes states and updates. Literals have a byte each. The caller has
// checked that rows and states are in range.
template <class Element>
Ledger learn_as_program(const Program& program, const uint8_t* literals, const uint32_t* rows, const int32_t* targets,
                        uint64_t n_steps, uint64_t first_step, const int32_t* weights, Element* states,
                        uint64_t* updates);

}  // namespace adtm
