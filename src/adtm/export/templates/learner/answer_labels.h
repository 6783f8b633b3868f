    for (uint32_t v = 0; v < ${NAME}_VOTES; ++v) {
        labels[v] = votes[v] > 0 || (votes[v] == 0 && $silence);
    }
