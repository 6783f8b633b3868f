module ${name}_start #(
    parameter LITERALS = $LITERALS, BITS = $BITS, CLAUSES = $CLAUSES, INDEX = $INDEX, BANK = 0
) (
    input  wire [INDEX-1:0] j,
    output wire [LITERALS*BITS-1:0] first
);
