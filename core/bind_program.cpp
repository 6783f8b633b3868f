// Binds the learning of the authors' program.
#include "bind.hpp"
#include "program.hpp"

using namespace nanobind::literals;
using namespace adtm;

namespace {

template <class Element>
nb::dict learn(Out<Element, 2> states, Out<uint64_t, 1> updates, In<int32_t, 1> weights, In<uint8_t, 2> literals,
               In<uint32_t, 1> rows, In<int32_t, 1> targets, uint64_t first_step, uint64_t seed, uint64_t bank,
               uint64_t d, uint32_t T, uint32_t n_states, uint32_t step) {
    const size_t m = states.shape(0), n = states.shape(1), n_steps = rows.shape(0);
    check_sizes(1, m, n);
    check_n_states<Element>(n_states);
    require(updates.shape(0) == m && weights.shape(0) == m, "updates and weights must be (clauses,)");
    for (size_t j = 0; j < m; ++j)
        require(weights.data()[j] >= -1 && weights.data()[j] <= 1, "weights must be 1 or -1");
    require(literals.shape(1) == n, "literals must be (samples, n)");
    require(targets.shape(0) == n_steps, "rows and targets must have the same length");
    for (size_t i = 0; i < n_steps; ++i) require(rows.data()[i] < literals.shape(0), "a row lies outside the samples");
    require(T >= 1 && T <= (1u << 30), "T must be in 1..2^30");
    require(d <= (uint64_t{1} << 53), "d must be at most 2^53, or 0 for infinity");
    require(step >= 1 && step <= 2 * n_states - 1, "step must be in 1..2 * n_states - 1");
    for (size_t i = 0; i < m * n; ++i)
        require(states.data()[i] < 2 * n_states, "a state lies outside 0..2 * n_states - 1");
    const Program program{seed, bank, d, T, n_states, step, static_cast<uint32_t>(m), static_cast<uint32_t>(n)};
    Ledger ledger{};
    {
        Unlocked unlocked;
        ledger = learn_as_program(program, literals.data(), rows.data(), targets.data(), n_steps, first_step,
                                  weights.data(), states.data(), updates.data());
    }
    return counts_of(ledger);
}

template <class Element>
void bind(nb::module_& m) {
    m.def("learn_as_program", &learn<Element>, "states"_a, "updates"_a, "weights"_a, "literals"_a, "rows"_a,
          "targets"_a, nb::kw_only(), "first_step"_a, "seed"_a, "bank"_a, "d"_a, "T"_a, "n_states"_a, "step"_a,
          "Let one bank learn as the authors' program does; returns the ledger's counts by name.");
}

}  // namespace

void bind_program(nb::module_& m) {
    bind<uint8_t>(m);
    bind<uint16_t>(m);
}
