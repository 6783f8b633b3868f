module ${name}_selection #(
    parameter INDEX = $INDEX, BANK = 0
) (
    input  wire clk, rst, aims, part, // a step that learns begins; it selects some, neither all nor none
    input  wire asks, passes,         // whether the clause is selected; it is done with
    input  wire [INDEX-1:0] j,
    input  wire [31:0] threshold,
    output wire selected, known
);
