
/* Of each column, how many thresholds it has, and these. */
static const $key ${name}_${of}_cuts[] = {$cuts};

/* The features before `end`, one for each threshold: whether x is at most that. Returns whether x is missing. */
static ${NAME}_APART uint32_t ${name}_${of}(uint32_t *features, $given, uint32_t end, const $key *cuts) {
    uint32_t left = (uint32_t)*cuts;
${missing}    while (left > 0 && !($x <= *++cuts)) --left;
    ${name}_set(features, end - left, left);
    return 0;
}
