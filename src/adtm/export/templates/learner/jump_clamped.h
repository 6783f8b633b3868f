    *state = ($state)(*state < ${NAME}_LAST - (int32_t)$step ? *state + (int32_t)$step : (int32_t)${NAME}_LAST);
