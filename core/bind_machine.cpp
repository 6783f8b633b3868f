// Binds the machine: everything that comes from Python is checked here, then the GIL is released.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <stdexcept>

#include "dispatch.hpp"
#include "machine.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace adtm;

namespace {

template <class T, int dims>
using In = nb::ndarray<const T, nb::ndim<dims>, nb::c_contig, nb::device::cpu>;
template <class T, int dims>
using Out = nb::ndarray<T, nb::ndim<dims>, nb::c_contig, nb::device::cpu>;
template <class T, int dims>
using Made = nb::ndarray<nb::numpy, T, nb::ndim<dims>>;

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

void check_literals(const In<uint64_t, 2>& literals, uint32_t n_literals) {
    require(literals.shape(1) == (static_cast<size_t>(n_literals) + 511) / 512 * 8, "literals have the wrong number of words");
    require(literals.shape(0) <= UINT32_MAX, "too many samples for one call");
}

// Sizes that keep every product inside 64 bits and every index inside 32.
void check_sizes(uint64_t n_banks, uint64_t n_clauses, uint64_t n_literals) {
    require(n_banks >= 1 && n_banks <= 65536, "n_banks must be in 1..65536");
    require(n_clauses >= 1 && n_clauses <= 65536, "n_clauses must be in 1..65536");
    require(n_literals >= 2 && n_literals <= (1u << 24) && n_literals % 2 == 0, "n_literals must be even and in 2..2^24");
}

template <class T>
void check_memory(const T& states, const In<uint64_t, 2>& updates, const In<uint64_t, 1>& steps) {
    check_sizes(states.shape(0), states.shape(1), states.shape(2));
    require(updates.shape(0) == states.shape(0) && updates.shape(1) == states.shape(1), "updates must be (banks, clauses)");
    require(steps.shape(0) == states.shape(0), "steps must be (banks,)");
}

template <class Element>
void make_machine(Machine* self, In<Element, 3> states, In<uint64_t, 2> updates, In<uint64_t, 1> steps, uint64_t seed,
                  uint32_t target, uint32_t n_states, uint32_t step, uint64_t determinism, int weak, uint32_t weak_rate,
                  bool boost, int selection, In<uint32_t, 1> phases, uint32_t n_jobs, const std::string& cpu) {
    check_memory(states, updates, steps);
    require(target >= 1 && target <= (1u << 30), "target must be in 1..2^30");
    require(n_states >= 1 && n_states <= (sizeof(Element) == 1 ? 128u : 32768u), "n_states does not fit the states' type");
    require(step >= 1 && step <= 2 * n_states - 1, "step must be in 1..2 * n_states - 1");
    require(determinism <= (uint64_t{1} << 32), "determinism must be at most 2^32");
    require(weak >= 0 && weak <= 2, "unknown weak feedback");
    require(weak != static_cast<int>(Weak::rota) || weak_rate >= 1, "weak_rate of a rota must be at least 1");
    require(weak != static_cast<int>(Weak::rota) || phases.shape(0) == kPhaseStride * states.shape(1) + states.shape(2),
            "phases of a rota must be 64 for each clause and one for each literal");
    require(selection >= 0 && selection <= 1, "unknown selection");
    require(n_jobs >= 1, "n_jobs must be at least 1");
    Settings settings{};
    settings.seed = seed;
    settings.n_clauses = static_cast<uint32_t>(states.shape(1));
    settings.n_literals = static_cast<uint32_t>(states.shape(2));
    settings.target = target;
    settings.n_states = n_states;
    settings.step = step;
    settings.determinism = determinism;
    settings.weak = static_cast<Weak>(weak);
    settings.weak_rate = weak_rate;
    settings.boost = boost;
    settings.selection = static_cast<Selection>(selection);
    const Kernels& kernels = kernels_for(cpu);
    bool good = false;
    {
        nb::gil_scoped_release release;
        new (self) Machine(settings, static_cast<uint32_t>(states.shape(0)), sizeof(Element), kernels, phases.data());
        good = self->load(states.data(), updates.data(), steps.data(), n_jobs);
    }
    if (!good) {
        self->~Machine();
        throw std::invalid_argument("a state lies outside 0..2 * n_states - 1");
    }
}

nb::tuple train(Machine& self, In<uint64_t, 2> literals, In<uint32_t, 1> rows, In<uint8_t, 1> targets, In<uint64_t, 1> start,
                uint32_t n_jobs) {
    check_literals(literals, self.settings().n_literals);
    require(n_jobs >= 1, "n_jobs must be at least 1");
    require(rows.shape(0) == targets.shape(0), "rows and targets must have the same length");
    require(start.shape(0) == size_t{self.n_banks()} + 1 && start.data()[0] == 0, "start must be (banks + 1,), from 0");
    for (size_t b = 0; b < self.n_banks(); ++b) require(start.data()[b] <= start.data()[b + 1], "start must not fall");
    require(start.data()[self.n_banks()] == rows.shape(0), "start must end at the number of steps");
    Ledger l{};
    bool good = true;
    {
        nb::gil_scoped_release release;
        const uint32_t n_samples = static_cast<uint32_t>(literals.shape(0));
        for (size_t i = 0; i < rows.shape(0); ++i) good &= rows.data()[i] < n_samples;
        if (good) l = self.train(literals.data(), Streams{rows.data(), targets.data(), start.data()}, n_jobs);
    }
    require(good, "a row lies outside the samples");
    return nb::make_tuple(l.type_ia_strong_offered, l.type_ia_strong_skipped, l.type_ia_weak_offered, l.type_ia_weak_skipped,
                          l.type_ib_offered, l.type_ib_skipped, l.type_ii_offered, l.type_ii_skipped, l.coins,
                          l.selection_draws);
}

template <class Element>
void dump(const Machine& self, Out<Element, 3> states, Out<uint64_t, 2> updates, Out<uint64_t, 1> steps, uint32_t n_jobs) {
    require(n_jobs >= 1, "n_jobs must be at least 1");
    require(self.state_bytes() == sizeof(Element), "states have the wrong type");
    const Settings& s = self.settings();
    require(states.shape(0) == self.n_banks() && states.shape(1) == s.n_clauses && states.shape(2) == s.n_literals,
            "states have the wrong shape");
    require(updates.shape(0) == self.n_banks() && updates.shape(1) == s.n_clauses, "updates have the wrong shape");
    require(steps.shape(0) == self.n_banks(), "steps have the wrong shape");
    nb::gil_scoped_release release;
    self.dump(states.data(), updates.data(), steps.data(), n_jobs);
}

// A voter from states 0 .. 2N - 1: a literal is included when its state is at least n_states.
template <class Element>
Voter make_voter(In<Element, 3> states, uint32_t n_states, const std::string& cpu) {
    check_sizes(states.shape(0), states.shape(1), states.shape(2));
    const Kernels& kernels = kernels_for(cpu);
    const uint32_t n = static_cast<uint32_t>(states.shape(2));
    nb::gil_scoped_release release;
    Voter voter(static_cast<uint32_t>(states.shape(0)), n, kernels);
    std::vector<uint64_t> include((n + 63) / 64);
    std::vector<uint8_t> flags(64 * include.size());
    const Element* state = states.data();
    for (size_t bank = 0; bank < states.shape(0); ++bank) {
        voter.start_bank();
        for (uint32_t j = 0; j < states.shape(1); ++j, state += n) {
            // Flags first, then eight bytes to eight bits at a time: the compiler vectorises the one, a product does the other.
            for (uint32_t k = 0; k < n; ++k) flags[k] = state[k] >= n_states;
            for (size_t word = 0; word < include.size(); ++word) {
                include[word] = 0;
                for (uint32_t part = 0; part < 8; ++part) {
                    uint64_t eight;
                    std::memcpy(&eight, flags.data() + 64 * word + 8 * part, 8);
                    include[word] |= ((eight * 0x0102040810204080u) >> 56) << (8 * part);
                }
            }
            voter.add_clause(j, include.data());
        }
    }
    voter.finish();
    return voter;
}

Made<int32_t, 2> votes(const Voter& self, In<uint64_t, 2> literals, uint32_t n_jobs) {
    check_literals(literals, self.n_literals());
    require(n_jobs >= 1, "n_jobs must be at least 1");
    const size_t n = literals.shape(0);
    int32_t* out = new int32_t[n * self.n_banks() + 1];
    nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<int32_t*>(p); });
    {
        nb::gil_scoped_release release;
        self.votes(literals.data(), n, static_cast<uint32_t>(literals.shape(1)), n_jobs, out);
    }
    return Made<int32_t, 2>(out, {n, size_t{self.n_banks()}}, owner);
}

