// The rota of one clause. The word of a clause grows by RATE at every update, round a circle of 2 ** 32, and it is the
// turn of an automaton when the word passes its place, the negative of its phase. RATE fits S times into the circle and
// leaves SLIP over. So the word is slot * RATE + rest: the slot counts updates, and the rest changes once a lap, when it
// falls by SLIP. In the same way the rest is slips * SLIP + more: only `slips` changes, until it is 0.
module ${name}_own_rota #(
    parameter LITERALS = $LITERALS
) (
    input  wire clk, rst, // gated: only at an update
    output wire [LITERALS-1:0] turn
);
    wire [LITERALS-1:0] reached, early;
    wire short, ends, lap;
    ${name}_gate gate (.clk(clk), .enable(ends | rst), .gated(lap));
    ${name}_own_rest rests (.clk(lap), .rst(rst), .reached(reached), .early(early), .short(short));
    ${name}_own_slot slots (
        .clk(clk), .rst(rst), .reached(reached), .early(early), .short(short), .turn(turn), .ends(ends)
    );
endmodule

// The slot, and whose turn it is: that of an automaton in this slot which the rest has reached, and of one in the slot
// before which it has not. The end of the circle cuts a slot in two: whoever lies less than RATE before the end has its
// turn in slot 0 if the new rest is too early for the slot before.
module ${name}_own_slot #(
    parameter LITERALS = $LITERALS
) (
    input  wire clk, rst, // gated: only at an update
    input  wire [LITERALS-1:0] reached, early,
    input  wire short, // the lap has S slots; one more otherwise
    output wire [LITERALS-1:0] turn,
    output wire ends
);
$own_rota_numbers
    localparam [BITS-1:0] LAST = S[BITS-1:0], FIRST = FIRST_SLOT[BITS-1:0];
    reg [BITS-1:0] slot;
    assign ends = slot == LAST | short & slot == LAST - 1'b1;
    genvar k;
    generate
        for (k = 0; k < LITERALS; k = k + 1) begin : automata
            localparam [63:0] SLOT = place(k) / RATE;
            wire here = slot == SLOT[BITS-1:0], past = {1'b0, slot} == SLOT[BITS:0] + 1'b1;
            assign turn[k] = (reached[k] ? here : past) | early[k] & slot == 0;
        end
    endgenerate
    always @(posedge clk) slot <= rst ? FIRST : ends ? 0 : slot + 1'b1;
endmodule

// The rest of the word, and which automata it has reached.
module ${name}_own_rest #(
    parameter LITERALS = $LITERALS
) (
    input  wire clk, rst, // gated: only at the end of a lap
    output wire [LITERALS-1:0] reached, early,
    output wire short
);
$own_rota_numbers
    localparam [63:0] SLIP = ROUND % RATE, MOST = (RATE - 1) / SLIP, OVER = RATE - MOST * SLIP;
    localparam SLIPS = $$clog2(MOST + 1), MORE = $$clog2(SLIP);
    function [SLIPS+MORE-1:0] parts(input [63:0] rest); // slips and more, which compare as the rest itself
        reg [63:0] high, low;
        begin
            high = rest / SLIP;
            low = rest % SLIP;
            parts = {high[SLIPS-1:0], low[MORE-1:0]};
        end
    endfunction
    localparam [SLIPS+MORE-1:0] FIRST = parts(WORD % RATE);
    reg [SLIPS-1:0] slips;
    reg [MORE-1:0] more;
    wire [MORE:0] grown = more + OVER[MORE:0];
    wire full = grown >= SLIP[MORE:0];
    wire [MORE:0] left = grown - (full ? SLIP[MORE:0] : 0);
    assign short = slips != 0;
    genvar k;
    generate
        for (k = 0; k < LITERALS; k = k + 1) begin : automata
            localparam [63:0] PLACE = place(k);
            localparam [SLIPS+MORE-1:0] FROM = parts(PLACE % RATE), UNTIL = parts(PLACE + RATE - ROUND);
            assign reached[k] = {slips, more} >= FROM;
            assign early[k] = PLACE > ROUND - RATE && {slips, more} < UNTIL;
        end
    endgenerate
    always @(posedge clk)
        if (rst) {slips, more} <= FIRST;
        else if (short) slips <= slips - 1'b1;
        else begin
            slips <= full ? MOST[SLIPS-1:0] : MOST[SLIPS-1:0] - 1'b1;
            more <= left[MORE-1:0];
        end
endmodule
