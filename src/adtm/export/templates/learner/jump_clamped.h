    *state = ($state)(*state < ${NAME}_LAST - ${NAME}_STEP ? *state + ${NAME}_STEP : ${NAME}_LAST);
