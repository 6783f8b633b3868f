    if (*state <= ${NAME}_LAST - ${NAME}_STEP) *state = ($state)(*state + ${NAME}_STEP);
