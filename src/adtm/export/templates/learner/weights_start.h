    for (uint32_t v = 0; v < ${NAME}_VOTES; ++v) {
        for (uint32_t j = 0; j < ${NAME}_CLAUSES; ++j) self->weights[v][j] = ${name}_first_weight(v, j);
    }
