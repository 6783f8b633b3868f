/* $answer_is. */
static inline $returns ${name}_predict(${machine}const uint32_t *features$answer_room) {
    int32_t votes[${NAME}_VOTES];
    ${name}_votes(${itself}features, votes);
    $return${name}_answer(${seen_by}votes$into);
}
