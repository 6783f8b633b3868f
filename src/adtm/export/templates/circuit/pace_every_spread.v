    localparam [32*CLAUSES-1:0] RATES = 0;
    wire [BITS-1:0] by = STEPS[BITS*j +: BITS];
