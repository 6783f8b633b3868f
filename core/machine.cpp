#include "machine.hpp"

#include <atomic>
#include <bit>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace adtm {
namespace {

constexpr uint32_t round_up(uint32_t x, uint32_t to) { return (x + to - 1) / to * to; }

// Calls work(worker) on n_threads threads, this one included. A thread that cannot be had is done without.
template <class Work>
void on_threads(uint32_t n_threads, Work work) {
    std::vector<std::thread> threads;
    for (uint32_t i = 1; i < n_threads; ++i) {
        try {
            threads.emplace_back(work, i);
        } catch (const std::system_error&) {
            break;
        }
    }
    work(0u);
    for (std::thread& t : threads) t.join();
}

// A barrier that spins: between two steps of a bank there is too little work to sleep.
struct SpinTeam : Team {
    std::atomic<uint32_t> waiting{0};
    std::atomic<uint32_t> round{0};

    static void wait(Team* team) {
        SpinTeam& self = *static_cast<SpinTeam*>(team);
        const uint32_t mine = self.round.load(std::memory_order_relaxed);
        if (self.waiting.fetch_add(1, std::memory_order_acq_rel) + 1 == self.n_members) {
            self.waiting.store(0, std::memory_order_relaxed);
            self.round.store(mine + 1, std::memory_order_release);
            return;
        }
        for (uint32_t spins = 0; self.round.load(std::memory_order_acquire) == mine; ++spins)
            if (spins > 2000) std::this_thread::yield();  // more members than cores
    }
};

}  // namespace

// ---- Memory --------------------------------------------------------------------------------------------------------

Memory::Memory(size_t bytes) {
    constexpr size_t kHugePage = size_t{2} << 20;
    const bool large = bytes >= 2 * kHugePage;
    align_ = std::align_val_t{large ? kHugePage : 64};
    data_ = ::operator new(bytes + 64, align_);  // a block may be read past the end of the last row
#if defined(__linux__)
    if (large) madvise(data_, bytes, MADV_HUGEPAGE);  // only a hint: without it everything works the same
#endif
    std::memset(data_, 0, bytes + 64);
}

Memory::~Memory() {
    if (data_ != nullptr) ::operator delete(data_, align_);
}

// ---- Voter ---------------------------------------------------------------------------------------------------------

Voter::Voter(uint32_t n_banks, uint32_t n_literals, const Kernels& kernels)
    : n_banks_(n_banks), n_literals_(n_literals), dense_words_((n_literals + 31) / 32), kernels_(kernels) {}

void Voter::start_bank() { bank_start_.push_back(polarity_.size()); }

void Voter::add_clause(uint32_t index, const uint64_t* include) {
    const uint32_t blocks = (n_literals_ + 63) / 64;
    uint32_t size = 0;
    for (uint32_t block = 0; block < blocks; ++block) size += static_cast<uint32_t>(std::popcount(include[block]));
    if (size == 0) return;  // an empty clause gives 0 while predicting
    clause_start_.push_back(clause_literals_.size());
    if (size < dense_words_) {
        for (uint32_t block = 0; block < blocks; ++block)
            for (uint64_t rest = include[block]; rest != 0; rest &= rest - 1)
                clause_literals_.push_back(64 * block + static_cast<uint32_t>(std::countr_zero(rest)));
    } else {
        for (uint32_t w = 0; w < dense_words_; ++w)
            clause_literals_.push_back(static_cast<uint32_t>(include[w / 2] >> (w % 2 * 32)));
    }
    polarity_.push_back(index % 2 == 0 ? 1 : -1);
}

void Voter::finish() {
    bank_start_.push_back(polarity_.size());
    clause_start_.push_back(clause_literals_.size());
}

