    if (*state <= ${NAME}_LAST - (int32_t)$step) *state = ($state)(*state + $step);
