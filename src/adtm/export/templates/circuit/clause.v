// $name: one clause of a machine that learns, with its automata in registers and a source of coins. $made_by
// What it computes are the blocks of a learning circuit. Who tosses a coin at an update is counted once for the clause, and
// the coins come from a block of their own: one small generator per automaton, one generator for the clause, or none.
// Clocks are gated: a block is clocked only when it has something to do, by a gate behind that of the updates where it
// wakes at some of them only. Every cycle is a step.
/* verilator lint_off DECLFILENAME */ // all modules stand in one file
/* verilator lint_off UNUSED */ // all variants of a block have the same ports and parameters; some need only a few
/* verilator lint_off PINCONNECTEMPTY */

$blocks

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

// The automata of the clause: states in registers, which feedback moves where the coins allow it.
module ${name}_own_automata #(
    parameter LITERALS = $LITERALS, BITS = $BITS
) (
    input  wire clk, rst, // gated: only at an update
    input  wire [LITERALS*BITS-1:0] first,
    input  wire [LITERALS-1:0] literals, allowed, turn,
    input  wire given, type_i, fires, room,
    output reg  [LITERALS*BITS-1:0] states
);
    localparam [BITS-1:0] BY = $BY; // states that a strong move goes
    wire [LITERALS-1:0] included = states[LITERALS*(BITS-1) +: LITERALS];
    wire [LITERALS-1:0] up, down, sink;
    wire [LITERALS*BITS-1:0] next;
    ${name}_feedback feedback (
        .literals(literals), .included(included), .turn(turn), .given(given), .type_i(type_i), .fires(fires),
        .room(room), .up(up), .down(down), .sink(sink)
    );
    ${name}_automata automata (
        .states(states), .up(up & allowed), .down(down & allowed), .sink(sink & allowed), .by(BY), .next(next)
    );
    always @(posedge clk) states <= rst ? first : next;
endmodule

// The clause, whose coins come from outside. `update` asks for feedback; it is given to a clause that gets Type I, or that
// fires.
module ${name}_clause #(
    parameter LITERALS = $LITERALS, BITS = $BITS
) (
    input  wire clk, rst, update, type_i,
    input  wire [LITERALS-1:0] literals, coins,
    output wire [LITERALS-1:0] tossing,
    output wire any, fires, tick, // somebody tosses; the clause fires; it is updated
    output wire clocked, // the clock of updates
    output wire [LITERALS*BITS-1:0] states
);
    wire [LITERALS*BITS-1:0] first;
    wire [LITERALS-1:0] turn;
    wire room;
    assign tick = update & (type_i | fires);
    ${name}_gate gate (.clk(clk), .enable(tick | rst), .gated(clocked));
    ${name}_says says (
        .literals(literals), .included(states[LITERALS*(BITS-1) +: LITERALS]), .votes(), .fires(fires), .room(room)
    );
    ${name}_own_tape tape (.clk(clocked), .rst(rst), .tossing(tossing), .any(any));
    ${name}_own_rota rota (.clk(clocked), .rst(rst), .turn(turn));
    ${name}_start start (.j($INDEX'd$NUMBER), .first(first));
    ${name}_own_automata automata (
        .clk(clocked), .rst(rst), .first(first), .literals(literals), .allowed(~tossing | coins), .turn(turn),
        .given(tick), .type_i(type_i), .fires(fires), .room(room), .states(states)
    );
endmodule

// The clause with its selection and its source of coins: SOURCE 2 is a generator per automaton, 1 one for the clause, 0
// none. A step selects `all` clauses, or those `part` of them whose word is below the threshold.
module $name #(
    parameter LITERALS = $LITERALS, BITS = $BITS, SOURCE = 1
) (
    input  wire clk, rst, all, part, type_i,
    input  wire [31:0] threshold,
    input  wire [LITERALS-1:0] literals,
    output wire fires,
    output wire [LITERALS*BITS-1:0] states
);
    wire [LITERALS-1:0] tossing, coins;
    wire selected, selects, any, updates;
    $selection_clock
    ${name}_own_selection selection (.clk(selects), .rst(rst), .threshold(threshold), .selected(selected));
    ${name}_clause clause (
        .clk(clk), .rst(rst), .update(all | part & selected), .type_i(type_i), .literals(literals), .coins(coins),
        .tossing(tossing), .any(any), .fires(fires), .tick(), .clocked(updates),
        .states(states)
    );
    genvar k;
    generate
        if (SOURCE == 2) begin : each
            localparam [LITERALS-1:0] GATES = $GATES; // the first of automata that toss together, which share a gate
            wire [LITERALS-1:0] clocked;
            for (k = 0; k < LITERALS; k = k + 1) begin : sources
                if (GATES[k]) begin : first
                    ${name}_gate gate (.clk(updates), .enable(tossing[k] | rst), .gated(clocked[k]));
                end else begin : other
                    assign clocked[k] = clocked[k-1];
                end
                ${name}_small source (.clk(clocked[k]), .rst(rst), .seed(12'd1 + k), .coin(coins[k]));
            end
        end else if (SOURCE == 1) begin : shared
            wire clocked;
            wire [31:0] bits;
            ${name}_gate gate (.clk(updates), .enable(any | rst), .gated(clocked));
            ${name}_shared source (.clk(clocked), .rst(rst), .coins(bits));
            for (k = 0; k < LITERALS; k = k + 1) begin : taken
                assign coins[k] = bits[k % 32];
            end
        end else begin : none
            assign coins = {LITERALS{1'b1}};
        end
    endgenerate
endmodule