void Voter::votes(const uint64_t* literals, uint64_t n_samples, uint32_t row_words, uint32_t n_threads, int32_t* out) const {
    const Compiled model{n_banks_, n_literals_, polarity_.size(), bank_start_.data(), clause_start_.data(),
                         clause_literals_.data(), polarity_.data(), dense_words_};
    const uint64_t n_batches = (n_samples + kBatch - 1) / kBatch;
    const uint32_t members = static_cast<uint32_t>(n_batches < n_threads ? (n_batches == 0 ? 1 : n_batches) : n_threads);
    std::vector<Buffer<uint64_t>> columns;
    const size_t n_columns = n_samples > kFew ? static_cast<size_t>(round_up(n_literals_, 64)) * (kBatch / 64) : 0;
    for (uint32_t i = 0; i < members; ++i) columns.emplace_back(n_columns);
    std::atomic<uint64_t> next{0};
    on_threads(members, [&](uint32_t worker) {
        for (uint64_t batch = next++; batch < n_batches; batch = next++) {
            const uint64_t first = batch * kBatch;
            const uint64_t left = n_samples - first;
            const VoteJob job{&model, literals + first * row_words, row_words, left < kBatch ? left : kBatch,
                              out + first * n_banks_, columns[worker].data()};
            kernels_.vote(&job);
        }
    });
}

// ---- Machine -------------------------------------------------------------------------------------------------------

struct Machine::Scratch {
    explicit Scratch(const Machine& m)
        : columns(m.n_padded_ + 1), outputs(m.clause_blocks_ * 64), fires(static_cast<size_t>(kWindow) * m.clause_blocks_),
          skips(m.row_words_ + 1), tosses(m.row_words_), skipped(m.row_words_ * 64),
          at_toss(m.row_words_ * 64), work(m.clause_blocks_ * 64) {}
    Buffer<uint64_t> columns, outputs, fires, skips, tosses;
    Buffer<uint8_t> skipped;
    Buffer<uint32_t> at_toss, work;
};

Machine::Machine(const Settings& settings, uint32_t n_banks, uint32_t state_bytes, const Kernels& kernels,
                 const uint32_t* phases)
    : settings_(settings), n_banks_(n_banks), state_bytes_(state_bytes), kernels_(kernels),
      n_padded_(round_up(settings.n_literals, 64)), row_words_(round_up(settings.n_literals, 512) / 64),
      clause_blocks_(round_up(settings.n_clauses, 64) / 64),
      // Room for about one literal in ten: three bytes each make a third of a byte per automaton.
      list_capacity_(n_padded_ < kNoList ? round_up(n_padded_ / 12, 64) : 0),
      states_(static_cast<size_t>(n_banks) * settings.n_clauses * n_padded_ * state_bytes),
      includes_(static_cast<size_t>(n_banks) * settings.n_clauses * row_words_),
      lists_(static_cast<size_t>(n_banks) * settings.n_clauses * list_capacity_),
      list_size_(static_cast<size_t>(n_banks) * settings.n_clauses),
      depths_(static_cast<size_t>(n_banks) * settings.n_clauses * list_capacity_ * state_bytes),
      updates_(static_cast<size_t>(n_banks) * settings.n_clauses), behind_(static_cast<size_t>(n_banks) * clause_blocks_ * 64),
      limit_(static_cast<size_t>(n_banks) * clause_blocks_ * 64),
      left_(static_cast<size_t>(n_banks) * clause_blocks_ * 64), steps_(n_banks),
      phases_(settings.weak == Weak::rota ? size_t{kPhaseStride} * settings.n_clauses + row_words_ * 64 : 0) {
    if (settings.weak == Weak::rota)
        std::memcpy(phases_.data(), phases, (size_t{kPhaseStride} * settings.n_clauses + settings.n_literals) * sizeof(uint32_t));
}

