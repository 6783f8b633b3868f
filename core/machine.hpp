// A machine while it learns: it owns the memory, and hands work to threads and kernels.
// It knows nothing of Python. The caller has checked all sizes (bind_machine.cpp).
#pragma once
#include <cstdint>
#include <vector>

#include "memory.hpp"
#include "types.hpp"
#include "voter.hpp"

namespace adtm {

// The steps of all banks: those of bank b are start[b] .. start[b + 1] - 1.
struct Streams {
    const uint32_t* rows;
    const uint32_t* outputs;
    const int32_t* targets;
    const uint64_t* start;  // [n_banks + 1]
};

// A machine's memory as it comes in and goes out. States are 0 .. 2N - 1, in one or two bytes each.
struct Import {
    const void* states;       // [n_banks][n_clauses][n_literals]
    const uint64_t* updates;  // [n_banks][n_clauses]
    const uint64_t* steps;    // [n_banks]
    const int32_t* weights;   // [n_banks][n_outputs][n_clauses]
    const uint64_t* numbers;  // [n_banks] of the banks in the whole machine
};
struct Export {
    void* states;
    uint64_t* updates;
    uint64_t* steps;
    int32_t* weights;
};

// Bits that are stuck for ever, after every step of learning (adtm/machine/faults.py): those of the automata's registers,
// in the type of the states, and clauses that never say anything.
struct Stuck {
    const void* kept;       // [n_banks][n_clauses][n_literals] bits that are not stuck at 0
    const void* ones;       // bits that are stuck at 1
    const uint8_t* silent;  // [n_banks][n_clauses]
    uint32_t bits;          // of a register; the topmost is the action
};

class Machine {
  public:
    // Copies the clauses. `phases` has ADTM_PHASE_STRIDE * n_clauses + n_literals words, and is read for a rota alone.
    Machine(const Settings& settings, uint32_t n_banks, uint32_t state_bytes, const Kernels& kernels,
            const Clauses& clauses);
    ~Machine();

    // False if a state is out of range; then the machine cannot be used.
    bool load(const Import& memory, uint32_t n_threads);
    void dump(const Export& memory, uint32_t n_threads) const;

    Ledger train(const uint64_t* literals, const Streams& streams, uint32_t n_threads);
    // The same step by step, with stuck bits, which the memory already has.
    Ledger train_stuck(const uint64_t* literals, const Streams& streams, const Stuck& stuck);
    Voter voter(uint32_t n_threads) const;
    // Frees what only learning and voting need. After this, only dump() may be called.
    void finish();
    bool finished() const { return finished_; }

    const Settings& settings() const { return settings_; }
    uint32_t n_banks() const { return n_banks_; }
    uint32_t state_bytes() const { return state_bytes_; }
    const Kernels& kernels() const { return kernels_; }

  private:
    class Worker;
    TrainJob job(uint32_t bank) const;
    template <class Work> void for_each_block(uint32_t n_threads, Work work) const;
    template <class Element> bool load_states(const Element* states, uint32_t bank, uint32_t block);
    template <class Element> void dump_states(Element* states, uint32_t bank, uint32_t block) const;
    void note_signs(uint32_t bank);
    void prepare(uint32_t bank, uint32_t block) const;
    template <class Element> void impose(const Stuck& stuck, size_t clause);

    Settings settings_;
    uint32_t n_banks_, state_bytes_;
    const Kernels& kernels_;
    Shape shape_;
    size_t m_ = settings_.n_clauses, n_all_ = n_banks_ * m_, blocks_ = size_t{n_banks_} * shape_.clause_blocks;
    // [banks][m][n_padded] of state_bytes, shifted so that the top bit is the action
    Buffer<uint8_t> states_{n_all_ * shape_.n_padded * state_bytes_};
    Buffer<uint64_t> includes_{n_all_ * (shape_.n_padded / 64)};            // [banks][m][n_padded / 64]
    Buffer<uint16_t> lists_{n_all_ * shape_.list_capacity};                 // [banks][m][list_capacity]
    Buffer<uint16_t> list_size_{n_all_};                                    // [banks][m]
    Buffer<uint8_t> depths_{n_all_ * shape_.list_capacity * state_bytes_};  // [banks][m][list_capacity] of state_bytes
    Buffer<uint64_t> updates_{n_all_};  // [banks][m]
    Buffer<uint8_t> behind_{64 * blocks_}, limit_{64 * blocks_}, left_{64 * blocks_};  // [banks][clause_blocks * 64]
    Buffer<int32_t> weights_{n_all_ * settings_.n_outputs};  // [banks][outputs][m]
    Buffer<uint64_t> positive_{blocks_ * settings_.n_outputs};  // [banks][outputs][clause_blocks]
    Buffer<uint8_t> unit_{blocks_ * settings_.n_outputs};  // [banks][outputs][clause_blocks]
    Buffer<uint64_t> steps_{n_banks_}, numbers_{n_banks_};  // [banks]
    Buffer<uint16_t> strong_steps_{m_};  // [m]
    Buffer<uint32_t> weak_rates_{m_};  // [m]
    Buffer<uint32_t> phases_;  // [ADTM_PHASE_STRIDE * m + row_words * 64], of a rota
    std::vector<double> costs_ = std::vector<double>(n_banks_, 1.0);  // [banks] of a window in the last run
    std::vector<Worker> workers_;  // of the last run, for the next
    uint32_t most_members_ = 0;  // of a team of these workers
    bool finished_ = false;
};

}  // namespace adtm
