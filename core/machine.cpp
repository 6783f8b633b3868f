#include "machine.hpp"

#include <atomic>
#include <cstring>

#include "common/rota.h"
#include "crew.hpp"
#include "grid.hpp"
#include "threads.hpp"

namespace adtm {
namespace {

Shape shape_of(const Settings& settings) {
    Shape shape{};
    shape.n_padded = round_up(settings.n_literals, 64);
    shape.row_words = round_up(settings.n_literals, 512) / 64;
    const bool patches = settings.grid.n_patches != 0;
    shape.sample_words = patches ? settings.grid.sample_words : shape.row_words;
    shape.clause_blocks = round_up(settings.n_clauses, 64) / 64;
    // Room for about one literal in ten: with three bytes each, that is a third of a byte per automaton. Whole blocks
    // are faster to read, but take too much of a small clause.
    shape.list_capacity = shape.n_padded < kNoList ? round_up(shape.n_padded / 12, shape.n_padded < 512 ? 8 : 64) : 0;
    // A patch has few literals, a clause includes more of them, and evaluation is nearly all of the work.
    if (patches) shape.list_capacity = round_up(shape.n_padded / 4, 64);
    return shape;
}

void add(Ledger& sum, const Ledger& ledger) {
#define ADTM_ADD(name) sum.name += ledger.name;
    ADTM_LEDGER(ADTM_ADD)
#undef ADTM_ADD
}

}  // namespace

// The working memory of one thread, and what it has counted.
class Machine::Worker {
  public:
    Worker(const Shape& shape, const Grid& grid, uint32_t most_members, Counting counting)
        : shape_(shape), grid_(grid), most_members_(most_members), count_bytes_(static_cast<size_t>(counting)) {
        // The column of ones, which the blanks of a list name.
        even_columns_.data()[shape.n_padded] = odd_columns_.data()[shape.n_padded] = ~uint64_t{0};
    }
    Scratch scratch() const {
        return {
            .outputs = outputs_.data(),
            .fires = fires_.data(),
            .counts = counts_.data(),
            .work = work_.data(),
            .late = late_.data(),
            .late_at = late_at_.data(),
            .tape = tape_.data(),
            .tosses = tosses_.data(),
            .skips = skips_.data(),
            .skipped = skipped_.data(),
            .at_toss = at_toss_.data(),
            .patches = patches_.buffers(),
            .best = best_.data(),
            .seen = seen_.data(),
            .included = included_.data(),
        };
    }
    void lead(BankTeam* team) const { team->lend(even_columns_.data(), odd_columns_.data(), seats_.data()); }

    Ledger ledger{};

