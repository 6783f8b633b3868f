// Automata side by side: bit b of every state, then bit b + 1 of every state. States run from LOW to HIGH, and the
// topmost bit says that the literal is included. A state goes `by` up or down, or sinks by one, and stops at the ends.
$automata_ports
    reg [LITERALS*BITS-1:0] after;
    localparam [BITS-1:0] LOWEST = LOW, HIGHEST = HIGH;
    reg [LITERALS-1:0] plane, adds, carry, over, under;
    integer b;
    always @* begin
        carry = down; // one less is one more of all ones, and `by` less of all its bits turned, and one
        over = {LITERALS{1'b0}};
        under = {LITERALS{1'b0}};
        for (b = 0; b < BITS; b = b + 1) begin
            plane = states[LITERALS*b +: LITERALS];
            adds = up & {LITERALS{by[b]}} | down & {LITERALS{~by[b]}} | sink;
            after[LITERALS*b +: LITERALS] = plane ^ adds ^ carry;
            carry = plane & adds | carry & (plane | adds);
            plane = after[LITERALS*b +: LITERALS];
            over = HIGHEST[b] ? over & plane : over | plane;
            under = LOWEST[b] ? under | ~plane : under & ~plane;
        end
        over = up & (over | carry);
        under = (down | sink) & (under | ~carry);
        for (b = 0; b < BITS; b = b + 1) begin
            plane = after[LITERALS*b +: LITERALS] & ~over & ~under;
            after[LITERALS*b +: LITERALS] = plane | {LITERALS{HIGHEST[b]}} & over | {LITERALS{LOWEST[b]}} & under;
        end
        next = after;
    end
endmodule
