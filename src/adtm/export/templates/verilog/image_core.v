// $name: a trained Tsetlin machine that answers about images, $pixels in a cycle. $made_by
// $what
// An image comes row by row in $beats beats, each taken in a cycle with `in_valid` and `in_ready`: the bits of $pixels,
// the lowest ones of the pixel on the left. `in_last` is high with its last beat; an image of another length has no answer.
// Votes and answer are there $latency cycles after the last beat, with `out_valid`, and stay until a cycle with `out_ready`.
// Beats can be taken in every cycle, those of the next image too.
// $answers
/* verilator lint_off DECLFILENAME */ // all modules stand in one file
/* verilator lint_off UNUSED */ // no rule may look at some of the pixels
/* verilator lint_off PINCONNECTEMPTY */
module $name (
    input  wire clk, rst,
    input  wire in_valid, in_last,
    output wire in_ready,
    input  wire [$last_bit:0] pixels,
    output wire in_whole, // with the last beat: the image has the right length
    output wire out_valid,
    input  wire out_ready,
    output wire signed [$last_vote_bit:0] $vote_ports,
    output wire [$last_answer_bit:0] answer
);
    reg [$answer_stages:1] full; // which stages of the answer hold an image
    wire moves = ~full[$answer_stages] | out_ready; // everything, unless the last answer waits
    wire takes = in_valid & moves;
    assign in_ready = moves;
    assign out_valid = full[$answer_stages];

    // ---- where the beat lies ----
    reg [$last_line_bit:0] line;
    reg [$last_beat_bit:0] beat;
    reg wrong; // the image is too long
    wire last_beat = beat == $last_beat, last = last_beat & line == $last_line;
    assign in_whole = takes & last & in_last & ~wrong;
    always @(posedge clk)
        if (rst) {wrong, line, beat} <= 0;
        else if (takes) begin
            wrong <= ~in_last & (wrong | last);
            beat <= in_last | last_beat ? 0 : beat + 1'b1;
            line <= in_last | last ? 0 : last_beat ? line + 1'b1 : line;
        end

    // ---- the newest pixels, and those before them, back to the first of a patch ----
    wire [$last_bit:0] newest = {$newest};
    reg [$last_in_window:0] window;
    reg [$last_line_bit:0] line_now;
    reg [$last_beat_bit:0] beat_now;
    reg $lane_names; // which lanes hold a patch
    reg begins_now;
$completes
    always @(posedge clk) if (takes) window <= $window;
    always @(posedge clk) if (moves) begin
        line_now <= line;
        beat_now <= beat;
$lanes
        begins_now <= takes & line == 0 & beat == 0;
    end

    // ---- what each rule casts, in its best lane ----
    // A tolerant rule, by the number of its failed literals.
$tables
$casts

    // ---- what it casts at its best place of the image ----
    reg [$ending:0] ending; // the stages before: which hold the last beat of an image
    wire whole = ending[$ending];
    always @(posedge clk)
        if (rst) ending <= 0;
        else if (moves) ending <= {ending[$before_ending:0], in_whole};
$held

    // ---- votes: while the next image comes, rules are added to those of the last, some in every turn ----
    reg busy, first_a, first_b, first_c, last_a, last_b, last_c, on_a, on_b, on_c, summed;
    reg [$last_turn_bit:0] turn;
    wire last_turn = turn == $last_turn;
    always @(posedge clk)
        if (rst) {busy, on_a, on_b, on_c, last_a, last_b, last_c, summed} <= 0;
        else if (moves) begin
            busy <= whole | busy & ~last_turn;
            {on_a, on_b, on_c} <= {busy, on_a, on_b};
            {last_a, last_b, last_c, summed} <= {busy & last_turn, last_a, last_b, last_c};
        end
    always @(posedge clk) if (moves) begin
        turn <= whole ? 0 : turn + 1'b1;
        {first_a, first_b, first_c} <= {turn == 0, first_a, first_b};
    end
$sums

    // ---- the answer ----
    always @(posedge clk)
        if (rst) full <= $answer_stages'd0;
        else if (moves) full <= $full;
$answer_logic
$outputs
endmodule
