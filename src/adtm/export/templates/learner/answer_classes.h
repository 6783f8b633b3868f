    uint32_t best = 0;
    for (uint32_t c = 1; c < ${NAME}_CLASSES; ++c) {
        if (votes[c] > votes[best] || (votes[c] == votes[best] && $silence)) best = c;
    }
    return best;