  private:
    Shape shape_;
    Grid grid_;
    uint32_t most_members_;
    size_t count_bytes_;  // of the votes of a clause at one step
    size_t n_clauses_ = size_t{64} * shape_.clause_blocks, n_literals_ = size_t{64} * shape_.row_words;  // rounded up
    Buffer<uint64_t> even_columns_{shape_.n_padded + size_t{1}}, odd_columns_{shape_.n_padded + size_t{1}};
    Buffer<Seat> seats_{MeetingPlace::n_seats(most_members_)};
    Buffer<uint64_t> outputs_{n_clauses_}, fires_{kWindow * size_t{shape_.clause_blocks}}, late_{shape_.clause_blocks};
    Buffer<uint8_t> counts_{count_bytes_ * kWindow * n_clauses_}, late_at_{n_clauses_}, skipped_{n_literals_};
    Buffer<uint64_t> tosses_{shape_.row_words}, skips_{shape_.row_words};
    Buffer<uint32_t> at_toss_{n_literals_}, work_{n_clauses_};
    Buffer<Stretch> tape_{kMaxPending + 2};
    PatchMemory patches_{grid_};
    Buffer<uint64_t> best_{grid_.lane_words * n_clauses_}, seen_{shape_.row_words + size_t{1}};
    Buffer<uint32_t> included_{shape_.n_padded + size_t{8}};
};

// ---- memory in and out ---------------------------------------------------------------------------------------------

Machine::Machine(const Settings& settings, uint32_t n_banks, uint32_t state_bytes, const Kernels& kernels,
                 const Clauses& clauses)
    : settings_(settings),
      n_banks_(n_banks),
      state_bytes_(state_bytes),
      kernels_(kernels),
      shape_(shape_of(settings)),
      phases_(settings.weak == Weak::rota ? size_t{ADTM_PHASE_STRIDE} * settings.n_clauses + shape_.row_words * 64
                                          : 0) {
    std::memcpy(strong_steps_.data(), clauses.steps, settings.n_clauses * sizeof(uint16_t));
    std::memcpy(weak_rates_.data(), clauses.weak_rates, settings.n_clauses * sizeof(uint32_t));
    const size_t n_phases = size_t{ADTM_PHASE_STRIDE} * settings.n_clauses + settings.n_literals;
    if (settings.weak == Weak::rota) std::memcpy(phases_.data(), clauses.phases, n_phases * sizeof(uint32_t));
}

Machine::~Machine() = default;

// Calls work(bank, block) for every clause block of every bank, on n_threads threads.
template <class Work>
void Machine::for_each_block(uint32_t n_threads, Work work) const {
    for_each_unit(uint64_t{n_banks_} * shape_.clause_blocks, n_threads, [&](uint64_t unit, uint32_t) {
        work(static_cast<uint32_t>(unit / shape_.clause_blocks), static_cast<uint32_t>(unit % shape_.clause_blocks));
    });
}

template <class Element>
bool Machine::load_states(const Element* states, uint32_t bank, uint32_t block) {
    const uint32_t n = settings_.n_literals, limit = 2 * settings_.n_states;
    const Element low = static_cast<Element>((size_t{1} << (8 * sizeof(Element) - 1)) - settings_.n_states);
    bool good = true;
    for (uint32_t j = 64 * block; j < 64 * (block + 1) && j < settings_.n_clauses; ++j) {
        const size_t clause = static_cast<size_t>(bank) * settings_.n_clauses + j;
        const Element* from = states + clause * n;
        Element* to = reinterpret_cast<Element*>(states_.data()) + clause * shape_.n_padded;
        for (uint32_t k = 0; k < n; ++k) {
            good &= from[k] < limit;
            to[k] = static_cast<Element>(from[k] + low);
        }
        for (uint32_t k = n; k < shape_.n_padded; ++k) to[k] = low;  // padding is never included
    }
    return good;
}

template <class Element>
void Machine::dump_states(Element* states, uint32_t bank, uint32_t block) const {
    const uint32_t n = settings_.n_literals;
    const Element low = static_cast<Element>((size_t{1} << (8 * sizeof(Element) - 1)) - settings_.n_states);
    for (uint32_t j = 64 * block; j < 64 * (block + 1) && j < settings_.n_clauses; ++j) {
        const size_t clause = static_cast<size_t>(bank) * settings_.n_clauses + j;
        const Element* from = reinterpret_cast<const Element*>(states_.data()) + clause * shape_.n_padded;
        Element* to = states + clause * n;
        for (uint32_t k = 0; k < n; ++k) to[k] = static_cast<Element>(from[k] - low);
    }
}

// What the kernels need to know of the weights, 64 clauses at a time.
void Machine::note_signs(uint32_t bank) {
    for (uint32_t output = 0; output < settings_.n_outputs; ++output) {
        const size_t row = static_cast<size_t>(bank) * settings_.n_outputs + output;
        const int32_t* weights = weights_.data() + row * settings_.n_clauses;
        uint64_t* positive = positive_.data() + row * shape_.clause_blocks;
        uint8_t* unit = unit_.data() + row * shape_.clause_blocks;
        for (uint32_t block = 0; block < shape_.clause_blocks; ++block) positive[block] = 0, unit[block] = 1;
        for (uint32_t j = 0; j < settings_.n_clauses; ++j) {
            positive[j / 64] |= static_cast<uint64_t>(weights[j] >= 0) << (j % 64);
            unit[j / 64] &= weights[j] == 1 || weights[j] == -1;
        }
    }
}

bool Machine::load(const Import& memory, uint32_t n_threads) {
    std::memcpy(updates_.data(), memory.updates, updates_.size() * sizeof(uint64_t));
    std::memcpy(steps_.data(), memory.steps, steps_.size() * sizeof(uint64_t));
    std::memcpy(weights_.data(), memory.weights, weights_.size() * sizeof(int32_t));
    std::memcpy(numbers_.data(), memory.numbers, numbers_.size() * sizeof(uint64_t));
    for (uint32_t bank = 0; bank < n_banks_; ++bank) note_signs(bank);
    std::atomic<bool> good{true};
    for_each_block(n_threads, [&](uint32_t bank, uint32_t block) {
        const bool fits = state_bytes_ == 1 ? load_states(static_cast<const uint8_t*>(memory.states), bank, block)
                                            : load_states(static_cast<const uint16_t*>(memory.states), bank, block);
        if (!fits) {
            good = false;
            return;
        }
        prepare(bank, block);
    });
    return good;
}

// Sets include masks, which must be 0, lists and limits of 64 clauses from their states.
void Machine::prepare(uint32_t bank, uint32_t block) const {
    TrainJob part = job(bank);
    part.share = {.window = 0, .n_members = 1, .first_block = block, .last_block = block + 1, .moved = false};
    kernels_.prepare[state_bytes_ - 1][static_cast<size_t>(settings_.weak)](&part);
}

void Machine::dump(const Export& memory, uint32_t n_threads) const {
    for_each_block(n_threads, [&](uint32_t bank, uint32_t block) {
        if (state_bytes_ == 1) dump_states(static_cast<uint8_t*>(memory.states), bank, block);
        else dump_states(static_cast<uint16_t*>(memory.states), bank, block);
    });
    std::memcpy(memory.updates, updates_.data(), updates_.size() * sizeof(uint64_t));
    std::memcpy(memory.steps, steps_.data(), steps_.size() * sizeof(uint64_t));
    std::memcpy(memory.weights, weights_.data(), weights_.size() * sizeof(int32_t));
}

// ---- learning ------------------------------------------------------------------------------------------------------

// All of a bank's job but the data, the team and the worker.
TrainJob Machine::job(uint32_t bank) const {
    const size_t clause = static_cast<size_t>(bank) * settings_.n_clauses;
    const size_t padded = static_cast<size_t>(bank) * shape_.clause_blocks * 64;
    const size_t signs = static_cast<size_t>(bank) * settings_.n_outputs * shape_.clause_blocks;
    TrainJob job{};
    job.settings = &settings_;
    job.shape = shape_;
    job.clauses = {strong_steps_.data(), weak_rates_.data(), phases_.data()};
    job.bank.number = numbers_.data()[bank];
    job.bank.states = states_.data() + clause * shape_.n_padded * state_bytes_;
    job.bank.includes = includes_.data() + clause * (shape_.n_padded / 64);
    job.bank.lists = lists_.data() + clause * shape_.list_capacity;
    job.bank.depths = depths_.data() + clause * shape_.list_capacity * state_bytes_;
    job.bank.list_size = list_size_.data() + clause;
    job.bank.updates = updates_.data() + clause;
    job.bank.behind = behind_.data() + padded;
    job.bank.limit = limit_.data() + padded;
    job.bank.left = left_.data() + padded;
    job.bank.weights = weights_.data() + clause * settings_.n_outputs;
    job.bank.positive = positive_.data() + signs;
    job.bank.unit = unit_.data() + signs;
    return job;
}

Ledger Machine::train(const uint64_t* literals, const Streams& streams, uint32_t n_threads) {
    Crew crew(streams.start, n_banks_, shape_.clause_blocks, n_threads, costs_.data());
    const uint32_t most = crew.most_workers() < n_threads ? crew.most_workers() : n_threads;
    if (most == 0) return {};  // no steps at all
    const Counting counting = settings_.most_votes == 1     ? Counting::none
                              : settings_.most_votes <= 255 ? Counting::bytes
                                                            : Counting::words;
    if (n_threads > most_members_) workers_.clear();
    if (workers_.empty()) most_members_ = n_threads;
    workers_.reserve(most);
    while (workers_.size() < most) workers_.emplace_back(shape_, settings_.grid, most_members_, counting);
    for (Worker& worker : workers_) worker.ledger = {};

    const auto prepare = [&](uint32_t n_workers) {
        crew.prepare(n_workers);
        Place place;
        for (uint32_t i = 0; i < n_workers; ++i)
            if (crew.first_place(i, &place) && place.member == 0) workers_[i].lead(place.team);
    };
    on_threads(most, prepare, [&](uint32_t worker) {
        Worker& self = workers_[worker];
        Place place;
        if (!crew.first_place(worker, &place)) return;
        for (bool first = true;; first = false) {
            if (!first && place.member == 0) self.lead(place.team);
            const uint64_t start = streams.start[place.bank];
            TrainJob part = job(place.bank);
            part.stream = {
                .literals = literals,
                .rows = streams.rows + start,
                .outputs = streams.outputs + start,
                .targets = streams.targets + start,
                .n_steps = streams.start[place.bank + 1] - start,
                .first_step = steps_.data()[place.bank],
            };
            part.scratch = self.scratch();
            part.team = place.team;
            part.member = place.member;
            part.share = place.share;
            kernels_.train[state_bytes_ - 1][static_cast<size_t>(settings_.weak)][static_cast<size_t>(counting)](&part);
            add(self.ledger, part.ledger);
            if (!crew.next_place(&place)) return;
        }
    });

    Ledger sum{};
    for (const Worker& worker : workers_) add(sum, worker.ledger);
    for (uint32_t bank = 0; bank < n_banks_; ++bank)
        steps_.data()[bank] += streams.start[bank + 1] - streams.start[bank];
    crew.costs(costs_.data());
    return sum;
}

// Before `prepare`. A register holds a state plus a constant; one that would hold no state holds the nearest.
template <class Element>
void Machine::impose(const Stuck& stuck, size_t clause) {
    const uint32_t n = settings_.n_literals, top = 1u << (stuck.bits - 1);
    const uint32_t low = top - settings_.n_states, high = top + settings_.n_states - 1;
    const uint32_t shift = (1u << (8 * sizeof(Element) - 1)) - top;  // from the register to what is stored here
    std::memset(includes_.data() + clause * (shape_.n_padded / 64), 0, shape_.n_padded / 8);
    const Element* kept = static_cast<const Element*>(stuck.kept) + clause * n;
    const Element* ones = static_cast<const Element*>(stuck.ones) + clause * n;
    Element* states = reinterpret_cast<Element*>(states_.data()) + clause * shape_.n_padded;
    for (uint32_t k = 0; k < n; ++k) {
        const uint32_t held = ((states[k] - shift) & kept[k]) | ones[k];
        states[k] = static_cast<Element>((held < low ? low : held > high ? high : held) + shift);
    }
}

Ledger Machine::train_stuck(const uint64_t* literals, const Streams& streams, const Stuck& stuck) {
    const uint32_t m = settings_.n_clauses;
    Ledger sum{};
    for (uint32_t bank = 0; bank < n_banks_; ++bank) {
        std::vector<uint64_t> start(n_banks_ + size_t{1}, 0), clocks(m);
        for (uint32_t b = bank + 1; b <= n_banks_; ++b) start[b] = 1;  // one step, of this bank
        const uint64_t* updates = updates_.data() + size_t{bank} * m;
        const uint8_t* silent = stuck.silent + size_t{bank} * m;
        for (uint64_t at = streams.start[bank]; at < streams.start[bank + 1]; ++at) {
            std::memcpy(clocks.data(), updates, m * sizeof(uint64_t));
            add(sum, train(literals, {streams.rows + at, streams.outputs + at, streams.targets + at, start.data()}, 1));
            for (uint32_t block = 0; block < shape_.clause_blocks; ++block) {
                bool changed = false;
                const uint32_t end = 64 * (block + 1) < m ? 64 * (block + 1) : m;
                for (uint32_t j = 64 * block; j < end; ++j) changed |= updates[j] != clocks[j];
                for (uint32_t j = 64 * block; changed && j < end; ++j)
                    if (state_bytes_ == 1) impose<uint8_t>(stuck, size_t{bank} * m + j);
                    else impose<uint16_t>(stuck, size_t{bank} * m + j);
                if (changed) prepare(bank, block);
            }
            for (uint32_t output = 0; settings_.weights != Weights::fixed && output < settings_.n_outputs; ++output)
                for (uint32_t j = 0; j < m; ++j)
                    if (silent[j]) weights_.data()[(size_t{bank} * settings_.n_outputs + output) * m + j] = 0;
            if (settings_.weights != Weights::fixed) note_signs(bank);
        }
    }
    return sum;
}

void Machine::finish() {
    includes_.release();
    lists_.release();
    depths_.release();
    workers_.clear();
    workers_.shrink_to_fit();
    finished_ = true;
}

Voter Machine::voter(uint32_t n_threads) const {
    const auto include = [this](size_t clause, uint64_t*) {
        return includes_.data() + clause * (shape_.n_padded / 64);
    };
    return Voter(settings_, n_banks_, weights_.data(), include, kernels_, n_threads);
}

}  // namespace adtm
