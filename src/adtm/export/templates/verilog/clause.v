// $name: one clause that learns, with a coin tape of its own. $made_by
// LITERALS automata in registers; who tosses a coin at an update is counted once for the clause, and the coins come from
// a block of its own: one small generator per automaton, one generator for the clause, or none.
// Clocks are gated: a block is clocked only when it has something to do.

// The automata. `step` is how far a strong move goes; with a tolerance, false excluded literals move down strongly.
module ${name}_automata #(
    parameter LITERALS = $LITERALS, BITS = $BITS, LOW = $LOW, HIGH = $HIGH, STEP = $STEP, TOLERANT = $TOLERANT
) (
    input  wire clk, // gated: only at an update
    input  wire rst,
    input  wire [LITERALS-1:0] literals, allowed, turn, first,
    input  wire type_i, fires, room,
    output reg  [LITERALS*BITS-1:0] states
);
    reg [LITERALS*BITS-1:0] after;
    reg [BITS:0] state;
    reg rises, falls, sinks;
    integer k;
    always @* begin
        for (k = 0; k < LITERALS; k = k + 1) begin
            state = {1'b0, states[BITS*k +: BITS]};
            rises = allowed[k] & (type_i ? fires & literals[k] & room : ~literals[k] & ~state[BITS-1]);
            falls = allowed[k] & type_i & TOLERANT & fires & ~literals[k] & ~state[BITS-1];
            sinks = allowed[k] & type_i & turn[k] & ~(fires & (literals[k] | TOLERANT));
            if (rises) state = state + STEP > HIGH ? HIGH : state + STEP;
            else if (falls) state = state < LOW + STEP ? LOW : state - STEP;
            else if (sinks) state = state == LOW ? LOW : state - 1'b1;
            after[BITS*k +: BITS] = rst ? {first[k], {BITS-1{~first[k]}}} : state[BITS-1:0];
        end
    end
    always @(posedge clk) states <= after;
endmodule

// Who tosses at this update: automata `at` .. `to` - 1. In D updates all of them, evenly spread: a sum in place of
// multiplications and divisions.
module ${name}_tape #(
    parameter LITERALS = $LITERALS, PLACE = $PLACE, SUM = $SUM, D = $D, WHOLE = $WHOLE, REST = $REST,
    parameter FIRST_PLACE = $FIRST_PLACE, FIRST_SUM = $FIRST_SUM
) (
    input  wire clk, rst, // gated: only at an update
    output wire [LITERALS-1:0] tossing,
    output wire any
);
    reg [PLACE-1:0] at;
    reg [SUM-1:0] sum;
    wire [SUM-1:0] grown = sum + REST; // below 2 * D, for which SUM bits are enough
    wire more = grown >= D;
    wire [PLACE-1:0] to = at + WHOLE + {{PLACE-1{1'b0}}, more};
    genvar k;
    generate
        for (k = 0; k < LITERALS; k = k + 1) begin : places
            assign tossing[k] = k >= at & k < to;
        end
    endgenerate
    assign any = at != to;
    always @(posedge clk) begin
        at <= rst ? FIRST_PLACE : to == LITERALS ? 0 : to;
        sum <= rst ? FIRST_SUM : more ? grown - D : grown;
    end
endmodule

// A generator of its own for one automaton: 12 bits, period 4095.
module ${name}_small (
    input  wire clk, rst, // gated: only when this automaton tosses
    input  wire [11:0] seed,
    output wire coin
);
    reg [11:0] bits;
    assign coin = bits[0];
    always @(posedge clk) bits <= rst ? seed : {bits[0] ^ bits[6] ^ bits[8] ^ bits[11], bits[11:1]};
endmodule

// One generator for the clause: 32 bits, period 2 ** 32 - 1; automaton k takes bit k modulo 32.
module ${name}_shared (
    input  wire clk, rst, // gated: only when somebody tosses
    output wire [31:0] coins
);
    reg [31:0] bits;
    wire [31:0] a = bits ^ (bits << 13), b = a ^ (a >> 17);
    assign coins = bits;
    always @(posedge clk) bits <= rst ? 32'h92D68CA2 : b ^ (b << 5);
endmodule

// Whose turn it is on the rota: constants and one word for the clause.
module ${name}_rota #(
    parameter LITERALS = $LITERALS, RATE = $RATE
) (
    input  wire clk, rst, // gated: only at an update
    output wire [LITERALS-1:0] turn
);
    localparam [LITERALS*32-1:0] PHASES = $PHASES;
    reg [31:0] word;
    wire [31:0] next = word + RATE;
    genvar k;
    generate
        for (k = 0; k < LITERALS; k = k + 1) begin : places
            wire [31:0] place = PHASES[32*k +: 32] + next;
            assign turn[k] = place < RATE;
        end
    endgenerate
    always @(posedge clk) word <= rst ? 0 : next;
endmodule

// Whether the clause is selected: the word of its place in the bank, and the threshold that the bank worked out.
module ${name}_select (
    input  wire clk, rst, // at every step
    input  wire [31:0] threshold,
    output wire selected
);
    reg [31:0] word;
    assign selected = word < threshold;
    always @(posedge clk) word <= rst ? 32'h$FIRST_WORD : word + 32'h$STEP_STRIDE;
endmodule

// The same with a generator in place of the sum: drawn only where a step neither selects all nor none.
module ${name}_draw (
    input  wire clk, rst, // gated: only at a step that draws
    input  wire [31:0] threshold,
    output wire selected
);
    reg [31:0] bits;
    wire [31:0] a = bits ^ (bits << 13), b = a ^ (a >> 17);
    assign selected = bits < threshold;
    always @(posedge clk) bits <= rst ? 32'h92D68CA2 : b ^ (b << 5);
endmodule

// A clock that ticks only in cycles after `enable`.
module ${name}_gate (
    input  wire clk, enable,
    output wire gated
);
    reg held;
    /* verilator lint_off LATCH */ // a latch on purpose: `enable` passes only while the clock is low
    always @* if (~clk) held = enable;
    /* verilator lint_on LATCH */
    assign gated = clk & held;
endmodule

// The clause. `update` asks for feedback; it is given to a clause that gets Type I, or that fires.
module ${name}_clause #(
    parameter LITERALS = $LITERALS, BITS = $BITS
) (
    input  wire clk, rst, update, type_i,
    input  wire [LITERALS-1:0] literals, coins, turn, first,
    output wire [LITERALS-1:0] tossing,
    output wire fires, tick,
    output wire [LITERALS*BITS-1:0] states
);
    wire [LITERALS-1:0] included;
    wire room, any, clocked;
    genvar k;
    generate
        for (k = 0; k < LITERALS; k = k + 1) begin : topmost
            assign included[k] = states[BITS*k + BITS - 1];
        end
    endgenerate
    assign tick = update & (type_i | fires);
    ${name}_says says (.literals(literals), .included(included), .votes(), .fires(fires), .room(room));
    ${name}_gate gate (.clk(clk), .enable(tick | rst), .gated(clocked));
$tape_of_clause
    ${name}_automata automata (
        .clk(clocked), .rst(rst), .literals(literals), .allowed(~tossing | coins), .turn(turn), .first(first),
        .type_i(type_i), .fires(fires), .room(room), .states(states)
    );
endmodule

// The clause with its source of coins: SOURCE 2 is a generator per automaton, 1 one for the clause, 0 none.
module $name #(
    parameter LITERALS = $LITERALS, BITS = $BITS, SOURCE = 1
) (
    input  wire clk, rst, update, type_i,
    input  wire [LITERALS-1:0] literals, turn, first,
    output wire fires,
    output wire [LITERALS*BITS-1:0] states
);
    wire [LITERALS-1:0] tossing, coins;
    wire tick;
    ${name}_clause clause (
        .clk(clk), .rst(rst), .update(update), .type_i(type_i), .literals(literals), .coins(coins), .turn(turn),
        .first(first), .tossing(tossing), .fires(fires), .tick(tick), .states(states)
    );
    genvar k;
    generate
        if (SOURCE == 2) begin : each
            for (k = 0; k < LITERALS; k = k + 1) begin : sources
                wire clocked;
                ${name}_gate gate (.clk(clk), .enable(tick & tossing[k] | rst), .gated(clocked));
                ${name}_small source (.clk(clocked), .rst(rst), .seed(12'd1 + k), .coin(coins[k]));
            end
        end else if (SOURCE == 1) begin : shared
            wire clocked;
            wire [31:0] bits;
            ${name}_gate gate (.clk(clk), .enable(tick & |tossing | rst), .gated(clocked));
            ${name}_shared source (.clk(clocked), .rst(rst), .coins(bits));
            for (k = 0; k < LITERALS; k = k + 1) begin : taken
                assign coins[k] = bits[k % 32];
            end
        end else begin : none
            assign coins = {LITERALS{1'b1}};
        end
    endgenerate
endmodule
