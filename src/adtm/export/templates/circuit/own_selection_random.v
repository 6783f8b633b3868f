// Whether the clause is selected: a word of a generator below the threshold that the bank worked out.
module ${name}_own_selection (
    input  wire clk, rst, // gated: only at a step that selects some, neither all nor none
    input  wire [31:0] threshold,
    output wire selected
);
    wire [31:0] bits;
    ${name}_shared source (.clk(clk), .rst(rst), .coins(bits));
    assign selected = bits < threshold;
endmodule
