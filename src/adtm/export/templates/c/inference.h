/* $name: a trained Tsetlin machine that answers, as one file of C99. $made_by
   $what
   Tables take $table_bytes bytes of read-only memory; there is no other memory than the caller's,
   no heap, and no floating point outside of ${name}_features$floats.

       uint32_t features[${NAME}_WORDS];
$usage
       $gives${name}_predict(features$into);

   Feature k is bit k % 32 of word k / 32, and bits after the last feature are ignored.$features_are
   $answers */
#ifndef ${NAME}_H
#define ${NAME}_H

#include <stdint.h>

enum {
    ${NAME}_FEATURES = $n_features,
    ${NAME}_WORDS = $n_words,
    ${NAME}_RULES = $n_rules,
    ${NAME}_BANKS = $n_banks,
    ${NAME}_OUTPUTS = $n_outputs, /* votes of a bank */
    ${NAME}_VOTES = $n_votes$target
};

$patch$votes

$answer

$predict
$encoder
#endif
