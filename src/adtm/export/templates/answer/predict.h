#if defined(__GNUC__) /* as a function of its own it shares the stack with what the caller did before */
#define ${NAME}_APART __attribute__((noinline, unused))
#else
#define ${NAME}_APART inline
#endif

/* $answer_is. */
static ${NAME}_APART $returns ${name}_predict(${machine}const uint32_t *features$answer_room) {
    int32_t votes[${NAME}_VOTES];
    ${name}_votes(${itself}features, votes);
    $return${name}_answer(${seen_by}votes$into);
}
