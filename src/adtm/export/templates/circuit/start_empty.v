// Which literals a clause starts with: none.
module ${name}_start #(
    parameter LITERALS = $LITERALS, CLAUSES = $CLAUSES, INDEX = $INDEX, BANK = 0
) (
    input  wire [INDEX-1:0] j,
    output wire [LITERALS-1:0] first
);
    assign first = {LITERALS{1'b0}};
endmodule
