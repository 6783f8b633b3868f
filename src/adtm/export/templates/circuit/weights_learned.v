// What a clause adds to the vote: what it casts, times its weight$for_output, whose sign says whether it votes against.
// The weight of a clause that learned and fires goes one up or down$side, to MOST at most.
$weights_ports
    localparam OUTPUTS = $OUTPUTS, BITS = $WEIGHT;$first
    localparam signed [BITS-1:0] MOST = $MOST, ONE = 1; // so that no vote leaves 32 bits
    reg [OUTPUTS*BITS-1:0] weights [0:CLAUSES-1];
    wire [OUTPUTS*BITS-1:0] row = weights[j];
    wire signed [BITS-1:0] weight = row[BITS*which +: BITS];
    wire signed [BITS-1:0] low = $low, high = $high;
    assign against = weight[BITS-1];
    assign adds = {{VOTE-BITS{against}}, weight} * cast;
    integer o;
    always @(posedge clk)
        if (starting)
$start_weights
        else if (moves & weight != (rising ? high : low))
            weights[j][BITS*which +: BITS] <= rising ? weight + ONE : weight - ONE;
endmodule
