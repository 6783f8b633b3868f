// Binds the machine while it learns: it checks everything that comes from Python, then releases the GIL.
#include "bind_settings.hpp"
#include "common/rota.h"
#include "dispatch.hpp"
#include "machine.hpp"
#include "start.hpp"

using namespace nanobind::literals;
using namespace adtm;

namespace {

// Refuses settings that the core cannot compute with, alone or together. The rules are known by now.
template <class Element>
void check_settings(const Settings& s) {
    require(s.T >= 1 && s.T <= (1u << 30), "T must be in 1..2^30");
    check_n_states<Element>(s.n_states);
    require(s.d <= (uint64_t{1} << 32), "d must be at most 2^32, or infinity");
    require(s.weak != Weak::bernoulli || s.d == 0, "d of a Bernoulli machine must be infinity");
    require(s.largest_weight >= 1 && uint64_t(s.largest_weight) * s.n_clauses * s.most_votes <= INT32_MAX,
            "largest_weight must be in 1..(2^31 - 1) / (clauses * most_votes)");
    require(s.max_literals >= 1, "max_literals must be at least 1");
}

template <class Element>
void make_machine(Machine* self, In<Element, 3> states, In<uint64_t, 2> updates, In<uint64_t, 1> steps,
                  In<int32_t, 3> weights, In<uint64_t, 1> banks, nb::handle settings_object,
                  In<uint16_t, 1> strong_steps, In<uint32_t, 1> weak_rates, In<uint32_t, 1> phases,
                  In<uint32_t, 1> patches, uint32_t n_jobs, const std::string& cpu) {
    Settings settings = read_learning(settings_object);
    take_sizes(states, weights, patches, &settings);
    check_settings<Element>(settings);
    require(updates.shape(0) == states.shape(0) && updates.shape(1) == states.shape(1),
            "updates must be (banks, clauses)");
    require(steps.shape(0) == states.shape(0), "steps must be (banks,)");
    require(banks.shape(0) == states.shape(0), "banks must be (banks,)");
    const int32_t most = settings.largest_weight;
    for (size_t i = 0; settings.weights != Weights::fixed && i < weights.size(); ++i)
        require(weights.data()[i] <= most && weights.data()[i] >= -most, "weights must not be beyond largest_weight");
    require(strong_steps.shape(0) == states.shape(1), "strong_steps must be (clauses,)");
    require(weak_rates.shape(0) == states.shape(1), "weak_rates must be (clauses,)");
    const bool rota = settings.weak == Weak::rota;
    for (size_t j = 0; j < states.shape(1); ++j) {
        require(strong_steps.data()[j] >= 1 && strong_steps.data()[j] <= 2 * settings.n_states - 1,
                "strong_steps must be in 1..2 * n_states - 1");
        require(!rota || weak_rates.data()[j] >= 1, "weak_rates of a rota must be at least 1");
    }
    require(!rota || phases.shape(0) == ADTM_PHASE_STRIDE * states.shape(1) + states.shape(2),
            "phases of a rota must be 64 for each clause and one for each literal");
    require(n_jobs >= 1, "n_jobs must be at least 1");
    const Clauses clauses{strong_steps.data(), weak_rates.data(), phases.data()};
    const Kernels& kernels = kernels_for(cpu);
    const Import memory{states.data(), updates.data(), steps.data(), weights.data(), banks.data()};
    bool good = false;
    {
        Unlocked unlocked;
        new (self) Machine(settings, static_cast<uint32_t>(states.shape(0)), sizeof(Element), kernels, clauses);
        good = self->load(memory, n_jobs);
    }
    if (!good) {
        self->~Machine();
        throw std::invalid_argument("a state lies outside 0..2 * n_states - 1");
    }
}

// Checks the steps, and learns from them by `learn`, a method of the machine.
template <class Learn>
nb::dict train_by(Machine& self, In<uint64_t, 2> literals, In<uint32_t, 1> rows, In<uint32_t, 1> outputs,
                  In<int32_t, 1> targets, In<uint64_t, 1> start, Learn learn) {
    const size_t n_banks = self.n_banks(), n_steps = rows.shape(0);
    const Grid& grid = self.settings().grid;
    check_literals(literals,
                   grid.n_patches == 0 ? self.settings().n_literals : 2 * grid.height * grid.width * grid.channels);
    require(!self.finished(), "the machine has finished learning");
    require(outputs.shape(0) == n_steps && targets.shape(0) == n_steps,
            "rows, outputs and targets must have the same length");
    require(start.shape(0) == n_banks + 1 && start.data()[0] == 0, "start must be (banks + 1,), from 0");
    for (size_t b = 0; b < n_banks; ++b) require(start.data()[b] <= start.data()[b + 1], "start must not fall");
    require(start.data()[n_banks] == n_steps, "start must end at the number of steps");
    Ledger ledger{};
    bool good_rows = true, good_outputs = true, good_targets = true;
    {
        Unlocked unlocked;
        const uint32_t n_samples = static_cast<uint32_t>(literals.shape(0)), n_outputs = self.settings().n_outputs;
        for (size_t i = 0; i < n_steps; ++i) good_rows &= rows.data()[i] < n_samples;
        for (size_t i = 0; i < n_steps; ++i) good_outputs &= outputs.data()[i] < n_outputs;
        if (self.settings().goal == Goal::to_value)
            for (size_t i = 0; i < n_steps; ++i)
                good_targets &= static_cast<uint32_t>(targets.data()[i]) <= self.settings().T;
        const Streams streams{rows.data(), outputs.data(), targets.data(), start.data()};
        if (good_rows && good_outputs && good_targets) ledger = learn(literals.data(), streams);
    }
    require(good_rows, "a row lies outside the samples");
    require(good_outputs, "an output lies outside those of a bank");
    require(good_targets, "a target lies outside 0..T");
    return counts_of(ledger);
}

nb::dict train(Machine& self, In<uint64_t, 2> literals, In<uint32_t, 1> rows, In<uint32_t, 1> outputs,
               In<int32_t, 1> targets, In<uint64_t, 1> start, uint32_t n_jobs) {
    require(n_jobs >= 1, "n_jobs must be at least 1");
    return train_by(self, literals, rows, outputs, targets, start,
                    [&](const uint64_t* words, const Streams& steps) { return self.train(words, steps, n_jobs); });
}

template <class Element>
nb::dict train_stuck(Machine& self, In<uint64_t, 2> literals, In<uint32_t, 1> rows, In<uint32_t, 1> outputs,
                     In<int32_t, 1> targets, In<uint64_t, 1> start, In<Element, 3> kept, In<Element, 3> ones,
                     In<uint8_t, 2> silent, uint32_t bits) {
    const Settings& s = self.settings();
    require(self.state_bytes() == sizeof(Element), "stuck bits must have the type of the states");
    for (const In<Element, 3>& each : {kept, ones})
        require(each.shape(0) == self.n_banks() && each.shape(1) == s.n_clauses && each.shape(2) == s.n_literals,
                "stuck bits must have the shape of the states");
    require(silent.shape(0) == self.n_banks() && silent.shape(1) == s.n_clauses, "silent must be (banks, clauses)");
    require(bits >= 2 && bits <= 8 * sizeof(Element) && s.n_states <= 1u << (bits - 1),
            "a register must have bits for every state, and fit the states' type");
    const Stuck stuck{kept.data(), ones.data(), silent.data(), bits};
    return train_by(self, literals, rows, outputs, targets, start,
                    [&](const uint64_t* words, const Streams& steps) { return self.train_stuck(words, steps, stuck); });
}

template <class Element>
void dump(const Machine& self, Out<Element, 3> states, Out<uint64_t, 2> updates, Out<uint64_t, 1> steps,
          Out<int32_t, 3> weights, uint32_t n_jobs) {
    const Settings& s = self.settings();
    require(n_jobs >= 1, "n_jobs must be at least 1");
    require(self.state_bytes() == sizeof(Element), "states have the wrong type");
    require(states.shape(0) == self.n_banks() && states.shape(1) == s.n_clauses && states.shape(2) == s.n_literals,
            "states have the wrong shape");
    require(updates.shape(0) == self.n_banks() && updates.shape(1) == s.n_clauses, "updates have the wrong shape");
    require(steps.shape(0) == self.n_banks(), "steps have the wrong shape");
    require(weights.shape(0) == self.n_banks() && weights.shape(1) == s.n_outputs && weights.shape(2) == s.n_clauses,
            "weights have the wrong shape");
    Unlocked unlocked;
    self.dump({states.data(), updates.data(), steps.data(), weights.data()}, n_jobs);
}

template <class Element>
void fill_random_start(Out<Element, 3> states, In<uint64_t, 1> banks, uint64_t seed, uint32_t n_states,
                       uint32_t n_jobs) {
    check_sizes(states.shape(0), states.shape(1), states.shape(2));
    require(banks.shape(0) == states.shape(0), "banks must be (banks,)");
    check_n_states<Element>(n_states);
    require(n_jobs >= 1, "n_jobs must be at least 1");
    Unlocked unlocked;
    random_start(states.data(), banks.data(), states.shape(0), states.shape(1), states.shape(2), seed, n_states,
                 n_jobs);
}

template <class Element>
void bind_states(nb::module_& m, nb::class_<Machine>& machine) {
    machine
        .def("__init__", &make_machine<Element>, "states"_a, "updates"_a, "steps"_a, "weights"_a, "banks"_a,
             nb::kw_only(), "settings"_a, "strong_steps"_a, "weak_rates"_a, "phases"_a, "patches"_a, "n_jobs"_a = 1,
             "cpu"_a = "")
        .def("dump", &dump<Element>, "states"_a, "updates"_a, "steps"_a, "weights"_a, "n_jobs"_a = 1,
             "Write states (0..2N-1), update and step counts, and weights.")
        .def("train_stuck", &train_stuck<Element>, "literals"_a, "rows"_a, "outputs"_a, "targets"_a, "start"_a,
             "kept"_a, "ones"_a, "silent"_a, "bits"_a,
             "Learn as `train` does, with bits that are stuck after every step.");
    m.def("random_start", &fill_random_start<Element>, "states"_a, "banks"_a, nb::kw_only(), "seed"_a, "n_states"_a,
          "n_jobs"_a = 1, "Set every state to N-1 or N, a fair coin each.");
}

}  // namespace

void bind_machine(nb::module_& m) {
    nb::class_<Machine> machine(m, "Machine", "The memory of a machine while it learns.");
    bind_states<uint8_t>(m, machine);
    bind_states<uint16_t>(m, machine);
    machine
        .def("train", &train, "literals"_a, "rows"_a, "outputs"_a, "targets"_a, "start"_a, "n_jobs"_a = 1,
             "Learn from the banks' streams of steps; returns the ledger's counts by name.")
        .def(
            "voter",
            [](const Machine& self, uint32_t n_jobs) {
                require(n_jobs >= 1, "n_jobs must be at least 1");
                require(!self.finished(), "the machine has finished learning");
                Unlocked unlocked;
                return self.voter(n_jobs);
            },
            "n_jobs"_a = 1, "A voter of the present state.")
        .def("finish", &Machine::finish, "Free what only learning needs; after this only dump may be called.")
        .def_prop_ro("instruction_set", [](const Machine& self) { return std::string(self.kernels().name); });
}
