// $name: a Tsetlin machine that learns $drawing, $task. $made_by
//
// A sample is taken in a cycle with `valid` and `ready`: its Boolean features, and as `target` $target_is. `done` is
// high for one cycle when it is learned; `vote` is then the vote the machine had for it, clipped while learning. With
// `learn` low nothing is learned, clauses without literals do not vote, and $answer.
//
// Clauses are worked on one after the other, their automata side by side. The threshold of the selection is a division
// by subtraction. A sample takes 2 * $times_clauses + 34 cycles at most$more_cycles; the start after `rst` takes CLAUSES.$labels
/* verilator lint_off DECLFILENAME */ // all modules stand in one file
/* verilator lint_off UNUSED */ // all variants of a block have the same ports and parameters; some need only a few
/* verilator lint_off PINCONNECTEMPTY */

$blocks

module $name #(
    parameter FEATURES = $FEATURES, // Boolean features of a $seen
    parameter CLAUSES = $CLAUSES,   // $polarity
    parameter T = $T,               // vote target
$pace_parameter
    parameter STATES = $STATES,     // states per action
    parameter BITS = $BITS,         // of a state: 2 ** (BITS - 1) >= STATES
    parameter VOTES = $VOTES,       // of a clause at most: the failed literals that it survives, and one
    parameter MAX_LITERALS = $MAX_LITERALS, // from which on a clause takes in no more; 0: any number
    parameter INDEX = $INDEX,       // bits of a clause's index: 2 ** INDEX >= CLAUSES
    parameter COUNT = $COUNT,       // bits of numbers of literals, votes and MAX_LITERALS
    parameter VOTE = $VOTE,         // bits of a vote: 2 ** (VOTE - 1) > $largest_vote and > 2 * T
    parameter BANK = 0              // its number among the banks of a machine
) (
    input  wire clk, rst,
    input  wire [$last_given:0] features,
    input  wire [$last_wanted_bit:0] target,
$which_port    input  wire learn, valid,
    output wire ready,
    output reg  done,
    output reg  signed [VOTE-1:0] vote
);
    localparam LITERALS = 2 * FEATURES;
    localparam [BITS-1:0] LOW = 2 ** (BITS - 1) - STATES, HIGH = 2 ** (BITS - 1) + STATES - 1;
    localparam signed [VOTE-1:0] TOP = T;
    localparam [2:0] STARTING = 0, IDLE = 1, VOTING = 2, AIMING = 3, DIVIDING = 4, LEARNING = 5;

    // ---- the sample, and the clause that is being worked on ----
    reg [2:0] work;
    reg [INDEX-1:0] j;
    reg [$last_wanted_bit:0] wanted;
