// $name: a trained Tsetlin machine that answers, as logic without a clock. $made_by
// $what
// $answers
/* verilator lint_off DECLFILENAME */ // all modules stand in one file
/* verilator lint_off UNUSED */ // no rule may look at some of the features
module $name (
    input  wire [$last_input:0] features,
    output wire signed [$last_vote_bit:0] $vote_ports,
    output wire [$last_answer_bit:0] answer
);
    // What a tolerant rule casts, by the number of its failed literals.
$tables

    // What the rules cast, the votes, and the answer.
$logic
$votes
endmodule
$table
