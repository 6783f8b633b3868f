// $name: a Tsetlin machine that learns without a random number, to tell class 1 from class 0. $made_by
//
// A sample is taken in a cycle with `valid` and `ready`: its Boolean features, and as `target` its class. `done` is high
// for one cycle when it is learned; `vote` is then the vote the machine had for it, clipped while learning. With `learn`
// low nothing is learned, clauses without literals do not vote, and a vote above 0 is for class 1.
//
// Clauses are worked on one after the other, their automata side by side. There is no multiplier and no generator: the
// selection of clauses and the turns of the rota are running sums, and the threshold is a division by subtraction.
// A sample takes 2 * CLAUSES + 34 cycles; the start after `rst` takes CLAUSES.

// Automata side by side: bit b of every state, then bit b + 1 of every state. States run from LOW to HIGH, and the
// topmost bit says that the literal is included. `up` goes before `down`.
module ${name}_automata #(
    parameter LITERALS = $LITERALS, BITS = $BITS, LOW = $LOW, HIGH = $HIGH
) (
    input  wire [LITERALS*BITS-1:0] states,
    input  wire [LITERALS-1:0] up, down,
    output reg  [LITERALS*BITS-1:0] next
);
    reg [LITERALS*BITS-1:0] after;
    localparam [BITS-1:0] LOWEST = LOW, HIGHEST = HIGH;
    reg [LITERALS-1:0] at_low, at_high, falls, moves, plane;
    integer b;
    always @* begin
        at_low = {LITERALS{1'b1}};
        at_high = {LITERALS{1'b1}};
        for (b = 0; b < BITS; b = b + 1) begin
            plane = states[LITERALS*b +: LITERALS];
            at_low = at_low & (LOWEST[b] ? plane : ~plane);
            at_high = at_high & (HIGHEST[b] ? plane : ~plane);
        end
        falls = down & ~up & ~at_low;
        moves = up & ~at_high | falls; // those whose next bit changes, too
        for (b = 0; b < BITS; b = b + 1) begin
            plane = states[LITERALS*b +: LITERALS];
            after[LITERALS*b +: LITERALS] = plane ^ moves;
            moves = moves & (plane ^ falls);
        end
        next = after;
    end
endmodule

// Whose turn it is on the rota: an automaton has it when its phase, a constant, and the clause's word wrap around.
module ${name}_rota #(
    parameter LITERALS = $LITERALS, RATE = $RATE
) (
    input  wire [LITERALS*32-1:0] phases,
    input  wire [31:0] word,
    output reg  [LITERALS-1:0] turn
);
    reg [LITERALS-1:0] wraps;
    reg [31:0] place;
    integer k;
    always @* begin
        for (k = 0; k < LITERALS; k = k + 1) begin
            place = phases[32*k +: 32] + word;
            wraps[k] = place < RATE;
        end
        turn = wraps;
    end
endmodule

// What a clause says: one vote, if no literal fails; or up to VOTES, one less for every literal that does. A clause
// without literals says all. `room` is whether it has fewer than MAX_LITERALS (0: any number).
module ${name}_says #(
    parameter LITERALS = $LITERALS, VOTES = $VOTES, COUNT = $COUNT, MAX_LITERALS = $MAX_LITERALS
) (
    input  wire [LITERALS-1:0] literals, included,
    output wire [COUNT-1:0] votes,
    output wire room
);
    generate
        if (VOTES == 1 && MAX_LITERALS == 0) begin : plain
            assign votes = ~|(included & ~literals);
            assign room = 1'b1;
        end else begin : counted
$counting
            wire [COUNT-1:0] most = size == 0 | size > VOTES ? VOTES : size;
            assign votes = failed < most ? most - failed : 0;
            assign room = MAX_LITERALS == 0 | size < MAX_LITERALS;
        end
    endgenerate
endmodule

// What feedback asks of the automata of a clause. Type I: true literals of a clause that fires up, where it has room,
// the others down in their turn; of a tolerant clause that fires, false ones that are excluded down at once. Type II,
// to a clause that fires: false literals that are excluded up.
module ${name}_feedback #(
    parameter LITERALS = $LITERALS, VOTES = $VOTES
) (
    input  wire [LITERALS-1:0] literals, included, turn,
    input  wire type_i, fires, room,
    output wire [LITERALS-1:0] up, down
);
    wire [LITERALS-1:0] on = literals & {LITERALS{fires}}, off = ~literals & ~included & {LITERALS{fires}};
    wire [LITERALS-1:0] fading = fires && VOTES > 1 ? off : ~on & turn;
    assign up = type_i ? on & {LITERALS{room}} : off;
    assign down = fading & {LITERALS{type_i}};
endmodule

module $name #(
    parameter FEATURES = $FEATURES, // Boolean features of a sample
    parameter CLAUSES = $CLAUSES,   // even; clauses of even index vote for class 1, the others against it
    parameter T = $T,               // vote target
    parameter S = $S,               // one weak move in about S
    parameter STATES = $STATES,     // states per action
    parameter BITS = $BITS,         // of a state: 2 ** (BITS - 1) >= STATES
    parameter VOTES = $VOTES,       // of a clause at most: the failed literals that it survives, and one
    parameter MAX_LITERALS = $MAX_LITERALS, // from which on a clause takes in no more; 0: any number
    parameter INDEX = $INDEX,       // bits of a clause's index: 2 ** INDEX >= CLAUSES
    parameter COUNT = $COUNT,       // bits of numbers of literals, votes and MAX_LITERALS
    parameter VOTE = $VOTE          // bits of a vote: 2 ** (VOTE - 1) > CLAUSES * VOTES and > 2 * T
) (
    input  wire clk, rst,
    input  wire [FEATURES-1:0] features,
    input  wire target, learn, valid,
    output wire ready,
    output reg  done,
    output reg  signed [VOTE-1:0] vote
);
    localparam LITERALS = 2 * FEATURES;
    localparam [BITS-1:0] LOW = 2 ** (BITS - 1) - STATES, HIGH = 2 ** (BITS - 1) + STATES - 1;
    localparam [31:0] STEP_STRIDE = 32'h$STEP_STRIDE, CLAUSE_STRIDE = 32'h$CLAUSE_STRIDE;
    localparam [63:0] WIDE_RATE = 64'd42949672960000 / (64'd10000 * S + 64'd618);
    localparam [31:0] RATE = WIDE_RATE[31:0]; // 2 ** 32 / (S + 0.0618)
    localparam signed [VOTE-1:0] TOP = T;
    localparam [VOTE-1:0] SPAN = 2 * T;
    localparam [2:0] STARTING = 0, IDLE = 1, VOTING = 2, AIMING = 3, DIVIDING = 4, LEARNING = 5;

    // ---- memory: states and rota word of each clause; constant phases ----
    reg [LITERALS*BITS-1:0] rows [0:CLAUSES-1];
    reg [31:0] words [0:CLAUSES-1];
    reg [LITERALS*32-1:0] phases [0:CLAUSES-1];
    reg [CLAUSES-1:0] fired; // which clauses fire on this sample

    function [31:0] phase(input [31:0] i); // a fixed hash, worked out when the circuit is made
        reg [31:0] x;
        begin
            x = i ^ 32'h$PHASES_LOW;
            x = (x ^ (x >> 16)) * 32'h21F0AAAD + 32'h$PHASES_HIGH;
            x = (x ^ (x >> 15)) * 32'h735A2D97;
            phase = x ^ (x >> 15);
        end
    endfunction

    integer a, b;
    initial
        for (a = 0; a < CLAUSES; a = a + 1)
            for (b = 0; b < LITERALS; b = b + 1) phases[a][32*b +: 32] = phase($PHASE_STRIDE * a + b);

    // ---- the clause that is being worked on ----
    reg [2:0] work;
    reg [INDEX-1:0] j;
    reg [FEATURES-1:0] x;
    reg up, learns; // the target, and whether to learn
    wire last = j == CLAUSES - 1;
    wire [31:0] word = words[j] + RATE;
    wire type_i = ~j[0] == up;
    wire selected;
    wire tick = work == LEARNING & selected & (type_i | fired[j]);
    wire [LITERALS*BITS-1:0] row = rows[j];
    wire [LITERALS*BITS-1:0] next;
    wire [LITERALS-1:0] turn, rises, falls;
    wire [LITERALS-1:0] literals = {~x, x}, included = row[LITERALS*(BITS-1) +: LITERALS];
    wire [COUNT-1:0] says;
    wire room;
    wire filled = |included;
    ${name}_says #(.LITERALS(LITERALS), .VOTES(VOTES), .COUNT(COUNT), .MAX_LITERALS(MAX_LITERALS)) clause (
        .literals(literals), .included(included), .votes(says), .room(room)
    );
    // The adders of rota and automata see new numbers only in a cycle that needs them.
    ${name}_rota #(.LITERALS(LITERALS), .RATE(RATE)) rota (
        .phases(tick ? phases[j] : {LITERALS{32'b0}}), .word(tick ? word : 32'b0), .turn(turn)
    );
    ${name}_feedback #(.LITERALS(LITERALS), .VOTES(VOTES)) feedback (
        .literals(literals), .included(included), .turn(turn), .type_i(type_i), .fires(fired[j]), .room(room),
        .up(rises), .down(falls)
    );
    ${name}_automata #(.LITERALS(LITERALS), .BITS(BITS), .LOW(LOW), .HIGH(HIGH)) automata (
        .states(tick ? row : {LITERALS*BITS{1'b0}}), .up(rises), .down(falls), .next(next)
    );

    // ---- vote and goal ----
    reg signed [VOTE-1:0] sum;
    wire signed [VOTE-1:0] clipped = sum > TOP ? TOP : sum < -TOP ? -TOP : sum;
    wire [VOTE-1:0] gap = up ? TOP - clipped : TOP + clipped;

    // ---- threshold = gap * 2 ** 32 / span, one bit a cycle; selection ----
    reg [VOTE-1:0] rest;
    reg [31:0] threshold, step_word, clause_word;
    reg [4:0] bits_left;
    reg all;
    wire [VOTE:0] twice = {rest, 1'b0};
    wire [VOTE:0] less = twice - {1'b0, SPAN};
    wire goes = twice >= {1'b0, SPAN};
    assign selected = all | (clause_word < threshold);

    // ---- what is done when ----
    wire nothing = ~learns | gap == 0;
    assign ready = work == IDLE;

    always @(posedge clk)
        if (rst) work <= STARTING;
        else case (work)
            STARTING: if (last) work <= IDLE;
            IDLE: if (valid) work <= VOTING;
            VOTING: if (last) work <= AIMING;
            AIMING: work <= nothing ? IDLE : DIVIDING;
            DIVIDING: if (bits_left == 0) work <= LEARNING;
            LEARNING: if (last) work <= IDLE;
            default: work <= IDLE;
        endcase

    always @(posedge clk) done <= ~rst & (work == AIMING & nothing | work == LEARNING & last);

    always @(posedge clk)
        if (rst) j <= 0;
        else if (work == STARTING | work == VOTING | work == LEARNING) j <= last ? 0 : j + 1'b1;

    always @(posedge clk)
        if (ready & valid) begin
            x <= features;
            up <= target;
            learns <= learn;
        end

    always @(posedge clk)
        if (ready) sum <= 0;
        else if (work == VOTING & (learns | filled)) sum <= j[0] ? sum - says : sum + says;

    always @(posedge clk)
        if (work == VOTING) fired[j] <= says != 0;

    always @(posedge clk)
        if (rst) step_word <= 0;
        else if (work == AIMING) begin
            vote <= learns ? clipped : sum;
            all <= gap == SPAN;
            if (learns) step_word <= step_word + STEP_STRIDE;
        end

    always @(posedge clk)
        if (work == AIMING) begin
            rest <= gap;
            bits_left <= 31;
        end else if (work == DIVIDING) begin
            rest <= goes ? less[VOTE-1:0] : twice[VOTE-1:0];
            threshold <= {threshold[30:0], goes};
            bits_left <= bits_left - 1'b1;
        end

    always @(posedge clk)
        if (work == AIMING) clause_word <= step_word;
        else if (work == LEARNING) clause_word <= clause_word + CLAUSE_STRIDE;

    always @(posedge clk)
        if (work == STARTING) begin
            rows[j] <= {{LITERALS{1'b0}}, {LITERALS*(BITS-1){1'b1}}}; // all just excluded
            words[j] <= 0;
        end else if (tick) begin
            rows[j] <= next;
            words[j] <= word;
        end
endmodule
