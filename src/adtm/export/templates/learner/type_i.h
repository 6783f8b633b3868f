/* Type I: true literals of a clause that fires move strongly up; its false ones, and all of a clause that does not
   fire, move weakly down. */
static inline void ${name}_type_i(
    ${name}_machine *self, uint32_t b, uint32_t j, const uint32_t *features, uint32_t fires
) {
    ${name}_ledger *const ledger = &self->ledger;
    const ${name}_update update = ${name}_begin(self, b, j);
$room
    for (uint32_t k = 0; k < ${NAME}_LITERALS; ++k) {
        const uint32_t on = ${name}_literal(features, k);
        if (fires && on) {
            const uint32_t moves = ${name}_moves_strongly(&update, k);
$full
            ledger->coins += ${name}_draws(&update, k, 1);
            ledger->type_ia_strong_offered += 1;
            ledger->type_ia_strong_skipped += !moves;
            if (moves) ${name}_up(self, b, j, k);
$tolerated
        } else {
            const uint32_t moves = ${name}_moves_weakly(&update, k);
            ledger->coins += ${name}_draws(&update, k, 0);
            *(fires ? &ledger->type_ia_weak_offered : &ledger->type_ib_offered) += 1;
            *(fires ? &ledger->type_ia_weak_skipped : &ledger->type_ib_skipped) += !moves;
            if (moves) ${name}_down(self, b, j, k, 1);
        }
    }
}
