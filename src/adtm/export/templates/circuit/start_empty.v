// What a clause starts with: every automaton just excludes its literal.
module ${name}_start #(
    parameter LITERALS = $LITERALS, BITS = $BITS, CLAUSES = $CLAUSES, INDEX = $INDEX, BANK = 0
) (
    input  wire [INDEX-1:0] j,
    output wire [LITERALS*BITS-1:0] first
);
    assign first = {{LITERALS{1'b0}}, {LITERALS*(BITS-1){1'b1}}};
endmodule
