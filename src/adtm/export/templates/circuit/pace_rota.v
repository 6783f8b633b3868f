    localparam [63:0] WIDE_RATE = 64'd42949672960000 / (64'd10000 * S + 64'd618);
    localparam [32*CLAUSES-1:0] RATES = {CLAUSES{WIDE_RATE[31:0]}}; // 2 ** 32 / (S + 0.0618)
    wire [BITS-1:0] by = 1;
