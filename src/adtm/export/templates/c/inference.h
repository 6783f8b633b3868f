/* $name: a trained Tsetlin machine that answers, as one file of C99. $made_by
   $what
   Tables take $table_bytes bytes of read-only memory; there is no other memory than the caller's, no heap, and no
   floating point outside of ${name}_features.

       uint32_t features[${NAME}_WORDS];
$usage
       answer = ${name}_predict(features);

   Feature k is bit k % 32 of word k / 32, and bits after the last feature are ignored.
   Answers:
$labels */
#ifndef ${NAME}_H
#define ${NAME}_H

#include <stdint.h>

enum {
    ${NAME}_FEATURES = $n_features,
    ${NAME}_WORDS = $n_words,
    ${NAME}_BANKS = $n_banks,
    ${NAME}_OUTPUTS = $n_outputs, /* votes of a bank */
    ${NAME}_VOTES = $n_votes
};

/* A rule casts its limit less one vote for every literal that fails. Its literals come as masks of one word of features
   each: features that must be 1, and features that must be 0. */
static const $masks_type ${name}_rules[${NAME}_BANKS] = {$rules_of_banks};
static const $limit_type ${name}_limits[] = {$limits};
static const $weight_type ${name}_weights[][${NAME}_OUTPUTS] = {$weights};
static const $count_type ${name}_counts[] = {$counts}; /* masks of each rule */
static const $word_type ${name}_words[] = {$words};
static const uint32_t ${name}_masks[][2] = {$masks};

/* The votes for a sample. */
static inline void ${name}_votes(const uint32_t *features, int32_t votes[${NAME}_VOTES]) {
    uint32_t at = 0, rule = 0;
    for (uint32_t bank = 0; bank < ${NAME}_BANKS; ++bank) {
        const uint32_t end = rule + ${name}_rules[bank];
        int32_t *const sums = votes + bank * ${NAME}_OUTPUTS;
        for (uint32_t o = 0; o < ${NAME}_OUTPUTS; ++o) sums[o] = 0;
        for (; rule < end; ++rule) {
            const uint32_t next = at + ${name}_counts[rule];
            int32_t cast = ${name}_limits[rule];
            for (; at < next && cast > 0; ++at) {
                const uint32_t x = features[${name}_words[at]];
                uint32_t failed = (${name}_masks[at][0] & ~x) | (${name}_masks[at][1] & x);
                for (; failed && cast > 0; failed &= failed - 1) cast -= 1;
            }
            at = next;
            if (cast == 0) continue;
            for (uint32_t o = 0; o < ${NAME}_OUTPUTS; ++o) sums[o] += ${name}_weights[rule][o] * cast;
        }
    }
}

$answer

static inline uint32_t ${name}_predict(const uint32_t *features) {
    int32_t votes[${NAME}_VOTES];
    ${name}_votes(features, votes);
    return ${name}_answer(votes);
}
$encoder
#endif
