/* Literals of a rule come as masks of one word of features each: features that must be 1, and features that must be 0. */
static const $masks_type ${name}_rules[${NAME}_BANKS] = {$rules_of_banks};
${limits_table}static const $weight_type ${name}_weights[][${NAME}_OUTPUTS] = {$weights};
static const $count_type ${name}_counts[] = {$counts}; /* masks of each rule */
static const $word_type ${name}_words[] = {$words};
static const uint32_t ${name}_masks[][2] = {$masks};

$cast_function

/* The votes for a sample. */
static inline void ${name}_votes(const uint32_t *features, int32_t votes[${NAME}_VOTES]) {
$places
    for (uint32_t bank = 0, rule = 0; bank < ${NAME}_BANKS; ++bank) {
        const uint32_t end = rule + ${name}_rules[bank];
        int32_t *const sums = votes + bank * ${NAME}_OUTPUTS;
        for (uint32_t o = 0; o < ${NAME}_OUTPUTS; ++o) sums[o] = 0;
        for (; rule < end; $next) {
            const int32_t cast = $cast;
            for (uint32_t o = 0; o < ${NAME}_OUTPUTS; ++o) sums[o] += cast > 0 ? ${name}_weights[rule][o]$times : 0;
        }
    }
}
