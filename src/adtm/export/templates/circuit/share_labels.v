    // Every label learns whether it is there.
    assign ready = ~busy & idle;
    wire [$last_place_bit:0] begins = 0, more = CLASSES - 1, after = at + 1'b1;
    assign up = wanted[at[$last_which_bit:0]];
