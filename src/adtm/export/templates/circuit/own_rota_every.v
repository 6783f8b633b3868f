// Whose turn it is to sink: everybody's.
module ${name}_own_rota #(
    parameter LITERALS = $LITERALS
) (
    input  wire clk, rst,
    output wire [LITERALS-1:0] turn
);
    assign turn = {LITERALS{1'b1}};
endmodule
