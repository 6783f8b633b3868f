/* $literals_mean. */
static const $bank_type ${name}_rules[${NAME}_BANKS] = {$rules_of_banks};
static const $vote_type ${name}_casts[][$n_casts] = {$casts}; /* of each rule: $casts_are */
$literal_tables

$cast_function

/* The votes for a sample. */
static inline void ${name}_votes(const uint32_t *features, int32_t votes[${NAME}_VOTES]) {
    const $vote_type(*rule)[$n_casts] = ${name}_casts;
    ${name}_place at = $first_place;
    for (uint32_t bank = 0; bank < ${NAME}_BANKS; ++bank) {
        const $vote_type(*const end)[$n_casts] = rule + ${name}_rules[bank];
        int32_t *const sums = votes + bank * ${NAME}_OUTPUTS;
        for (uint32_t o = 0; o < ${NAME}_OUTPUTS; ++o) sums[o] = 0;
        for (; rule < end; ++rule) {
            const int32_t cast = ${name}_cast(features, $limit, &at);
            for (uint32_t o = 0; o < ${NAME}_OUTPUTS; ++o) sums[o] += cast > 0 ? (*rule)[$weight]$times : 0;
        }
    }
}
