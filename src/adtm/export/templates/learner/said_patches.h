/* What each clause of a bank says to its best patch, and to how many it says that. */
static inline void ${name}_look(${name}_machine *self, uint32_t b, const uint32_t *features, int32_t empty) {
    for (uint32_t j = 0; j < ${NAME}_CLAUSES; ++j) self->best[j] = 0, self->many[j] = 0;
    for (uint32_t place = 0; place < ${NAME}_ROWS * ${NAME}_COLUMNS; ++place) {
        uint32_t patch[${NAME}_PATCH_WORDS];
        ${name}_patch(features, place / ${NAME}_COLUMNS, place % ${NAME}_COLUMNS, patch);
        for (uint32_t j = 0; j < ${NAME}_CLAUSES; ++j) {
            const int32_t out = ${name}_output(self->include[b][j][0], self->include[b][j][1], patch, empty);
            if (out < self->best[j]) continue;
            if (out > self->best[j]) self->best[j] = out, self->many[j] = 0;
            self->many[j] += 1;
        }
    }
}

$patch_word
/* The patch that a clause learns from: one of those that it says most to; any, where it says nothing. */
static inline void ${name}_choose(
    ${name}_machine *self, uint32_t b, uint32_t j, const uint32_t *features, uint32_t *patch
) {
    const uint32_t several = self->best[j] > 0 && self->many[j] > 1;
    uint32_t left = several ? (uint32_t)((uint64_t)self->many[j] * ${name}_patch_word(self, b, j) >> 32) : 0;
    for (uint32_t place = 0; place < ${NAME}_ROWS * ${NAME}_COLUMNS; ++place) {
        ${name}_patch(features, place / ${NAME}_COLUMNS, place % ${NAME}_COLUMNS, patch);
        if (self->best[j] == 0) return;
        if (${name}_output(self->include[b][j][0], self->include[b][j][1], patch, $empty_learns) < self->best[j]) continue;
        if (left-- == 0) return;
    }
}