// Calls work(bank, block) for every clause block of every bank, on n_threads threads.
template <class Work>
void Machine::for_each_block(uint32_t n_threads, Work work) const {
    const uint32_t n_units = n_banks_ * clause_blocks_;
    std::atomic<uint32_t> next{0};
    on_threads(n_threads < n_units ? n_threads : n_units, [&](uint32_t) {
        for (uint32_t unit = next++; unit < n_units; unit = next++) work(unit / clause_blocks_, unit % clause_blocks_);
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
        Element* to = reinterpret_cast<Element*>(states_.data()) + clause * n_padded_;
        for (uint32_t k = 0; k < n; ++k) {
            good &= from[k] < limit;
            to[k] = static_cast<Element>(from[k] + low);
        }
        for (uint32_t k = n; k < n_padded_; ++k) to[k] = low;  // padding stays excluded for ever
    }
    return good;
}

template <class Element>
void Machine::dump_states(Element* states, uint32_t bank, uint32_t block) const {
    const uint32_t n = settings_.n_literals;
    const Element low = static_cast<Element>((size_t{1} << (8 * sizeof(Element) - 1)) - settings_.n_states);
    for (uint32_t j = 64 * block; j < 64 * (block + 1) && j < settings_.n_clauses; ++j) {
        const size_t clause = static_cast<size_t>(bank) * settings_.n_clauses + j;
        const Element* from = reinterpret_cast<const Element*>(states_.data()) + clause * n_padded_;
        Element* to = states + clause * n;
        for (uint32_t k = 0; k < n; ++k) to[k] = static_cast<Element>(from[k] - low);
    }
}

bool Machine::load(const void* states, const uint64_t* updates, const uint64_t* steps, uint32_t n_threads) {
    std::memcpy(updates_.data(), updates, updates_.size() * sizeof(uint64_t));
    std::memcpy(steps_.data(), steps, steps_.size() * sizeof(uint64_t));
    const Scratch scratch(*this);
    std::atomic<bool> good{true};
    for_each_block(n_threads, [&](uint32_t bank, uint32_t block) {
        const bool fits = state_bytes_ == 1 ? load_states(static_cast<const uint8_t*>(states), bank, block)
                                            : load_states(static_cast<const uint16_t*>(states), bank, block);
        if (!fits) {
            good = false;
            return;
        }
        TrainJob job = bank_job(bank, scratch);
        job.first_block = block;
        job.last_block = block + 1;
        (state_bytes_ == 1 ? kernels_.prepare8 : kernels_.prepare16)(&job);
    });
    return good;
}

void Machine::dump(void* states, uint64_t* updates, uint64_t* steps, uint32_t n_threads) const {
    for_each_block(n_threads, [&](uint32_t bank, uint32_t block) {
        if (state_bytes_ == 1)
            dump_states(static_cast<uint8_t*>(states), bank, block);
        else
            dump_states(static_cast<uint16_t*>(states), bank, block);
    });
    std::memcpy(updates, updates_.data(), updates_.size() * sizeof(uint64_t));
    std::memcpy(steps, steps_.data(), steps_.size() * sizeof(uint64_t));
}

TrainJob Machine::bank_job(uint32_t bank, const Scratch& scratch) const {
    const size_t first_clause = static_cast<size_t>(bank) * settings_.n_clauses;
    TrainJob job{};
    job.settings = &settings_;
    job.bank = bank;
    job.last_block = clause_blocks_;
    job.states = states_.data() + first_clause * n_padded_ * state_bytes_;
    job.n_padded = n_padded_;
    job.includes = includes_.data() + first_clause * row_words_;
    job.lists = lists_.data() + first_clause * list_capacity_;
    job.list_size = list_size_.data() + first_clause;
    job.list_capacity = list_capacity_;
    job.depths = depths_.data() + first_clause * list_capacity_ * state_bytes_;
    job.updates = updates_.data() + first_clause;
    job.behind = behind_.data() + static_cast<size_t>(bank) * clause_blocks_ * 64;
    job.limit = limit_.data() + static_cast<size_t>(bank) * clause_blocks_ * 64;
    job.left = left_.data() + static_cast<size_t>(bank) * clause_blocks_ * 64;
    job.row_words = row_words_;
    job.columns = scratch.columns.data();
    job.outputs = scratch.outputs.data();
    job.fires = scratch.fires.data();
    job.skips = scratch.skips.data();
    job.tosses = scratch.tosses.data();
    job.skipped = scratch.skipped.data();
    job.phases = phases_.data();
    job.at_toss = scratch.at_toss.data();
    job.work = scratch.work.data();
    return job;
}

TrainJob Machine::training_job(uint32_t bank, const Scratch& scratch, const uint64_t* literals, const Streams& streams) const {
    TrainJob job = bank_job(bank, scratch);
    job.literals = literals;
    job.rows = streams.rows + streams.start[bank];
    job.targets = streams.targets + streams.start[bank];
    job.n_steps = streams.start[bank + 1] - streams.start[bank];
    job.first_step = steps_.data()[bank];
    return job;
}

// Banks never read each other, so each is one piece of work.
void Machine::train_banks(std::vector<Ledger>& ledgers, const uint64_t* literals, const Streams& streams, uint32_t n_threads) {
    const uint32_t members = n_threads < n_banks_ ? n_threads : n_banks_;
    std::vector<Scratch> scratch;
    for (uint32_t i = 0; i < members; ++i) scratch.emplace_back(*this);
    ledgers.resize(n_banks_);
    std::atomic<uint32_t> next{0};
    on_threads(members, [&](uint32_t worker) {
        for (uint32_t bank = next++; bank < n_banks_; bank = next++) {
            TrainJob job = training_job(bank, scratch[worker], literals, streams);
            run(job);
            ledgers[bank] = job.ledger;
        }
    });
}

// One bank: each member owns some of the clauses, and the votes are added up after every step that changes something.
void Machine::train_team(std::vector<Ledger>& ledgers, const uint64_t* literals, const Streams& streams, uint32_t n_threads) {
    SpinTeam team;
    team.sync = SpinTeam::wait;
    std::vector<Scratch> scratch;
    for (uint32_t i = 0; i < n_threads; ++i) scratch.emplace_back(*this);
    Buffer<int32_t> votes(static_cast<size_t>(2) * n_threads * kWindow);
    team.votes = votes.data();

    // A member may only start when all have been found: its barrier waits for every one of them.
    std::atomic<uint32_t> members{0};
    ledgers.resize(n_threads);
    const auto work = [&](uint32_t member) {
        while (members.load(std::memory_order_acquire) == 0) std::this_thread::yield();
        const uint32_t n_members = members.load();
        TrainJob job = training_job(0, scratch[member], literals, streams);
        job.first_block = clause_blocks_ * member / n_members;
        job.last_block = clause_blocks_ * (member + 1) / n_members;
        job.team = n_members > 1 ? &team : nullptr;
        job.member = member;
        run(job);
        ledgers[member] = job.ledger;
    };
    std::vector<std::thread> threads;
    for (uint32_t i = 1; i < n_threads; ++i) {
        try {
            threads.emplace_back(work, i);
        } catch (const std::system_error&) {
            break;
        }
    }
    team.n_members = static_cast<uint32_t>(threads.size()) + 1;
    members.store(team.n_members, std::memory_order_release);
    work(0);
    for (std::thread& t : threads) t.join();
}

Ledger Machine::train(const uint64_t* literals, const Streams& streams, uint32_t n_threads) {
    std::vector<Ledger> ledgers;
    const uint32_t members = n_threads < clause_blocks_ ? n_threads : clause_blocks_;
    if (n_banks_ == 1 && members > 1)
        train_team(ledgers, literals, streams, members);
    else
        train_banks(ledgers, literals, streams, n_threads);
    for (uint32_t bank = 0; bank < n_banks_; ++bank) steps_.data()[bank] += streams.start[bank + 1] - streams.start[bank];

    Ledger sum{};
    for (const Ledger& l : ledgers) {
        sum.type_ia_strong_offered += l.type_ia_strong_offered;
        sum.type_ia_strong_skipped += l.type_ia_strong_skipped;
        sum.type_ia_weak_offered += l.type_ia_weak_offered;
        sum.type_ia_weak_skipped += l.type_ia_weak_skipped;
        sum.type_ib_offered += l.type_ib_offered;
        sum.type_ib_skipped += l.type_ib_skipped;
        sum.type_ii_offered += l.type_ii_offered;
        sum.type_ii_skipped += l.type_ii_skipped;
        sum.coins += l.coins;
        sum.selection_draws += l.selection_draws;
    }
    return sum;
}

Voter Machine::voter() const {
    Voter voter(n_banks_, settings_.n_literals, kernels_);
    const uint64_t* include = includes_.data();
    for (uint32_t bank = 0; bank < n_banks_; ++bank) {
        voter.start_bank();
        for (uint32_t j = 0; j < settings_.n_clauses; ++j, include += row_words_) voter.add_clause(j, include);
    }
    voter.finish();
    return voter;
}

}  // namespace adtm
