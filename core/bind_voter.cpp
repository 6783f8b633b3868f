// Binds the voter, and the choice of an instruction set.
#include "bind_settings.hpp"
#include "dispatch.hpp"
#include "voter.hpp"

using namespace nanobind::literals;
using namespace adtm;

namespace {

template <class Element>
Voter make_voter(In<Element, 3> states, In<int32_t, 3> weights, nb::handle settings_object, In<uint32_t, 1> patches,
                 uint32_t n_jobs, const std::string& cpu) {
    Settings settings = read_voting(settings_object);
    take_sizes(states, weights, patches, &settings);
    require(n_jobs >= 1, "n_jobs must be at least 1");
    const Kernels& kernels = kernels_for(cpu);
    Unlocked unlocked;
    return Voter::of_states(settings, static_cast<uint32_t>(states.shape(0)), states.data(), weights.data(), kernels,
                            n_jobs);
}

Made<int32_t, 2> votes(const Voter& self, In<uint64_t, 2> literals, uint32_t n_jobs) {
    check_literals(literals, self.sample_literals());
    require(n_jobs >= 1, "n_jobs must be at least 1");
    const size_t n = literals.shape(0);
    int32_t* out = new int32_t[n * self.n_votes() + 1];
    nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<int32_t*>(p); });
    {
        Unlocked unlocked;
        self.votes(literals.data(), n, static_cast<uint32_t>(literals.shape(1)), n_jobs, out);
    }
    return Made<int32_t, 2>(out, {n, size_t{self.n_votes()}}, owner);
}

void first_largest_into(In<int32_t, 2> votes, In<uint32_t, 1> order, Out<int64_t, 1> winners, Out<bool, 1> tied,
                        uint32_t n_jobs) {
    const size_t n = votes.shape(0), n_columns = votes.shape(1);
    require(n_columns >= 1 && n_columns <= UINT32_MAX && order.shape(0) == n_columns,
            "order must name every column of votes");
    for (size_t k = 0; k < n_columns; ++k) require(order.data()[k] < n_columns, "order must name columns of votes");
    require(n_jobs >= 1, "n_jobs must be at least 1");
    require(winners.shape(0) == n && tied.shape(0) == n, "winners and tied must have one place for each row of votes");
    Unlocked unlocked;
    first_largest(votes.data(), n, static_cast<uint32_t>(n_columns), order.data(), n_jobs, winners.data(), tied.data());
}

}  // namespace

void bind_voter(nb::module_& m) {
    m.def("instruction_sets", &instruction_sets, "Names of the instruction sets that run here, fastest first.");
    m.def(
        "instruction_set", [](const std::string& cpu) { return std::string(kernels_for(cpu).name); }, "cpu"_a = "",
        "The instruction set in use: the one named, else ADTM_CPU, else the fastest.");
    nb::class_<Voter>(m, "Voter", "A model made ready for voting.")
        .def("votes", &votes, "literals"_a, "n_jobs"_a = 1, "Votes (samples, banks * outputs) of packed literals.")
        .def_prop_ro("n_clauses", &Voter::n_clauses, "Clauses that are not empty.");
    m.def("voter", &make_voter<uint8_t>, "states"_a, "weights"_a, "settings"_a, "patches"_a, "n_jobs"_a = 1,
          "cpu"_a = "", "A voter from states 0..2N-1.");
    m.def("voter", &make_voter<uint16_t>, "states"_a, "weights"_a, "settings"_a, "patches"_a, "n_jobs"_a = 1,
          "cpu"_a = "");
    m.def("first_largest", &first_largest_into, "votes"_a, "order"_a, "winners"_a, "tied"_a, "n_jobs"_a = 1,
          "Write the column of each row's largest vote, of several the first in an order, and whether there are "
          "several.");
}
