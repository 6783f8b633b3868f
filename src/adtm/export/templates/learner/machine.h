/* $name: a Tsetlin machine that learns, as one file of C99. $made_by
   $what

   Everything is in a struct that the caller keeps: $bytes bytes. No heap, no floating point$floats, no other file.

       static $name machine;
       ${name}_start(&machine);$or_resume
       for each epoch: for each sample: $usage${name}_learn(&machine, features, $taught);
                       ${name}_end_epoch(&machine);
       $gives${name}_predict(&machine, features$into);

   A sample is ${NAME}_WORDS words: feature k is bit k % 32 of word k / 32, and bits after the last feature are ignored.
   States, votes and counts are those of the library to the bit, sample by sample.$labels */
#ifndef ${NAME}_H
#define ${NAME}_H

#include <stdint.h>

$common
$constants

${patch}enum {
    ${NAME}_WORDS = (${NAME}_FEATURES + 31) / 32,
    ${NAME}_LITERALS = 2 * $FEATURES, /* the features$of_patch, then their negations */
    ${NAME}_VOTES = ${NAME}_BANKS * ${NAME}_OUTPUTS,
    ${NAME}_LAST = 2 * ${NAME}_STATES - 1 /* states run from 0; a literal is included from STATES on */
};

/* What was offered, skipped and drawn; the library's ledger. */
typedef struct {
$counts
} ${name}_ledger;

typedef struct {
    uint64_t updates[${NAME}_BANKS][${NAME}_CLAUSES]; /* the clock of each clause */
    uint64_t steps[${NAME}_BANKS];
    uint64_t samples, epochs;
${seen_kept}    ${name}_ledger ledger;
    uint32_t include[${NAME}_BANKS][${NAME}_CLAUSES][2][$WORDS]; /* features, negations: included ones */
${kept_of_step}${weights_kept}    $state states[${NAME}_BANKS][${NAME}_CLAUSES][${NAME}_LITERALS];
} ${name}_machine;

/* ---- outputs and votes ---- */

static inline uint32_t ${name}_literal(const uint32_t *features, uint32_t k) {
    const uint32_t negated = k >= $FEATURES, f = negated ? k - $FEATURES : k;
    return (features[f / 32] >> (f % 32) & 1) ^ negated;
}

$outputs
$weights
$said
/* The votes for a sample, not clipped. */
static inline void ${name}_votes($self, const uint32_t *features, int32_t votes[${NAME}_VOTES]) {
    for (uint32_t b = 0; b < ${NAME}_BANKS; ++b) {
        int32_t *const sums = votes + b * ${NAME}_OUTPUTS;
        for (uint32_t o = 0; o < ${NAME}_OUTPUTS; ++o) sums[o] = 0;
${look_voting}        for (uint32_t j = 0; j < ${NAME}_CLAUSES; ++j) {
            const int32_t out = $voting;
            for (uint32_t o = 0; o < ${NAME}_OUTPUTS; ++o) sums[o] += ${name}_weight(self, b * ${NAME}_OUTPUTS + o, j) * out;
        }
    }
}

/* ---- feedback ---- */

static inline void ${name}_up(${name}_machine *self, uint32_t b, uint32_t j, uint32_t k) {
    $state *const state = &self->states[b][j][k];
    const uint32_t negated = k >= $FEATURES, f = negated ? k - $FEATURES : k;
$jump
    if (*state >= ${NAME}_STATES) self->include[b][j][negated][f / 32] |= UINT32_C(1) << (f % 32);
}

static inline void ${name}_down(${name}_machine *self, uint32_t b, uint32_t j, uint32_t k, uint32_t by) {
    $state *const state = &self->states[b][j][k];
    const uint32_t negated = k >= $FEATURES, f = negated ? k - $FEATURES : k;
    *state = ($state)(*state > by ? *state - by : 0);
    if (*state < ${NAME}_STATES) self->include[b][j][negated][f / 32] &= ~(UINT32_C(1) << (f % 32));
}

$update
$type_i
/* Type II, to a clause that fires and should not: false literals that are excluded move strongly up. */
static inline void ${name}_type_ii(${name}_machine *self, uint32_t b, uint32_t j, const uint32_t *features) {
    ${name}_ledger *const ledger = &self->ledger;
    const ${name}_update update = ${name}_begin(self, b, j);
    for (uint32_t k = 0; k < ${NAME}_LITERALS; ++k) {
        uint32_t moves;
        if (${name}_literal(features, k) || self->states[b][j][k] >= ${NAME}_STATES) continue;
        moves = ${name}_coin_allows(&update, k);
        ledger->coins += ${name}_tosses(&update, k);
        ledger->type_ii_offered += 1;
        ledger->type_ii_skipped += !moves;
        if (moves) ${name}_up(self, b, j, k);
    }
}

/* ---- the step ---- */

$selection
/* A bank learns that vote v for this sample should $goal_means. */
static inline void ${name}_step(${name}_machine *self, uint32_t v, const uint32_t *features, uint32_t target) {
    const uint32_t b = v / ${NAME}_OUTPUTS;
    const uint64_t step = self->steps[b]++;
    int32_t vote = 0;
    adtm_goal goal;
    uint32_t threshold = 0;
${room_for_patch}${look_learning}    for (uint32_t j = 0; j < ${NAME}_CLAUSES; ++j) vote += ${name}_weight(self, v, j) * $learning;
    goal = adtm_${goal}_goal(vote, (int32_t)target, ${NAME}_T);
    if (goal.gap == 0) return;
    if (goal.gap < goal.span) {
        threshold = adtm_threshold(goal);
        self->ledger.selection_draws += ${NAME}_SELECTION_DRAWS;
    }
    for (uint32_t j = 0; j < ${NAME}_CLAUSES; ++j) {
        const uint32_t fires = $fires;
        if (goal.gap < goal.span && ${name}_selection_word(b, step, j) >= threshold) continue;
        if ((${name}_weight(self, v, j) >= 0) == goal.up) {
${choose}            ${name}_type_i(self, b, j, $learned, fires);
        } else if (fires) {
${choose}            ${name}_type_ii(self, b, j, $learned);
        }
${move_weight}    }
}

/* ---- the machine ---- */

/* A machine that has seen nothing. */
static inline void ${name}_start(${name}_machine *self) {
    unsigned char *const bytes = (unsigned char *)self;
    for (uint32_t i = 0; i < sizeof *self; ++i) bytes[i] = 0;
    for (uint32_t b = 0; b < ${NAME}_BANKS; ++b) {
        for (uint32_t j = 0; j < ${NAME}_CLAUSES; ++j) {
$start
        }
    }
$weights_start}

${trained}$learn
/* The end of an epoch: what counts epochs moves on. */
static inline void ${name}_end_epoch(${name}_machine *self) {
    self->epochs += 1;
${seen_epoch}}

$answer

$predict

$order$encoder
/* Its short name comes last: no parameter above hides it, whatever it is. */
typedef ${name}_machine $name;

#endif
