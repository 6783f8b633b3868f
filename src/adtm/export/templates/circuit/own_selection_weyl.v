// Whether the clause is selected: a running sum below the threshold that the bank worked out. A clause alone has a sum of
// its own, from step to step. A bank has one for all, from clause to clause, in two registers: for one clause that block
// would take 35 pJ a step in the cells of docs/energy.md, where this one takes 18.
module ${name}_own_selection (
    input  wire clk, rst, // at every step
    input  wire [31:0] threshold,
    output wire selected
);
    reg [31:0] word;
    assign selected = word < threshold;
    always @(posedge clk) word <= rst ? 32'h$FIRST_WORD : word + 32'h$STEP_STRIDE;
endmodule
