// The rota of one clause: constant phases, and a word that grows by the rate at every update.
module ${name}_own_rota #(
    parameter LITERALS = $LITERALS
) (
    input  wire clk, rst, // gated: only at an update
    output wire [LITERALS-1:0] turn
);
    localparam [LITERALS*32-1:0] PHASES = $CLAUSE_PHASES;
    localparam [31:0] RATE = 32'd$RATE;
    reg [31:0] word;
    wire [31:0] grown = word + RATE;
    ${name}_turn #(.LITERALS(LITERALS)) turns (.phases(PHASES), .word(grown), .rate(RATE), .turn(turn));
    always @(posedge clk) word <= rst ? 32'd$FIRST_TURN : grown;
endmodule
