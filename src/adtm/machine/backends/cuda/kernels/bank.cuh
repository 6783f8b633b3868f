// What the host tells a kernel about a bank; src/adtm/machine/backends/cuda/machine.py has the same fields in the same order.
#define WORDS ((N_LITERALS + 31) / 32u)
#define CHUNKS ((WORDS + 31) / 32)  // of a clause, with a word for each lane
#define CHUNK ((WORDS + CHUNKS - 1) / CHUNKS)  // words of each
#define PAIRED (WIDE && !PATCHES && WEAK == 0 && COINS == 0)  // chunks two by two, which the rota would slow down
#define PARTS (SPLIT ? PAIRED ? (CHUNKS + 1) / 2 : CHUNKS : 1)  // warps that share a clause
#define SWEPT ((CHUNKS + PARTS - 1) / PARTS)  // chunks of each
#define LOOK_TOGETHER (PAIRED && PARTS > 1)  // all warps at one clause after the other
#define VECTORS ((WORDS + 3) / 4)
#if PATCHES
#define ROW_VECTORS ((STRINGS + 3) / 4)  // of a row: the strings of an image
#else
#define ROW_VECTORS VECTORS  // the literals of a sample
#endif
#define ROW (4 * (ROW_VECTORS | 1))  // from row to row in shared memory: vectors of 32 lanes without conflicts
#define COLUMN (PATCHES ? 4 * ((PATCHES + 127) / 128u | 1) : 1)  // from column to column: vectors, as of ROW
#define ALWAYS (32 * WORDS)  // the number of a literal that is always true
#define COLUMNS ((ALWAYS + 1) * COLUMN)
#define MASK (WIDE ? WORDS : 4 * VECTORS)  // from include mask to include mask
#define LISTED (PATCHES && HELD == 2 ? 256 : 64)  // literals of the longest list
#define LIST (LISTED + 8)  // from list to list
#define COLUMNAR ((MISSES || PATCHES) && !WIDE)  // columns in shared memory
#define LISTS (COLUMNAR && (PATCHES || !FEW))
#define LOWEST ((1u << (PLANES - 1)) - N_STATES)
#define HIGHEST ((1u << (PLANES - 1)) - 1 + N_STATES)

struct Clause {
    u32 step, rate;
    u32 inverse_rate;  // floor(2^(32 + PLANES) / rate), at most 2^32 - 1: from turns to updates
    u32 padding;
};

struct Bank {
    const u32* literals;
    const u32* rows;
    const u32* outputs;
    const int* targets;
    u32* states;
    u64* clocks;
    int* weights;  // (outputs, clauses)
    const Clause* clauses;
    const u32* phases;
    const uint4* phase_planes;  // [PHASE_VECTORS][phase_words]
    u64* counts;
    u32* include;  // WIDE: include masks of the bank
    u32* columns;  // WIDE: columns of a window, or of three images, for each block of the team
    u64 select_key, coin_key, weak_key, patch_key, first_step;
    u32 n_steps, row_words, n_clauses, n_outputs;
    u32 T, most_votes, max_literals;
    int largest_weight;
    u32 weyl, value, sided, boost;
    u32 phase_words, padding;
};

enum {
    COUNT_IA_STRONG,
    COUNT_IA_WEAK = 2,
    COUNT_IB = 4,
    COUNT_II = 6,
    COUNT_COINS = 8,
    COUNT_SELECTION,
    COUNT_PATCH,
    N_COUNTS
};