$which    reg learns;
    reg [LITERALS*BITS-1:0] rows [0:CLAUSES-1];
    reg [CLAUSES-1:0] fired; // which clauses fire on this sample
    wire starting = work == STARTING, learning = work == LEARNING;
    wire last = {1'b0, j} == CLAUSES - 1;
    wire rising, given, tick, passes; // the vote should rise; the clause is given feedback; has moved; is done with
    wire looks, walks, whole, here, known; // looks for its patch; walks on; at the last one; at its own; which is known
    wire voting = work == VOTING;
    wire [FEATURES-1:0] x;
    wire [LITERALS*BITS-1:0] row = rows[j];
    wire [LITERALS-1:0] literals = {~x, x}, included = row[LITERALS*(BITS-1) +: LITERALS];

    // ---- what it says, and what it adds to the vote ----
    wire [COUNT-1:0] says, most;
    wire [COUNT+VOTE-1:0] cast = {{VOTE{1'b0}}, most}; // of which a vote takes as many bits as it has
    wire fires, any, room, against;
    wire filled = |included;
    wire [VOTE-1:0] adds;
    reg signed [VOTE-1:0] sum;
    wire signed [VOTE-1:0] clipped = sum > TOP ? TOP : sum < -TOP ? -TOP : sum;
    ${name}_says #(.LITERALS(LITERALS), .VOTES(VOTES), .COUNT(COUNT), .MAX_LITERALS(MAX_LITERALS)) clause (
        .literals(literals), .included(included), .votes(says), .fires(fires), .room(room)
    );
    ${name}_view #(.FEATURES(FEATURES), .CLAUSES(CLAUSES), .INDEX(INDEX), .COUNT(COUNT), .BANK(BANK)) view (
        .clk(clk), .rst(rst), .starting(starting), .takes(ready & valid), .voting(voting), .looks(looks), .walks(walks),
        .tick(tick), .passes(passes), .features(features), .j(j), .says(says), .fires(fires), .sees(x), .most(most),
        .any(any), .last(whole), .here(here), .known(known)
    );
    ${name}_weights #(.CLAUSES(CLAUSES), .INDEX(INDEX), .VOTE(VOTE), .BANK(BANK)) weighing (
        .clk(clk), .starting(starting), .moves(tick & fired[j]), .rising(rising), .j(j), .which(which),
        .cast(cast[VOTE-1:0]), .against(against), .adds(adds)
    );

$goal

    // ---- threshold = gap * 2 ** 32 / span, one bit a cycle; selection ----
    reg [VOTE-1:0] rest;
    reg [31:0] threshold;
    reg [4:0] bits_left;
    reg all;
    wire [VOTE:0] twice = {rest, 1'b0};
    wire [VOTE:0] less = twice - {1'b0, SPAN};
    wire goes = twice >= {1'b0, SPAN};
    wire nothing = ~learns | gap == 0;
    wire below, chosen; // whether the clause's word is below the threshold, and whether that is known
    ${name}_selection #(.INDEX(INDEX), .BANK(BANK)) selection (
        .clk(clk), .rst(rst), .aims(work == AIMING & learns), .part(gap != 0 & gap != SPAN),
        .asks(learning & ~all), .passes(passes), .j(j), .threshold(threshold), .selected(below), .known(chosen)
    );

    // ---- feedback: given to a clause that is selected, and gets Type I or fires ----
$pace
    wire type_i = against != rising;
    wire decided = learning & (all | chosen), selected = all | below;
    wire timed, tossed; // whose turn it is, and the coins that it needs, are known
    wire settled = timed & tossed;
    assign looks = decided & selected & fired[j];
    assign given = decided & selected & (fired[j] ? known & here : type_i);
    assign tick = given & settled;
    assign walks = voting | looks & known & (settled | ~given);
    assign passes = decided & (looks ? walks & whole : settled | ~given);
    wire [LITERALS-1:0] turn, up, down, sink, allowed;
    wire [LITERALS*BITS-1:0] next, first;
    ${name}_rota #(.LITERALS(LITERALS), .CLAUSES(CLAUSES), .INDEX(INDEX), .BANK(BANK), .RATES(RATES)) rota (
        .clk(clk), .starting(starting), .given(given), .tick(tick), .j(j), .turn(turn), .known(timed)
    );
    ${name}_feedback #(.LITERALS(LITERALS), .VOTES(VOTES)) feedback (
        .literals(literals), .included(included), .turn(turn), .given(given), .type_i(type_i), .fires(fired[j]),
        .room(room), .up(up), .down(down), .sink(sink)
    );
    ${name}_tape #(.LITERALS(LITERALS), .CLAUSES(CLAUSES), .INDEX(INDEX), .BANK(BANK)) tape (
        .clk(clk), .rst(rst), .starting(starting), .given(given & timed), .tick(tick), .j(j), .offered(up | down | sink),
        .allowed(allowed), .known(tossed)
    );
    // The adders of the automata see new numbers only in a cycle that needs them.
    ${name}_automata #(.LITERALS(LITERALS), .BITS(BITS), .LOW(LOW), .HIGH(HIGH)) automata (
        .states(tick ? row : {LITERALS*BITS{1'b0}}), .up(up & allowed), .down(down & allowed), .sink(sink & allowed),
        .by(by), .next(next)
    );
    ${name}_start #(.LITERALS(LITERALS), .BITS(BITS), .CLAUSES(CLAUSES), .INDEX(INDEX), .BANK(BANK)) start (
        .j(j), .first(first)
    );

    // ---- what is done when ----
    assign ready = work == IDLE;

    always @(posedge clk)
        if (rst) work <= STARTING;
        else case (work)
            STARTING: if (last) work <= IDLE;
            IDLE: if (valid) work <= VOTING;
            VOTING: if (last & whole) work <= AIMING;
            AIMING: work <= nothing ? IDLE : DIVIDING;
            DIVIDING: if (bits_left == 0) work <= LEARNING;
            LEARNING: if (passes & last) work <= IDLE;
            default: work <= IDLE;
        endcase

    always @(posedge clk) done <= ~rst & (work == AIMING & nothing | passes & last);

    always @(posedge clk)
        if (rst) j <= 0;
        else if (starting | voting & whole | passes) j <= last ? 0 : j + 1'b1;

    always @(posedge clk)
        if (ready & valid) begin
            wanted <= target;
            learns <= learn;
        end

    always @(posedge clk)
        if (ready) sum <= 0;
        else if (voting & whole & (learns | filled)) sum <= sum + adds;

    always @(posedge clk)
        if (voting) fired[j] <= any;

    always @(posedge clk)
        if (work == AIMING) begin
            vote <= learns ? clipped : sum;
            all <= gap == SPAN;
            rest <= gap;
            bits_left <= 31;
        end else if (work == DIVIDING) begin
            rest <= goes ? less[VOTE-1:0] : twice[VOTE-1:0];
            threshold <= {threshold[30:0], goes};
            bits_left <= bits_left - 1'b1;
        end

    always @(posedge clk)
        if (starting) rows[j] <= first;
        else if (tick) rows[j] <= next;
endmodule
