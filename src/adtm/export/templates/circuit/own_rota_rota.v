// The rota of one clause: constants are the places, and the clock of the rest is gated.
module ${name}_own_rota #(
    parameter LITERALS = $LITERALS
) (
    input  wire clk, rst, // gated: only at an update
    output wire [LITERALS-1:0] turn
);
    wire [LITERALS-1:0] reached, after;
    wire short, ends, lap;
    ${name}_gate gate (.clk(clk), .enable(ends | rst), .gated(lap));
    ${name}_own_rest rests (.clk(lap), .rst(rst), .reached(reached), .after(after), .short(short));
    ${name}_own_slot slots (
        .clk(clk), .rst(rst), .reached(reached), .after(after), .short(short), .turn(turn), .ends(ends)
    );
endmodule

module ${name}_own_slot #(
    parameter LITERALS = $LITERALS
) (
    input  wire clk, rst, // gated: only at an update
    input  wire [LITERALS-1:0] reached, after,
    input  wire short,
    output wire [LITERALS-1:0] turn,
    output wire ends
);
$own_rota_numbers
    localparam [BITS-1:0] LAST = S[BITS-1:0], FIRST = FIRST_SLOT[BITS-1:0];
    reg [BITS-1:0] slot;
    wire [BITS-1:0] next;
    wire [LITERALS*BITS-1:0] places;
    genvar k;
    generate
        for (k = 0; k < LITERALS; k = k + 1) begin : automata
            localparam [63:0] SLOT = place(k) / RATE;
            assign places[BITS*k +: BITS] = SLOT[BITS-1:0];
        end
    endgenerate
    ${name}_turns #(.LITERALS(LITERALS), .SLOT(BITS)) turns (
        .slot(slot), .last(LAST), .short(short), .slots(places), .reached(reached), .after(after), .turn(turn),
        .ends(ends), .next(next)
    );
    always @(posedge clk) slot <= rst ? FIRST : next;
endmodule

module ${name}_own_rest #(
    parameter LITERALS = $LITERALS
) (
    input  wire clk, rst, // gated: only at the end of a lap
    output wire [LITERALS-1:0] reached, after,
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
    wire [SLIPS-1:0] next_slips;
    wire [MORE-1:0] next_more;
    ${name}_rest #(.SLIPS(SLIPS), .MORE(MORE)) goes (
        .slips(slips), .most(MOST[SLIPS-1:0]), .more(more), .slip(SLIP[MORE:0]), .over(OVER[MORE:0]), .short(short),
        .next_slips(next_slips), .next_more(next_more)
    );
    genvar k;
    generate
        for (k = 0; k < LITERALS; k = k + 1) begin : automata
            localparam [63:0] PLACE = place(k);
            localparam [SLIPS+MORE-1:0] FROM = parts(PLACE % RATE);
            assign reached[k] = {slips, more} >= FROM;
            assign after[k] = PLACE < RATE && {next_slips, next_more} >= FROM; // asked in slot 0 alone
        end
    endgenerate
    always @(posedge clk) {slips, more} <= rst ? FIRST : {next_slips, next_more};
endmodule
