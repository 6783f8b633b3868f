// Trains random machines on every target that runs here and compares them with the generic one, byte for byte.
// Needs nothing but core/: so a CPU without Python at hand, such as AArch64 under qemu, can be checked too.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "../../core/dispatch.hpp"
#include "../../core/machine.hpp"

using namespace adtm;

namespace {

uint64_t state = 88172645463325252u;
uint32_t below(uint32_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<uint32_t>((state * 0x9E3779B97F4A7C15u) >> 33) % n;
}

struct Data {
    std::vector<uint64_t> literals, start{0};
    std::vector<uint32_t> rows;
    std::vector<uint8_t> targets;
    uint32_t n_samples = 100, row_words;

    Data(uint32_t n_features, uint32_t n_banks) : row_words((2 * n_features + 511) / 512 * 8) {
        literals.resize(n_samples * row_words);
        for (uint32_t i = 0; i < n_samples; ++i)
            for (uint32_t k = 0; k < n_features; ++k) {
                const uint32_t literal = below(2) != 0 ? k : n_features + k;
                literals[i * row_words + literal / 64] |= uint64_t{1} << (literal % 64);
            }
        for (uint32_t bank = 0; bank < n_banks; ++bank) {
            for (int i = 0; i < 150; ++i) {
                rows.push_back(below(n_samples));
                targets.push_back(static_cast<uint8_t>(below(2)));
            }
            start.push_back(rows.size());
        }
    }
};

struct Outcome {
    std::vector<uint8_t> states;
    std::vector<uint64_t> updates, steps;
    std::vector<int32_t> votes;
    Ledger ledger;

    bool operator==(const Outcome& o) const {
        return states == o.states && updates == o.updates && steps == o.steps && votes == o.votes &&
               std::memcmp(&ledger, &o.ledger, sizeof ledger) == 0;
    }
};

Outcome run(const Settings& settings, uint32_t n_banks, const Data& data, const std::vector<uint8_t>& states, uint32_t bytes,
            const std::string& target) {
    Outcome out{states, std::vector<uint64_t>(n_banks * settings.n_clauses), std::vector<uint64_t>(n_banks),
                std::vector<int32_t>(data.n_samples * n_banks), {}};
    std::vector<uint32_t> phases(kPhaseStride * settings.n_clauses + settings.n_literals);
    for (uint32_t i = 0; i < phases.size(); ++i) phases[i] = i * i * 0x9E3779B9u;
    Machine machine(settings, n_banks, bytes, kernels_for(target), phases.data());
    machine.load(states.data(), out.updates.data(), out.steps.data(), 1);
    out.ledger = machine.train(data.literals.data(), Streams{data.rows.data(), data.targets.data(), data.start.data()}, 1);
    machine.dump(out.states.data(), out.updates.data(), out.steps.data(), 2);
    machine.voter().votes(data.literals.data(), data.n_samples, data.row_words, 1, out.votes.data());
    return out;
}

}  // namespace

int main() {
    const uint64_t determinisms[] = {0, 1, 2, 7, 64, 100, 5000};
    int compared = 0, failed = 0;
    for (int round = 0; round < 100; ++round) {
        const uint32_t n_features = 1 + below(300), n_banks = below(2) != 0 ? 1 : 3, bytes = 1 + below(2);
        Settings settings{};
        settings.seed = state;
        settings.n_clauses = 2 * (1 + below(50));
        settings.n_literals = 2 * n_features;
        settings.target = 1 + below(20);
        settings.n_states = bytes == 1 ? 100 : 1000;
        settings.weak = static_cast<Weak>(below(3));
        settings.step = settings.weak == Weak::every ? 1 + below(40) : 1;
        settings.determinism = settings.weak == Weak::bernoulli ? 0 : determinisms[below(7)];
        settings.weak_rate = 1 + below(~0u >> 1);
        settings.selection = static_cast<Selection>(below(2));
        settings.boost = below(2) != 0;
        const Data data(n_features, n_banks);
        const size_t n_automata = size_t{n_banks} * settings.n_clauses * settings.n_literals;
        std::vector<uint8_t> states(n_automata * bytes);
        for (size_t i = 0; i < n_automata; ++i) {
            const uint16_t value = static_cast<uint16_t>(settings.n_states - 1 + below(2));
            std::memcpy(states.data() + i * bytes, &value, bytes);
        }
        const Outcome expected = run(settings, n_banks, data, states, bytes, "generic");
        for (const std::string& target : available_targets()) {
            if (target == "generic") continue;
            ++compared;
            failed += run(settings, n_banks, data, states, bytes, target) == expected ? 0 : 1;
        }
    }
    for (const std::string& target : available_targets()) std::printf("%s ", target.c_str());
    std::printf("\n%d compared, %d differ\n", compared, failed);
    return failed != 0 || compared == 0 ? 1 : 0;
}
