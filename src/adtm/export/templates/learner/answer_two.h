    return votes[0] > 0 || (votes[0] == 0 && $silence);
