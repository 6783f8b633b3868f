// Plain structs that the dispatcher, the owner of the memory and every CPU target share. Nothing here has code: a
// function that is compiled with the flags of one CPU must never be the copy that another CPU runs.
#pragma once
#include <cstddef>
#include <cstdint>

#include "fields.h"  // made by make_headers.py from the classes Ledger and Settings of src/adtm/machine
#include "rules.hpp"

namespace adtm {

constexpr uint32_t kWindow = 64;  // steps of a bank that are evaluated together: one bit each in a 64-bit column
constexpr int kBatch = 512;  // samples that vote together when predicting
constexpr uint64_t kFew = 4;  // so many samples, or fewer, vote one by one
constexpr uint16_t kNoList = 0xFFFF;
constexpr uint32_t kMaxPending = 255;  // deferred weak updates of one clause fit a byte

// How the votes of a tolerant clause are counted: not at all, since it is an AND, or in bytes or 16-bit words.
enum class Counting : uint8_t { none, bytes, words };

// Where the patches of an image lie (adtm/tables/patches.py), and the sizes that follow. Without patches all are 0.
struct Grid {
    uint32_t height, width, channels;  // of an image
    uint32_t patch_height, patch_width;
    uint32_t down, across;  // pixels from a patch to the next
    uint32_t rows, columns;  // of patches
    uint32_t n_patches;
    uint32_t n_features;  // of a patch: its pixels, then its place
    uint32_t blank;  // stands for a literal that always holds: the number of literals, rounded up to 64
    uint32_t lane_words;  // 64-bit words of a row of patches: n_patches rounded up to 512
    uint32_t sample_words;  // of an image and its negation, as it is stored
    uint32_t thinned_width;  // how many pixels of a line are `across` apart
};

// The machine's parameters. Their names and meanings are those of src/adtm/machine/settings.py, which has the list; d =
// 0 stands for infinity, max_literals = 2^32 - 1 for none.
struct Settings {
#define ADTM_NUMBER(how, type, name) type name;
    ADTM_NUMBERS(ADTM_NUMBER)
#undef ADTM_NUMBER
#define ADTM_RULE(type, name) type name;
    ADTM_RULES(ADTM_RULE)
#undef ADTM_RULE
    // Sizes that follow from the data.
    uint32_t n_literals;  // n = 2o
    uint32_t n_outputs;  // votes of a bank
    Grid grid;
};

// What differs from clause to clause; it is the same in every bank.
struct Clauses {
    const uint16_t* steps;  // [m] strong step, 1 .. 2N - 1
    const uint32_t* weak_rates;  // [m] Bernoulli: probability of a weak move; rota: turns per update; times 2^32
    const uint32_t* phases;  // rota only: automaton k of clause j starts at phases[ADTM_PHASE_STRIDE * j + k]
};

// Counts of what was offered, skipped and drawn.
struct Ledger {
#define ADTM_FIELD(name) uint64_t name;
    ADTM_LEDGER(ADTM_FIELD)
#undef ADTM_FIELD
};

// Sizes that follow from the settings.
struct Shape {
    uint32_t n_padded;  // n rounded up to 64
    uint32_t row_words;  // 64-bit words of a row of literals: n rounded up to 512
    uint32_t sample_words;  // of a sample as it is stored: the same, unless clauses see patches of it
    uint32_t clause_blocks;  // blocks of 64 clauses
    uint32_t list_capacity;  // a multiple of 8, and of 64 where it is more than 64
};

// The memory of one bank.
struct Bank {
    uint64_t number;  // in the whole machine; draws depend on it
    void* states;  // [m][n_padded] biased bytes or 16-bit words; the sign bit is the action
    uint64_t* includes;  // [m][n_padded / 64] bit k: literal k is included
    uint16_t* lists;  // [m][list_capacity] the included literals once more, in any order: see learn/lists.hpp
    void* depths;  // [m][list_capacity] states of the listed literals, as of the last look
    uint16_t* list_size;  // [m] kNoList: the clause includes too many literals and has no list
    uint64_t* updates;  // [m] u: updates that the states have
    uint8_t* behind;  // [m rounded up to 64] deferred weak updates: see learn/defer.hpp
    uint8_t* limit;
    uint8_t* left;
    int32_t* weights;  // [outputs][m]
    uint64_t* positive;  // [outputs][clause blocks] bit: the weight is at least 0
    uint8_t* unit;  // [outputs][clause blocks] 1: every weight of the block is 1 or -1; 0: perhaps not
};

// The steps that a bank learns from: (row, output, target) each.
struct Stream {
    const uint64_t* literals;  // [n_samples][sample_words]
    const uint32_t* rows;  // [n_steps] sample of each step
    const uint32_t* outputs;  // [n_steps]
    const int32_t* targets;  // [n_steps]
    uint64_t n_steps;
    uint64_t first_step;  // steps of this bank before this call
};

// A piece of the coin tape of a clause: automata from .. to - 1 toss, with the coins under a key.
struct Stretch {
    uint64_t key;
    uint32_t from, to;
    uint32_t ahead;  // rota: how far the words are ahead of the phases when the cycle starts
};

// Working memory for the patches of one image: see patches.hpp.
struct PatchBuffers {
    uint64_t* columns;  // [blank + 1][lane_words] bit p: the literal's value in patch p; the last: the patch exists
    uint64_t* string;  // lines of pixels, one after the other, and room to read past the end
    uint64_t* thinned;  // the image with reordered lines, where patches are more than one pixel apart
};

// Working memory of one thread.
struct Scratch {
    uint64_t* outputs;  // [m rounded up to 64] bit i: the clause fires at step i of the window
    uint64_t* fires;  // [kWindow][clause blocks] the same, transposed
    void* counts;  // [m rounded up to 64][kWindow] with tolerance: the clause's votes at each step, as Counting says
    uint32_t* work;  // [m rounded up to 64] the work list: feedback that comes next
    uint64_t* late;  // [clause blocks] bit: the clause has late feedback, see learn/late.hpp
    uint8_t* late_at;  // [m rounded up to 64] the step of the late feedback, plus kWindow for Type II
    Stretch* tape;  // [kMaxPending + 2]
    uint64_t* tosses;  // [row_words] coins tossed in one update
    uint64_t* skips;  // [row_words] the coins of these that say no
    uint8_t* skipped;  // [64 * row_words] moves that each automaton loses to coins in several updates
    uint32_t* at_toss;  // [64 * row_words] rota with coins: updates of a cycle up to the automaton's toss
    PatchBuffers patches;
    uint64_t* best;  // [m][lane_words] the patches where each clause misses the fewest literals
    uint64_t* seen;  // [row_words + 1] literals of the patch that a clause learns from
    uint32_t* included;  // [n_padded + 8] literals of a clause that has no list
};

// One member's part of a window. learn/team.hpp draws how the members of a team work together.
struct Share {
    uint64_t window;  // 0 for the first of the stream
    uint32_t n_members;
    uint32_t first_block, last_block;  // clause blocks
    bool moved;  // the window is the first, or another member had some of the clauses in the window before
};

constexpr uint32_t kShown = 14;  // votes that a meeting shows: with the number of the meeting they fill a cache line

// What a member brings to a meeting of its team, and what it does until all have come.
struct Meeting {
    uint64_t number;  // rising: 128 * window + k
    const int32_t* votes;  // [kShown], or null
    int32_t* total;  // [kShown] set to the sum of all members' votes, unless `votes` is null
    bool (*meanwhile)(void* who);  // does a piece of work; false if there is none
    void* who;
};

// The threads that train one bank together.
struct Team {
    bool (*next)(Team*, uint32_t member, Share*);  // the next window; false at the end of the stream
    void (*meet)(Team*, uint32_t member, uint32_t n_members, const Meeting&);  // come, and wait for all members
    // Of windows with even and with odd number: [n_padded + 1] bit i: the literal's value at step i; the last has all
    // bits.
    uint64_t* columns[2];
};

// One member of a team at work. It owns none of what the pointers point to.
struct TrainJob {
    const Settings* settings;
    Shape shape;
    Clauses clauses;
    Bank bank;
    Stream stream;
    Scratch scratch;
    Team* team;
    uint32_t member;
    Share share;
    Ledger ledger;
};

// A model made ready for voting: the included literals of every clause that is not empty.
struct Compiled {
    uint32_t n_banks, n_literals;
    uint64_t n_clauses;
    const uint64_t* bank_start;  // [n_banks + 1] first clause of each bank
    const uint64_t* clause_start;  // [n_clauses + 1] first literal of each clause
    const uint32_t* clause_literals;  // the literals of each clause, in ascending order; none of one that has very many
    const uint64_t* mask_start;  // [n_clauses + 1] first word of each clause
    const uint32_t* masks;  // the same as 32-bit words of bits, of each clause that has more literals than words
    const int32_t* weights;  // [n_clauses][n_outputs]
    const uint16_t* most_votes;  // [n_clauses] votes of the clause where no literal fails
    const Grid* grid;
    uint32_t n_outputs;
};

// A request for the votes of some samples in some banks.
struct VoteJob {
    const Compiled* model;
    const uint64_t* literals;  // [n_samples][row_words]
    uint32_t row_words;  // of a sample
    uint32_t n_samples;  // at most kBatch
    uint32_t first_bank, last_bank;
    int32_t* votes;  // [n_samples][n_banks * n_outputs], all 0 before
    uint64_t* columns;  // [n_literals / 2 + 1 rounded up to 64][kBatch / 64]; not used for few samples or for patches
    PatchBuffers patches;
    uint64_t* best;  // [lane_words]
};

// The kernels of one CPU target. `name` is null if the target was not compiled.
struct Kernels {
    const char* name;
    // By bytes of a state minus one, by weak rule, and by how failed literals are counted.
    void (*prepare[2][3])(TrainJob*);  // sets include masks, lists and limits of the job's share from the states
    void (*train[2][3][3])(TrainJob*);  // learns from window after window
    void (*columns)(const VoteJob*);  // transposes the samples of a batch
    void (*vote)(const VoteJob*);
    void (*vote_on_patches)(const VoteJob*);
};
extern const Kernels kernels_generic, kernels_avx2, kernels_avx512, kernels_neon;

}  // namespace adtm
