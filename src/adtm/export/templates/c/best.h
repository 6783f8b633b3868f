    $limit_type best[$n_best] = {0}; /* what each rule casts at its best place so far */
    for (uint32_t row = 0; row < ${NAME}_ROWS; ++row) {
        for (uint32_t column = 0; column < ${NAME}_COLUMNS; ++column) {
            uint32_t patch[${NAME}_PATCH_WORDS];
            ${name}_patch(features, row, column, patch);
            for (uint32_t rule = 0, at = 0; rule != ${NAME}_RULES; at += ${name}_counts[rule++]) {
                if (best[rule] < $limit) {
                    const int32_t cast = ${name}_cast(patch, rule, at);
                    if (cast > (int32_t)best[rule]) best[rule] = ($limit_type)cast;
                }
            }
        }
    }
