// The coin tape of one clause: where it stands, and who tosses there.
module ${name}_own_tape #(
    parameter LITERALS = $LITERALS, PLACE = $PLACE, SUM = $SUM
) (
    input  wire clk, rst, // gated: only at an update
    output wire [LITERALS-1:0] tossing,
    output wire any
);
    reg [PLACE-1:0] at;
    reg [SUM-1:0] sum;
    wire [PLACE-1:0] next_at;
    wire [SUM-1:0] next_sum;
    ${name}_stretch stretch (
        .at(at), .sum(sum), .tossing(tossing), .next_at(next_at), .next_sum(next_sum), .any(any), .ends()
    );
    always @(posedge clk) begin
        at <= rst ? $FIRST_PLACE : next_at;
        sum <= rst ? $FIRST_SUM : next_sum;
    end
endmodule
