// Trains random machines on every target that runs here, with one thread and with teams, and compares them byte for byte
// with the generic target on one thread. Members of a team stumble, so that every one is sometimes the last to come and
// the last to go: what a member shows must last as long as the slowest needs it.
// Needs nothing but core/: so a CPU without Python at hand, such as AArch64 under qemu, can be checked too.
//     targets_agree ROUNDS
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../../core/common/rota.h"
#include "../../core/dispatch.hpp"
#include "../../core/grid.hpp"
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

// ---- teams whose members stumble -----------------------------------------------------------------------------------

const Kernels* kernels = nullptr;  // of the target under test

struct Stumbling : Team {
    Team* team;

    static void stumble(uint32_t member, uint64_t place) {
        const uint64_t mixed = (place * 64 + member + 1) * 0x9E3779B97F4A7C15u;
        const int odds = member == 1 ? 62 : 61;  // one does so more often: it hands clauses over to the others
        if (mixed >> odds == 0) std::this_thread::sleep_for(std::chrono::microseconds(20 + (mixed >> 32) % 200));
    }
    static bool next_late(Team* self, uint32_t member, Share* share) {
        stumble(member, ~share->window);
        return static_cast<Stumbling*>(self)->team->next(static_cast<Stumbling*>(self)->team, member, share);
    }
    // What a member does while it waits may take so long that the others have gone on.
    struct Meanwhile {
        bool (*work)(void*);
        void* who;
        uint32_t member;
        uint64_t place;
    };
    static bool work_late(void* meanwhile) {
        Meanwhile& self = *static_cast<Meanwhile*>(meanwhile);
        stumble(self.member, ++self.place);
        return self.work(self.who);
    }
    static void meet_late(Team* self, uint32_t member, uint32_t n_members, const Meeting& meeting) {
        Team* team = static_cast<Stumbling*>(self)->team;
        Meanwhile late{meeting.meanwhile, meeting.who, member, meeting.number << 32};
        stumble(member, 2 * meeting.number);
        team->meet(team, member, n_members, {meeting.number, meeting.votes, meeting.total, work_late, &late});
        stumble(member, 2 * meeting.number + 1);
    }
    explicit Stumbling(Team* team_) : Team(*team_), team(team_) { next = next_late, meet = meet_late; }
};

template <int bytes, int weak, int tolerant>
void train(TrainJob* job) {
    Stumbling team(job->team);
    job->team = &team;
    kernels->train[bytes][weak][tolerant](job);
}

Kernels stumbling() {
    Kernels made = *kernels;
    [&]<int... i>(std::integer_sequence<int, i...>) {
        ((made.train[i / 6][i / 2 % 3][i % 2] = train<i / 6, i / 2 % 3, i % 2>), ...);
    }(std::make_integer_sequence<int, 12>());
    return made;
}

// ---- machines and their data ---------------------------------------------------------------------------------------

struct Data {
    std::vector<uint64_t> literals, start{0}, numbers;
    std::vector<uint32_t> rows, outputs;
    std::vector<int32_t> targets;
    uint32_t n_samples = 100, row_words;

    Data(uint32_t n_features, uint32_t n_banks, uint32_t n_outputs) : row_words((2 * n_features + 511) / 512 * 8) {
        literals.resize(n_samples * row_words);
        for (uint32_t i = 0; i < n_samples; ++i)
            for (uint32_t k = 0; k < n_features; ++k) {
                const uint32_t literal = below(2) != 0 ? k : n_features + k;
                literals[i * row_words + literal / 64] |= uint64_t{1} << (literal % 64);
            }
        for (uint32_t bank = 0; bank < n_banks; ++bank) {
            // Some streams are empty or end at once, some are long enough for shares to change.
            const uint32_t n_steps = below(4) == 0 ? below(3) : below(20) == 0 ? 2000 : 1 + below(300);
            for (uint32_t i = 0; i < n_steps; ++i) {
                rows.push_back(below(n_samples));
                outputs.push_back(below(n_outputs));
                targets.push_back(static_cast<int32_t>(below(2)));
            }
            start.push_back(rows.size());
            numbers.push_back(bank + below(1000));
        }
    }
};

struct Outcome {
    std::vector<uint8_t> states;
    std::vector<uint64_t> updates, steps;
    std::vector<int32_t> weights, votes;
    Ledger ledger;

    bool operator==(const Outcome& o) const {
        return states == o.states && updates == o.updates && steps == o.steps && weights == o.weights &&
               votes == o.votes && std::memcmp(&ledger, &o.ledger, sizeof ledger) == 0;
    }
};

struct Round {
    Settings settings{};
    uint32_t n_banks, bytes;
    std::vector<uint8_t> states;
    std::vector<int32_t> weights;
    std::vector<uint16_t> strong_steps;
    std::vector<uint32_t> weak_rates;

