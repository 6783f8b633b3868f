    *state = ($state)(*state < ${NAME}_LAST - $step ? *state + $step : ${NAME}_LAST);
