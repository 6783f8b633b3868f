    if (*state <= ${NAME}_LAST - $step) *state = ($state)(*state + $step);
