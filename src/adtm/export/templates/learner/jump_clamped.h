    *state = ($state)(*state < ${NAME}_LAST - (int32_t)$step ? *state + $step : ${NAME}_LAST);
