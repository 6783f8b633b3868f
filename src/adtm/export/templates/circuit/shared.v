// One bank, whose clauses are shared: a clause has a weight for each $of. A sample is taken in a cycle with `valid`
// and `ready`: its features, and as `target` $target_is. It makes a step of the bank for each
// $of that learns from it, one after the other; `done` is high for one cycle after the last. With `learn` low
// nothing is learned, and the votes are those of the sample.
module $name (
$ports
);
    localparam CLASSES = $BANKS;
    reg [$last_feature:0] x;
    reg [$last_target_bit:0] wanted;
    reg learns, busy, asks;
    reg [$last_place_bit:0] at, left; // whose step it is, and how many come after it
    reg signed [$last_vote_bit:0] votes [0:CLASSES-1];
    wire idle, ends, up;
    wire signed [$last_vote_bit:0] vote;
    wire takes = valid & ready;
$teaching
    ${name}_bank bank (
        .clk(clk), .rst(rst), .features(x), .target(up), .which(at[$last_which_bit:0]), .learn(learns),
        .valid(asks), .ready(idle), .done(ends), .vote(vote)
    );
    always @(posedge clk) begin
        done <= ~rst & ends & left == 0;
        if (rst) {busy, asks} <= 2'b00;
        else if (takes) {busy, asks} <= 2'b11;
        else if (ends) {busy, asks} <= {2{left != 0}};
        else if (idle) asks <= 1'b0;
    end
    always @(posedge clk)
        if (takes) begin
            x <= features;
            wanted <= target;
            learns <= learn;
            at <= begins;
            left <= more;
        end else if (ends) begin
            votes[at[$last_which_bit:0]] <= vote;
            at <= after;
            left <= left - 1'b1;
        end
$votes
endmodule
