// The rota of all clauses: of each the slot and the rest, and for each automaton whether `more` has reached that of its
// place. When `more` changes, once in about 16 laps, one comparison serves the automata in turn: then nothing is `known`
// for LITERALS + 1 cycles.
module ${name}_rota #(
    parameter LITERALS = $LITERALS, CLAUSES = $CLAUSES, INDEX = $INDEX, BANK = 0,
    parameter [32*CLAUSES-1:0] RATES = {CLAUSES{32'd$RATE}} // of each clause
) (
    input  wire clk, starting, given, tick, // a clause starts; it is given feedback; its automata move
    input  wire [INDEX-1:0] j,
    output wire [LITERALS-1:0] turn,
    output wire known // whose turn it is
);
    localparam [63:0] ROUND = 64'd1 << 32;
    function [63:0] largest(input integer what); // of all clauses: slot, slips or more
        integer a;
        reg [63:0] rate, slip, own;
        begin
            largest = 0;
            for (a = 0; a < CLAUSES; a = a + 1) begin
                rate = {32'b0, RATES[32*a +: 32]};
                slip = ROUND % rate;
                own = what == 0 ? ROUND / rate : what == 1 ? (rate - 1) / slip : slip - 1;
                if (own > largest) largest = own;
            end
        end
    endfunction
    localparam SLOT = $$clog2(largest(0) + 1), SLIPS = $$clog2(largest(1) + 1), MORE = $$clog2(largest(2) + 1);
    localparam AT = $$clog2(LITERALS + 2);
    localparam [31:0] DONE = LITERALS + 1;
    reg [SLOT+SLIPS+2*MORE+1:0] numbers [0:CLAUSES-1]; // S, the most slips, SLIP and what the rate leaves over these
    reg [SLOT-1:0] slots [0:CLAUSES-1], first_slots [0:CLAUSES-1];
    reg [SLIPS-1:0] rests [0:CLAUSES-1], first_rests [0:CLAUSES-1];
    reg [MORE+LITERALS-1:0] mores [0:CLAUSES-1], first_mores [0:CLAUSES-1];
    reg [LITERALS*(SLOT+SLIPS)-1:0] places [0:CLAUSES-1]; // slots, then slips
    reg [MORE-1:0] places_more [0:2**(INDEX+AT)-1];
$word_function
$clock_function
    reg [63:0] updates, rate, slip, most, over, rest, high, low;
    integer a, k;
    initial
        for (a = 0; a < CLAUSES; a = a + 1) begin
            rate = {32'b0, RATES[32*a +: 32]};
            slip = ROUND % rate;
            most = (rate - 1) / slip;
            over = rate - most * slip;
            high = ROUND / rate;
            numbers[a] = {high[SLOT-1:0], most[SLIPS-1:0], slip[MORE:0], over[MORE:0]};
            updates = clock(a);
            rest = updates[31:0] * rate % ROUND;
            high = rest / rate;
            first_slots[a] = high[SLOT-1:0];
            high = rest % rate / slip;
            first_rests[a] = high[SLIPS-1:0];
            low = rest % rate % slip;
            first_mores[a][LITERALS +: MORE] = low[MORE-1:0];
            for (k = 0; k < LITERALS; k = k + 1) begin
                rest = (ROUND - {32'b0, word(64'h$PHASES, $PHASE_STRIDE * a + k)}) % ROUND;
                high = rest / rate;
                places[a][SLOT*k +: SLOT] = high[SLOT-1:0];
                high = rest % rate / slip;
                places[a][SLOT*LITERALS+SLIPS*k +: SLIPS] = high[SLIPS-1:0];
                rest = rest % rate % slip;
                places_more[2**AT*a+k] = rest[MORE-1:0];
                first_mores[a][k] = low >= rest;
            end
        end

    // Comparisons see new numbers only in a cycle that needs them.
    wire [SLOT-1:0] slot, last, next;
    wire [SLIPS-1:0] slips, most_slips, next_slips;
    wire [MORE-1:0] more, next_more;
    wire [MORE:0] one_slip, left_over;
    wire [LITERALS-1:0] passed; // whose place `more` is not below
    wire [LITERALS*SLOT-1:0] place_slots;
    wire [LITERALS*SLIPS-1:0] place_slips;
    wire short, ends;
    wire renews = given & ends & ~short;
    assign {slot, slips, more, passed} = {slots[j], rests[j], mores[j]} & {SLOT+SLIPS+MORE+LITERALS{given}};
    assign {place_slips, place_slots} = places[j] & {LITERALS*(SLOT+SLIPS){given}};
    assign {last, most_slips, one_slip, left_over} = numbers[j];
    reg [LITERALS-1:0] renewed, reached, after;
    wire [LITERALS-1:0] next_passed = renews ? renewed : passed;
    reg [SLIPS-1:0] own;
    integer i;
    always @* for (i = 0; i < LITERALS; i = i + 1) begin
        own = place_slips[SLIPS*i +: SLIPS];
        reached[i] = {slips, passed[i]} > {own, 1'b0};
        after[i] = {next_slips, next_passed[i]} > {own, 1'b0};
    end
    ${name}_turns #(.LITERALS(LITERALS), .SLOT(SLOT)) turns (
        .slot(slot), .last(last), .short(short), .slots(place_slots), .reached(reached), .after(after), .turn(turn),
        .ends(ends), .next(next)
    );
    ${name}_rest #(.SLIPS(SLIPS), .MORE(MORE)) goes (
        .slips(slips), .most(most_slips), .more(more), .slip(one_slip), .over(left_over), .short(short),
        .next_slips(next_slips), .next_more(next_more)
    );

    reg [AT-1:0] at; // one automaton is read while that before it is compared
    reg [MORE-1:0] read;
    assign known = ~renews | at == DONE[AT-1:0];
    always @(posedge clk)
        if (starting | tick) at <= 0;
        else if (~known) at <= at + 1'b1;
    always @(posedge clk) if (~known) begin
        read <= places_more[{j, at}];
        if (at != 0) renewed <= {next_more >= read, renewed[LITERALS-1:1]};
    end

    always @(posedge clk)
        if (starting) begin
            slots[j] <= first_slots[j];
            rests[j] <= first_rests[j];
            mores[j] <= first_mores[j];
        end else if (tick) begin
            slots[j] <= next;
            if (ends) rests[j] <= next_slips;
            if (renews) mores[j] <= {next_more, renewed};
        end
endmodule