    Round() : n_banks(1 + below(4)), bytes(1 + below(2)) {
        const uint64_t determinisms[] = {0, 1, 2, 7, 64, 100, 5000};
        settings.seed = state;
        settings.n_clauses = below(2) != 0 ? 1 + below(100) : 64 * (2 + below(4)) + below(64);
        settings.n_literals = 2 * (1 + below(below(3) == 0 ? 300 : 40));
        settings.n_outputs = 1 + below(3);
        settings.T = 1 + below(60);
        settings.n_states = bytes == 1 ? 100 : 1000;
        settings.weak = static_cast<Weak>(below(3));
        settings.d = settings.weak == Weak::bernoulli ? 0 : determinisms[below(7)];
        settings.goal = static_cast<Goal>(below(2));
        settings.selection = static_cast<Selection>(below(2));
        settings.boost = below(2) != 0;
        settings.weights = static_cast<Weights>(below(3));
        settings.largest_weight = static_cast<int32_t>(4 + below(1000));
        for (uint32_t j = 0; j < settings.n_clauses; ++j) {
            strong_steps.push_back(static_cast<uint16_t>(settings.weak == Weak::every ? 1 + below(40) : 1));
            weak_rates.push_back(1 + below(~0u >> 1));
        }
        settings.most_votes = below(2) != 0 ? 1 : below(2) != 0 ? 2 + below(8) : 1 + below(255);
        settings.max_literals = below(2) != 0 ? ~0u : 1 + below(30);
        if (below(3) == 0) {
            const uint32_t height = 1 + below(12), width = 1 + below(80), channels = 1 + below(2);
            settings.grid = grid_of(height, width, channels, 1 + below(height), 1 + below(width < 9 ? width : 9),
                                    1 + below(3), 1 + below(3));
            settings.n_literals = 2 * settings.grid.n_features;
        }
        const size_t n_clauses = size_t{n_banks} * settings.n_clauses;
        states.resize(n_clauses * settings.n_literals * bytes);
        for (size_t i = 0; i < n_clauses * settings.n_literals; ++i) {
            const uint32_t near = settings.n_states - 1 + below(2), any = below(2 * settings.n_states);
            const uint16_t value = static_cast<uint16_t>(below(8) == 0 ? any : near - below(near / 2 + 1) * below(2));
            std::memcpy(states.data() + i * bytes, &value, bytes);
        }
        const bool unit = below(2) != 0;
        for (size_t i = 0; i < n_clauses * settings.n_outputs; ++i)
            weights.push_back(unit ? static_cast<int32_t>(2 * below(2)) - 1 : static_cast<int32_t>(below(9)) - 4);
    }

    uint32_t n_features() const {
        const Grid& grid = settings.grid;
        return grid.n_patches == 0 ? settings.n_literals / 2 : grid.height * grid.width * grid.channels;
    }

    Outcome run(const Data& data, const Kernels& target, uint32_t n_threads) const {
        const size_t n_clauses = size_t{n_banks} * settings.n_clauses;
        Outcome out{states,
                    std::vector<uint64_t>(n_clauses),
                    std::vector<uint64_t>(n_banks),
                    weights,
                    std::vector<int32_t>(size_t{data.n_samples} * n_banks * settings.n_outputs),
                    {}};
        std::vector<uint32_t> phases(ADTM_PHASE_STRIDE * settings.n_clauses + settings.n_literals);
        for (uint32_t i = 0; i < phases.size(); ++i) phases[i] = i * i * 0x9E3779B9u;
        Machine machine(settings, n_banks, bytes, target, {strong_steps.data(), weak_rates.data(), phases.data()});
        machine.load({states.data(), out.updates.data(), out.steps.data(), weights.data(), data.numbers.data()},
                     n_threads);
        const Streams streams{data.rows.data(), data.outputs.data(), data.targets.data(), data.start.data()};
        out.ledger = machine.train(data.literals.data(), streams, n_threads);
        machine.dump({out.states.data(), out.updates.data(), out.steps.data(), out.weights.data()}, n_threads);
        machine.voter(n_threads).votes(data.literals.data(), data.n_samples, data.row_words, n_threads,
                                       out.votes.data());
        return out;
    }
};

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 60;
    int compared = 0, failed = 0;
    for (int i = 0; i < rounds; ++i) {
        const Round round;
        const Data data(round.n_features(), round.n_banks, round.settings.n_outputs);
        const Outcome expected = round.run(data, kernels_for("generic"), 1);
        for (const std::string& name : instruction_sets()) {
            kernels = &kernels_for(name);
            const Kernels stumbles = stumbling();
            const uint32_t n_threads = 2 + below(4);
            const bool alone = round.run(data, *kernels, 1) == expected;
            const bool team = round.run(data, stumbles, n_threads) == expected;
            if (!alone) std::printf("round %d: %s differs\n", i, name.c_str());
            if (!team) std::printf("round %d: %s differs with %u threads\n", i, name.c_str(), n_threads);
            compared += 2;
            failed += !alone + !team;
        }
    }
    for (const std::string& name : instruction_sets()) std::printf("%s ", name.c_str());
    std::printf("\n%d compared, %d differ\n", compared, failed);
    return failed != 0 || compared == 0 ? 1 : 0;
}
