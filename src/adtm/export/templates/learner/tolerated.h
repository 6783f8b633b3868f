        } else if (fires) { /* failed literals are tolerated: included ones stay, the others move strongly down */
            const uint32_t moves = ${name}_moves_strongly(&update, k);
            if (self->states[b][j][k] >= ${NAME}_STATES) continue;
            ledger->coins += ${name}_draws(&update, k, 1);
            ledger->type_ia_weak_offered += 1;
            ledger->type_ia_weak_skipped += !moves;
            if (moves) ${name}_down(self, b, j, k, $step);
