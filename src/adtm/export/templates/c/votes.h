/* $literals_mean. */
static const $bank_type ${name}_rules[${NAME}_BANKS] = {$rules_of_banks};
${limits_table}static const $weight_type ${name}_weights[][${NAME}_OUTPUTS] = {$weights};
static const $count_type ${name}_counts[] = {$counts}; /* $counted of each rule */
$literal_tables

$cast_function

/* The votes for a sample. */
static inline void ${name}_votes(const uint32_t *features, int32_t votes[${NAME}_VOTES]) {
    for (uint32_t bank = 0, rule = 0, at = 0; bank < ${NAME}_BANKS; ++bank) {
        const uint32_t end = rule + ${name}_rules[bank];
        int32_t *const sums = votes + bank * ${NAME}_OUTPUTS;
        for (uint32_t o = 0; o < ${NAME}_OUTPUTS; ++o) sums[o] = 0;
        for (; rule < end; at += ${name}_counts[rule++]) {
            const int32_t cast = ${name}_cast(features, rule, at);
            for (uint32_t o = 0; o < ${NAME}_OUTPUTS; ++o) sums[o] += cast > 0 ? ${name}_weights[rule][o]$times : 0;
        }
    }
}
