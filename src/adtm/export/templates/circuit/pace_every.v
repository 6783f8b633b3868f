    localparam [32*CLAUSES-1:0] RATES = 0;
    localparam [BITS-1:0] STEP = S < 2 * STATES ? S : 2 * STATES - 1; // as far as there are states
    wire [BITS-1:0] by = STEP;
