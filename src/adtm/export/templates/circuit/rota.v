// The rota. The word of a clause grows by its rate at every update, round a circle of 2 ** 32, and it is the turn of an
// automaton when the word passes its place, the negative of its phase. The rate fits S times into the circle and leaves
// SLIP over. So the word is slot * rate + rest: the slot counts updates, and the rest changes once a lap, when it falls
// by SLIP. In the same way the rest is slips * SLIP + more: only `slips` changes, until it is 0.

// Whose turn it is: that of an automaton in the slot so far whose place the rest has not reached, of one in the next slot
// whose place it has, and at the end of a lap of all in a slot beyond.
module ${name}_turns #(
    parameter LITERALS = $LITERALS, SLOT = 1
) (
    input  wire [SLOT-1:0] slot, last, // so far; S
    input  wire short, // the lap has S slots; one more otherwise
    input  wire [LITERALS*SLOT-1:0] slots, // those of the places
    input  wire [LITERALS-1:0] reached, after, // which places the rest has reached in their slots; that of the next lap
    output wire [LITERALS-1:0] turn,
    output wire ends, // the lap
    output wire [SLOT-1:0] next
);
    wire [SLOT-1:0] more = slot + 1'b1;
    assign ends = slot == last | short & more == last;
    assign next = ends ? 0 : more;
    reg [LITERALS-1:0] first, here, comes, beyond; // whose place is in the first slot, in this one, the next, beyond
    reg [SLOT-1:0] own;
    integer k;
    always @* for (k = 0; k < LITERALS; k = k + 1) begin
        own = slots[SLOT*k +: SLOT];
        first[k] = own == 0;
        here[k] = own == slot;
        comes[k] = own == more;
        beyond[k] = own > slot;
    end
    assign turn = here & ~reached | (ends ? first & after | beyond : comes & reached);
endmodule

// How the rest goes on at the end of a lap.
module ${name}_rest #(
    parameter SLIPS = 1, MORE = 1
) (
    input  wire [SLIPS-1:0] slips, most, // so far; of all rests
    input  wire [MORE-1:0] more,
    input  wire [MORE:0] slip, over, // over: what the rate leaves over `most` slips
    output wire short,
    output wire [SLIPS-1:0] next_slips,
    output wire [MORE-1:0] next_more
);
    wire [MORE:0] grown = {1'b0, more} + over;
    wire full = grown >= slip;
    wire [MORE:0] left = full ? grown - slip : grown;
    assign short = slips != 0;
    assign next_slips = short ? slips - 1'b1 : full ? most : most - 1'b1;
    assign next_more = short ? more : left[MORE-1:0];
endmodule
