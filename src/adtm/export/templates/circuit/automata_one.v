// Automata side by side: bit b of every state, then bit b + 1 of every state. States run from LOW to HIGH, and the
// topmost bit says that the literal is included. A state goes one up or down, and stops at the ends.
$automata_ports
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
        falls = (down | sink) & ~at_low;
        moves = up & ~at_high | falls; // those whose next bit changes, too
        for (b = 0; b < BITS; b = b + 1) begin
            plane = states[LITERALS*b +: LITERALS];
            after[LITERALS*b +: LITERALS] = plane ^ moves;
            moves = moves & (plane ^ falls);
        end
        next = after;
    end
endmodule
