// $name: a trained Tsetlin machine that answers, as a pipeline of $stages stages. $made_by
// $what
// A row is taken in a cycle with `in_valid` and `in_ready`. Its votes and its answer are there $cycles later, with
// `out_valid`, and stay until a cycle with `out_ready`. A row can be taken in every cycle.
//
// A row has the number of a state for each column:
$layout
// $answers
/* verilator lint_off DECLFILENAME */ // all modules stand in one file
/* verilator lint_off UNUSED */ // no rule may look at some of the columns
/* verilator lint_off PINCONNECTEMPTY */
module $name (
    input  wire clk, rst,
    input  wire in_valid,
    output wire in_ready,
    input  wire [$last_row_bit:0] row,
    output wire out_valid,
    input  wire out_ready,
    output wire signed [$last_vote_bit:0] $vote_ports,
    output wire [$last_answer_bit:0] answer
);
    reg [$stages:1] full; // which stages hold a row
    wire moves = ~full[$stages] | out_ready; // all of them, unless the last answer waits
    assign in_ready = moves;
    assign out_valid = full[$stages];
    always @(posedge clk)
        if (rst) full <= $stages'd0;
        else if (moves) full <= $full;

    // What a tolerant rule casts, by the number of its failed literals.
$tables

    // Features, counts, casts and sums.
$logic

$outputs
endmodule
