// What feedback asks of the automata of a clause. Type I: true literals of a clause that fires go up where it has room,
// the others sink in their turn; of a tolerant clause that fires, false ones that are excluded go down, all of them.
// Type II, to a clause that fires: false literals that are excluded go up.
module ${name}_feedback #(
    parameter LITERALS = $LITERALS, VOTES = $VOTES
) (
    input  wire [LITERALS-1:0] literals, included, turn,
    input  wire type_i, fires, room,
    output wire [LITERALS-1:0] up, down, sink
);
    wire tolerates = fires && VOTES > 1;
    wire [LITERALS-1:0] on = literals & {LITERALS{fires}}, off = ~literals & ~included & {LITERALS{fires}};
    assign up = type_i ? on & {LITERALS{room}} : off;
    assign down = off & {LITERALS{type_i & tolerates}};
    assign sink = ~on & turn & {LITERALS{type_i & ~tolerates}};
endmodule
