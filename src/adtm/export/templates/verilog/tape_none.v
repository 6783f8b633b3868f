    assign tossing = {LITERALS{1'b0}}; // d is infinite
    assign any = 1'b0;
