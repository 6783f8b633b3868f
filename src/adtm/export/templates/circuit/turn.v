// Whose turn it is to sink: that of an automaton whose phase, a constant, and the clause's word wrap around.
module ${name}_turn #(
    parameter LITERALS = $LITERALS
) (
    input  wire [LITERALS*32-1:0] phases,
    input  wire [31:0] word, rate,
    output reg  [LITERALS-1:0] turn
);
    reg [LITERALS-1:0] wraps;
    reg [31:0] place;
    integer k;
    always @* begin
        for (k = 0; k < LITERALS; k = k + 1) begin
            place = phases[32*k +: 32] + word;
            wraps[k] = place < rate;
        end
        turn = wraps;
    end
endmodule
