// What feedback asks of the automata of a clause, if it is given any. Type I: true literals of a clause that fires go up where it has room,
// the others sink in their turn; of a tolerant clause that fires, false ones that are excluded go down, all of them.
// Type II, to a clause that fires: false literals that are excluded go up.
module ${name}_feedback #(
    parameter LITERALS = $LITERALS, VOTES = $VOTES
) (
    input  wire [LITERALS-1:0] literals, included, turn,
    input  wire given, type_i, fires, room, // without feedback nothing moves, and no adder sees new numbers
    output wire [LITERALS-1:0] up, down, sink
);
    wire learns = given & fires, tolerates = learns && VOTES > 1;
    wire [LITERALS-1:0] on = literals & {LITERALS{learns}}, off = ~literals & ~included & {LITERALS{learns}};
    assign up = type_i ? on & {LITERALS{room}} : off;
    assign down = off & {LITERALS{type_i & tolerates}};
    assign sink = ~on & turn & {LITERALS{given & type_i & ~tolerates}};
endmodule
