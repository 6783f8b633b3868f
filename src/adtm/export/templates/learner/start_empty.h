            self->updates[b][j] = $first_clock;
            for (uint32_t k = 0; k < ${NAME}_LITERALS; ++k) self->states[b][j][k] = ${NAME}_STATES - 1;
