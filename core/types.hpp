// Plain structs shared by the dispatcher, the memory owner and every CPU target.
// Nothing here has code: a function compiled with one target's flags must never be the copy another CPU runs.
#pragma once
#include <cstddef>
#include <cstdint>

namespace adtm {

constexpr int kWindow = 64;      // steps of a bank that are evaluated together: one bit each in a 64-bit column
constexpr int kBatch = 512;      // samples that vote together when predicting
constexpr uint64_t kFew = 4;     // up to so many samples vote one by one
constexpr uint32_t kPhaseStride = 64;  // from the phases of one clause to those of the next
constexpr uint16_t kNoList = 0xFFFF;
constexpr uint32_t kMaxPending = 255;  // deferred weak updates of one clause fit a byte

enum class Weak : int32_t { every = 0, bernoulli = 1, rota = 2 };
enum class Selection : int32_t { random = 0, weyl = 1 };

// The machine's parameters, as the specification names them (docs/spec.md).
struct Settings {
    uint64_t seed;
    uint32_t n_clauses;  // m, per bank
    uint32_t n_literals;  // n = 2o
    uint32_t target;  // T
    uint32_t n_states;  // N
    uint32_t step;  // strong step, at most 2N - 1
    uint64_t determinism;  // d; 0 stands for infinity
    Weak weak;
    uint32_t weak_rate;  // Bernoulli: probability of a weak move times 2^32; rota: turns per update times 2^32
    bool boost;  // Bernoulli only: strong feedback always moves
    Selection selection;
};

// What was offered, skipped and drawn; the Python Ledger has the same fields in the same order.
struct Ledger {
    uint64_t type_ia_strong_offered, type_ia_strong_skipped;
    uint64_t type_ia_weak_offered, type_ia_weak_skipped;
    uint64_t type_ib_offered, type_ib_skipped;
    uint64_t type_ii_offered, type_ii_skipped;
    uint64_t coins;
    uint64_t selection_draws;
};

// Threads that share one bank: sync() returns when all have called it.
struct Team {
    void (*sync)(Team*);
    int32_t* votes;  // [2][n_members][kWindow], two buffers used in turn
    uint32_t n_members;
};

// One bank, or a range of its clauses, learning from a stream of steps. Pointers are borrowed.
struct TrainJob {
    const Settings* settings;
    uint32_t bank;
    uint32_t first_block, last_block;  // clause blocks of 64 that this job owns
    // memory of the bank
    void* states;  // [m][n_padded] biased bytes or 16-bit words; the sign bit is the action
    uint32_t n_padded;  // n rounded up to 64
    uint64_t* includes;  // [m][row_words] bit k: literal k is included
    uint16_t* lists;  // [m][list_capacity] the included literals once more, in any order, for evaluation
    void* depths;  // [m][list_capacity] states of the listed literals, brought up to date at every look
    uint16_t* list_size;  // [m] kNoList: too many included literals, use the include mask
    uint32_t list_capacity;  // a multiple of 64
    uint64_t* updates;  // [m] u: updates received
    // Deferred Type Ib updates, [m rounded up to 64] each: `behind` were looked at (the depths have them, the states do
    // not), limit - left came since; at left = 0 the next look is due.
    uint8_t* behind;
    uint8_t* limit;
    uint8_t* left;
    // data
    const uint64_t* literals;  // [n_samples][row_words]
    uint32_t row_words;
    const uint32_t* rows;  // [n_steps] sample of each step
    const uint8_t* targets;  // [n_steps] 0 or 1
    uint64_t n_steps;
    uint64_t first_step;  // steps of this bank before this call
    const uint32_t* phases;  // rota only: automaton k of clause j starts at phases[kPhaseStride * j + k]
    // scratch of this job
    uint64_t* columns;  // [n_padded + 1] bit i: the literal's value at step i of the window; the last is all ones
    uint64_t* outputs;  // [m rounded up to 64] bit i: the clause fires at step i
    uint64_t* fires;  // [kWindow][clause blocks] the same, transposed
    uint64_t* skips;  // [row_words + 1] coins that said no; also scratch for coins
    uint64_t* tosses;  // [row_words] coins tossed
    uint8_t* skipped;  // [64 * row_words] moves lost to coins in several updates, counted per automaton
    uint32_t* at_toss;  // [64 * row_words] rota with coins only: how far each automaton's word is at its toss in a cycle
    uint32_t* work;  // [2 * m rounded up to 64] clauses to update in this step
    Team* team;  // null: alone
    uint32_t member;
    Ledger ledger;
};

// A model made ready for voting: the included literals of every clause that is not empty.
struct Compiled {
    uint32_t n_banks, n_literals;
    uint64_t n_clauses;
    const uint64_t* bank_start;  // [n_banks + 1] first clause of each bank
    const uint64_t* clause_start;  // [n_clauses + 1] first literal of each clause
    const uint32_t* clause_literals;  // of each clause: fewer than dense_words literals, or so many words of bits
    const int8_t* polarity;  // [n_clauses] +1 or -1
    uint32_t dense_words;  // words of a row of bits: a list that long would be larger (a young machine's clauses are)
};

struct VoteJob {
    const Compiled* model;
    const uint64_t* literals;  // [n_samples][row_words]
    uint32_t row_words;
    uint64_t n_samples;
    int32_t* votes;  // [n_samples][n_banks]
    uint64_t* columns;  // scratch [n_literals rounded up to 64][kBatch / 64]; unused for few samples
};

// The kernels of one CPU target. `name` is null where the target was not compiled.
struct Kernels {
    const char* name;
    // Set include masks and limits from the states (import of a model).
    void (*prepare8)(TrainJob*);
    void (*prepare16)(TrainJob*);
    void (*train8)(TrainJob*);
    void (*train16)(TrainJob*);
    void (*vote)(const VoteJob*);
};
extern const Kernels kernels_generic, kernels_avx2, kernels_avx512, kernels_neon;

}  // namespace adtm
