// Owns the memory of a machine while it learns, and of a model while it votes; hands work to threads and kernels.
// Knows nothing of Python. Sizes are checked by the caller (bind_machine.cpp).
#pragma once
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "types.hpp"

namespace adtm {

// Zeroed memory aligned to a cache line, the width of the widest block. Large pieces ask for huge pages: the rows of a
// bank are met in random order, and small pages would cost a page fault each at the start and address look-ups for ever.
class Memory {
  public:
    explicit Memory(size_t bytes);
    ~Memory();
    Memory(Memory&& other) noexcept : data_(std::exchange(other.data_, nullptr)), align_(other.align_) {}
    Memory& operator=(Memory&&) = delete;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    void* data() const { return data_; }

  private:
    void* data_;
    std::align_val_t align_;
};

template <class T>
class Buffer {
  public:
    explicit Buffer(size_t n) : size_(n), memory_(n * sizeof(T)) {}
    T* data() const { return static_cast<T*>(memory_.data()); }
    size_t size() const { return size_; }

  private:
    size_t size_;
    Memory memory_;
};

// The included literals of every clause that is not empty; made once per fitted state.
class Voter {
  public:
    Voter(uint32_t n_banks, uint32_t n_literals, const Kernels& kernels);
    // Clauses are added bank after bank, in index order. `include` has one bit per literal.
    void start_bank();
    void add_clause(uint32_t index, const uint64_t* include);
    void finish();

    void votes(const uint64_t* literals, uint64_t n_samples, uint32_t row_words, uint32_t n_threads, int32_t* out) const;
    uint32_t n_banks() const { return n_banks_; }
    uint32_t n_literals() const { return n_literals_; }
    uint64_t n_clauses() const { return polarity_.size(); }

  private:
    uint32_t n_banks_, n_literals_, dense_words_;
    const Kernels& kernels_;
    std::vector<uint64_t> bank_start_, clause_start_;
    std::vector<uint32_t> clause_literals_;
    std::vector<int8_t> polarity_;
};

// The steps that each bank sees: rows and targets of bank b are [start[b], start[b + 1]).
struct Streams {
    const uint32_t* rows;
    const uint8_t* targets;
    const uint64_t* start;  // [n_banks + 1]
};

class Machine {
  public:
    // `phases` has kPhaseStride * n_clauses + n_literals words, and is only read for a rota.
    Machine(const Settings& settings, uint32_t n_banks, uint32_t state_bytes, const Kernels& kernels, const uint32_t* phases);

    // States cross this border as 0 .. 2N - 1 in [n_banks][n_clauses][n_literals] of state_bytes each.
    // Returns false (and leaves the machine unusable) when a state is out of range.
    bool load(const void* states, const uint64_t* updates, const uint64_t* steps, uint32_t n_threads);
    void dump(void* states, uint64_t* updates, uint64_t* steps, uint32_t n_threads) const;

    Ledger train(const uint64_t* literals, const Streams& streams, uint32_t n_threads);
    Voter voter() const;

    const Settings& settings() const { return settings_; }
    uint32_t n_banks() const { return n_banks_; }
    uint32_t state_bytes() const { return state_bytes_; }
    uint32_t row_words() const { return row_words_; }
    const Kernels& kernels() const { return kernels_; }

  private:
    struct Scratch;
    TrainJob bank_job(uint32_t bank, const Scratch& scratch) const;
    TrainJob training_job(uint32_t bank, const Scratch& scratch, const uint64_t* literals, const Streams& streams) const;
    template <class Work> void for_each_block(uint32_t n_threads, Work work) const;
    template <class Element> bool load_states(const Element* states, uint32_t bank, uint32_t block);
    template <class Element> void dump_states(Element* states, uint32_t bank, uint32_t block) const;
    void train_banks(std::vector<Ledger>& ledgers, const uint64_t* literals, const Streams& streams, uint32_t n_threads);
    void train_team(std::vector<Ledger>& ledgers, const uint64_t* literals, const Streams& streams, uint32_t n_threads);
    void run(TrainJob& job) const { (state_bytes_ == 1 ? kernels_.train8 : kernels_.train16)(&job); }

    Settings settings_;
    uint32_t n_banks_, state_bytes_;
    const Kernels& kernels_;
    uint32_t n_padded_, row_words_, clause_blocks_, list_capacity_;
    Buffer<uint8_t> states_;  // [banks][m][n_padded] of state_bytes, biased so that the top bit is the action
    Buffer<uint64_t> includes_;  // [banks][m][row_words]
    Buffer<uint16_t> lists_, list_size_;  // [banks][m][list_capacity], [banks][m]
    Buffer<uint8_t> depths_;  // [banks][m][list_capacity] of state_bytes
    Buffer<uint64_t> updates_;  // [banks][m]
    Buffer<uint8_t> behind_, limit_, left_;  // [banks][clause_blocks * 64]
    Buffer<uint64_t> steps_;  // [banks]
    Buffer<uint32_t> phases_;  // [kPhaseStride * m + row_words * 64], of a rota
};

}  // namespace adtm
