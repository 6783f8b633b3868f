// What a clause starts with: what it has learned.
module ${name}_start #(
    parameter LITERALS = $LITERALS, BITS = $BITS, CLAUSES = $CLAUSES, INDEX = $INDEX, BANK = 0
) (
    input  wire [INDEX-1:0] j,
    output wire [LITERALS*BITS-1:0] first
);
    function [LITERALS*BITS-1:0] learned(input integer a);
        case (BANK * CLAUSES + a)
$rows
            default: learned = 0;
        endcase
    endfunction
    reg [LITERALS*BITS-1:0] rows [0:CLAUSES-1];
    integer a;
    initial for (a = 0; a < CLAUSES; a = a + 1) rows[a] = learned(a);
    assign first = rows[j];
endmodule
