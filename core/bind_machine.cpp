// Binds the machine while it learns: everything that comes from Python is checked here, then the GIL is released.
#include "bind.hpp"
#include "common/rota.h"
#include "dispatch.hpp"
#include "machine.hpp"
#include "start.hpp"

using namespace nanobind::literals;
using namespace adtm;

namespace {

template <class Element>
void make_machine(Machine* self, In<Element, 3> states, In<uint64_t, 2> updates, In<uint64_t, 1> steps,
                  In<int32_t, 3> weights, In<uint64_t, 1> banks, uint64_t seed, uint32_t vote_target, uint32_t n_states,
                  uint64_t determinism, uint32_t goal, uint32_t selection, uint32_t weak, bool boost, uint32_t rule,
                  int32_t largest_weight, uint32_t most_votes, uint32_t max_literals, In<uint16_t, 1> strong_steps,
                  In<uint32_t, 1> weak_rates, In<uint32_t, 1> phases, In<uint32_t, 1> patches, uint32_t n_jobs,
                  const std::string& cpu) {
    check_sizes(states.shape(0), states.shape(1), states.shape(2));
    require(updates.shape(0) == states.shape(0) && updates.shape(1) == states.shape(1),
            "updates must be (banks, clauses)");
    require(steps.shape(0) == states.shape(0), "steps must be (banks,)");
    require(banks.shape(0) == states.shape(0), "banks must be (banks,)");
    check_weights(weights, states.shape(0), states.shape(1), most_votes);
    require(vote_target >= 1 && vote_target <= (1u << 30), "vote_target must be in 1..2^30");
    require(n_states >= 1 && n_states <= (sizeof(Element) == 1 ? 128u : 32768u),
            "n_states does not fit the states' type");
    require(determinism <= (uint64_t{1} << 32), "determinism must be at most 2^32");
    require(goal < std::size(kGoalNames), "unknown goal");
    require(selection < std::size(kSelectionNames), "unknown selection");
    require(weak < std::size(kWeakNames), "unknown weak feedback");
    require(rule < std::size(kWeightsNames), "unknown rule of weights");
    require(largest_weight >= 1 && uint64_t(largest_weight) * states.shape(1) * most_votes <= INT32_MAX,
            "largest_weight must be in 1..(2^31 - 1) / (clauses * most_votes)");
    for (size_t i = 0; static_cast<Weights>(rule) != Weights::fixed && i < weights.size(); ++i)
        require(weights.data()[i] <= largest_weight && weights.data()[i] >= -largest_weight,
                "weights must not be beyond largest_weight");
    require(strong_steps.shape(0) == states.shape(1), "strong_steps must be (clauses,)");
    require(weak_rates.shape(0) == states.shape(1), "weak_rates must be (clauses,)");
    const bool rota = static_cast<Weak>(weak) == Weak::rota;
    for (size_t j = 0; j < states.shape(1); ++j) {
        require(strong_steps.data()[j] >= 1 && strong_steps.data()[j] <= 2 * n_states - 1,
                "strong_steps must be in 1..2 * n_states - 1");
        require(!rota || weak_rates.data()[j] >= 1, "weak_rates of a rota must be at least 1");
    }
    require(!rota || phases.shape(0) == ADTM_PHASE_STRIDE * states.shape(1) + states.shape(2),
            "phases of a rota must be 64 for each clause and one for each literal");
    require(static_cast<Weak>(weak) != Weak::bernoulli || determinism == 0, "a Bernoulli machine has no determinism");
    require(max_literals >= 1, "max_literals must be at least 1");
    require(n_jobs >= 1, "n_jobs must be at least 1");
    Settings settings{};
    settings.seed = seed;
    settings.n_clauses = static_cast<uint32_t>(states.shape(1));
    settings.n_literals = static_cast<uint32_t>(states.shape(2));
    settings.n_outputs = static_cast<uint32_t>(weights.shape(1));
    settings.vote_target = vote_target;
    settings.n_states = n_states;
    settings.determinism = determinism;
    settings.goal = static_cast<Goal>(goal);
    settings.selection = static_cast<Selection>(selection);
    settings.weak = static_cast<Weak>(weak);
    settings.boost = boost;
    settings.weights = static_cast<Weights>(rule);
    settings.largest_weight = largest_weight;
    const Clauses clauses{strong_steps.data(), weak_rates.data(), phases.data()};
    settings.most_votes = most_votes;
    settings.max_literals = max_literals;
    settings.grid = read_grid(patches, states.shape(2));
    const Kernels& kernels = kernels_for(cpu);
    const Import memory{states.data(), updates.data(), steps.data(), weights.data(), banks.data()};
    bool good = false;
    {
        nb::gil_scoped_release release;
        new (self) Machine(settings, static_cast<uint32_t>(states.shape(0)), sizeof(Element), kernels, clauses);
        good = self->load(memory, n_jobs);
    }
    if (!good) {
        self->~Machine();
        throw std::invalid_argument("a state lies outside 0..2 * n_states - 1");
    }
}

nb::dict train(Machine& self, In<uint64_t, 2> literals, In<uint32_t, 1> rows, In<uint32_t, 1> outputs,
               In<int32_t, 1> targets, In<uint64_t, 1> start, uint32_t n_jobs) {
    const size_t n_banks = self.n_banks(), n_steps = rows.shape(0);
    const Grid& grid = self.settings().grid;
    check_literals(literals,
                   grid.n_patches == 0 ? self.settings().n_literals : 2 * grid.height * grid.width * grid.channels);
    require(!self.finished(), "the machine has finished learning");
    require(n_jobs >= 1, "n_jobs must be at least 1");
    require(outputs.shape(0) == n_steps && targets.shape(0) == n_steps,
            "rows, outputs and targets must have the same length");
    require(start.shape(0) == n_banks + 1 && start.data()[0] == 0, "start must be (banks + 1,), from 0");
    for (size_t b = 0; b < n_banks; ++b) require(start.data()[b] <= start.data()[b + 1], "start must not fall");
    require(start.data()[n_banks] == n_steps, "start must end at the number of steps");
    Ledger ledger{};
    bool good_rows = true, good_outputs = true, good_targets = true;
    {
        nb::gil_scoped_release release;
        const uint32_t n_samples = static_cast<uint32_t>(literals.shape(0)), n_outputs = self.settings().n_outputs;
        for (size_t i = 0; i < n_steps; ++i) good_rows &= rows.data()[i] < n_samples;
        for (size_t i = 0; i < n_steps; ++i) good_outputs &= outputs.data()[i] < n_outputs;
        if (self.settings().goal == Goal::to_value)
            for (size_t i = 0; i < n_steps; ++i)
                good_targets &= static_cast<uint32_t>(targets.data()[i]) <= self.settings().vote_target;
        const Streams streams{rows.data(), outputs.data(), targets.data(), start.data()};
        if (good_rows && good_outputs && good_targets) ledger = self.train(literals.data(), streams, n_jobs);
    }
    require(good_rows, "a row lies outside the samples");
    require(good_outputs, "an output lies outside those of a bank");
    require(good_targets, "a target lies outside 0..vote_target");
    nb::dict counts;
#define ADTM_COUNT(name) counts[#name] = ledger.name;
    ADTM_LEDGER(ADTM_COUNT)
#undef ADTM_COUNT
    return counts;
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
    nb::gil_scoped_release release;
    self.dump({states.data(), updates.data(), steps.data(), weights.data()}, n_jobs);
}

template <class Element>
void fill_random_start(Out<Element, 3> states, In<uint64_t, 1> banks, uint64_t seed, uint32_t n_states,
                       uint32_t n_jobs) {
    check_sizes(states.shape(0), states.shape(1), states.shape(2));
    require(banks.shape(0) == states.shape(0), "banks must be (banks,)");
    require(n_states >= 1 && n_states <= (sizeof(Element) == 1 ? 128u : 32768u),
            "n_states does not fit the states' type");
    require(n_jobs >= 1, "n_jobs must be at least 1");
    nb::gil_scoped_release release;
    random_start(states.data(), banks.data(), states.shape(0), states.shape(1), states.shape(2), seed, n_states,
                 n_jobs);
}

template <class Element>
void bind_states(nb::module_& m, nb::class_<Machine>& machine) {
    machine
        .def("__init__", &make_machine<Element>, "states"_a, "updates"_a, "steps"_a, "weights"_a, "banks"_a,
             nb::kw_only(), "seed"_a, "vote_target"_a, "n_states"_a, "determinism"_a, "goal"_a, "selection"_a, "weak"_a,
             "boost"_a, "rule"_a, "largest_weight"_a, "most_votes"_a, "max_literals"_a, "strong_steps"_a,
             "weak_rates"_a, "phases"_a, "patches"_a, "n_jobs"_a = 1, "cpu"_a = "")
        .def("dump", &dump<Element>, "states"_a, "updates"_a, "steps"_a, "weights"_a, "n_jobs"_a = 1,
             "Write states (0..2N-1), update and step counts, and weights.");
    m.def("random_start", &fill_random_start<Element>, "states"_a, "banks"_a, nb::kw_only(), "seed"_a, "n_states"_a,
          "n_jobs"_a = 1, "Set every state to N-1 or N, a fair coin each.");
}

template <size_t n>
nb::list names(const char* const (&table)[n]) {
    nb::list list;
    for (const char* name : table) list.append(name);
    return list;
}

}  // namespace

void bind_machine(nb::module_& m) {
    nb::dict rules;
    rules["goal"] = names(kGoalNames);
    rules["selection"] = names(kSelectionNames);
    rules["weak"] = names(kWeakNames);
    rules["weights"] = names(kWeightsNames);
    rules["tape"] = names(kTapeNames);
    rules["jump"] = names(kJumpNames);
    rules["empty"] = names(kEmptyNames);
    m.attr("RULES") = rules;

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
                nb::gil_scoped_release release;
                return self.voter(n_jobs);
            },
            "n_jobs"_a = 1, "A voter of the present state.")
        .def("finish", &Machine::finish, "Give back what only learning needs; after this there is only dump.")
        .def_prop_ro("target", [](const Machine& self) { return std::string(self.kernels().name); });
}
