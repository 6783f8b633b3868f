    // All others learn from a sample, from the next class on.
    wire [$last_place_bit:0] turn = 0;
    wire drawn = 1'b1;
