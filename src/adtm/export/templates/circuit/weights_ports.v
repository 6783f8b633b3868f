module ${name}_weights #(
    parameter CLAUSES = $CLAUSES, INDEX = $INDEX, VOTE = $VOTE, BANK = 0
) (
    input  wire clk, starting, moves, rising,
    input  wire [INDEX-1:0] j,
    input  wire [$last_which_bit:0] which,
    input  wire [VOTE-1:0] cast,
    output wire against,
    output wire [VOTE-1:0] adds
);
