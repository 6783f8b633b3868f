module ${name}_automata #(
    parameter LITERALS = $LITERALS, BITS = $BITS, LOW = $LOW, HIGH = $HIGH
) (
    input  wire [LITERALS*BITS-1:0] states,
    input  wire [LITERALS-1:0] up, down, sink, // of which an automaton has one at most
    input  wire [BITS-1:0] by,
    output reg  [LITERALS*BITS-1:0] next
);
