    const uint32_t higher = (uint32_t)*state + (uint32_t)$step, last = ${NAME}_LAST;
    if (higher <= last) *state = ($state)higher;
