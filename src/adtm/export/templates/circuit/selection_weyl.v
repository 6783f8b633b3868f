// Which clauses learn: those whose word lies below the threshold. Words are running sums, from step to step and from
// clause to clause.
$selection_ports
    localparam [31:0] STEP_STRIDE = 32'h$STEP_STRIDE, CLAUSE_STRIDE = 32'h$CLAUSE_STRIDE;
    localparam [63:0] STEPS = $steps; // so far
    reg [31:0] step_word, clause_word;
    assign selected = clause_word < threshold;
    assign known = 1'b1;
    always @(posedge clk)
        if (rst) step_word <= STEPS[31:0] * STEP_STRIDE;
        else if (aims) step_word <= step_word + STEP_STRIDE;
    always @(posedge clk)
        if (aims) clause_word <= step_word;
        else if (passes) clause_word <= clause_word + CLAUSE_STRIDE;
endmodule