template <class Element>
void bind_states(nb::class_<Machine>& machine) {
    machine
        .def("__init__", &make_machine<Element>, "states"_a, "updates"_a, "steps"_a, nb::kw_only(), "seed"_a, "target"_a,
             "n_states"_a, "step"_a, "determinism"_a, "weak"_a, "weak_rate"_a, "boost"_a,
             "selection"_a, "phases"_a, "n_jobs"_a = 1, "cpu"_a = "")
        .def("dump", &dump<Element>, "states"_a, "updates"_a, "steps"_a, "n_jobs"_a = 1,
             "Write states (0..2N-1), update and step counts.");
}

}  // namespace

void bind_machine(nb::module_& m) {
    m.def("targets", &available_targets, "Names of the CPU targets that run here, fastest first.");
    m.def("target", [](const std::string& cpu) { return std::string(kernels_for(cpu).name); }, "cpu"_a = "",
          "The CPU target in use: the one named, else ADTM_TARGET, else the fastest.");

    nb::class_<Voter>(m, "Voter", "A model made ready for voting.")
        .def("votes", &votes, "literals"_a, "n_jobs"_a = 1, "Votes (samples, banks) of packed literals.")
        .def_prop_ro("n_clauses", &Voter::n_clauses, "Clauses that are not empty.");
    m.def("voter", &make_voter<uint8_t>, "states"_a, "n_states"_a, "cpu"_a = "", "A voter from states 0..2N-1.");
    m.def("voter", &make_voter<uint16_t>, "states"_a, "n_states"_a, "cpu"_a = "");

    nb::class_<Machine> machine(m, "Machine", "The memory of a machine while it learns.");
    bind_states<uint8_t>(machine);
    bind_states<uint16_t>(machine);
    machine
        .def("train", &train, "literals"_a, "rows"_a, "targets"_a, "start"_a, "n_jobs"_a = 1,
             "Learn from the banks' streams of steps; returns the ledger's counts in the order of core/types.hpp.")
        .def("voter", [](const Machine& self) { nb::gil_scoped_release release; return self.voter(); },
             "A voter of the present state.")
        .def_prop_ro("target", [](const Machine& self) { return std::string(self.kernels().name); });
}
