// Who tosses at an update of a clause: the automata from `at` on, as many that in D updates all have tossed once, evenly
// spread. That is a sum in place of multiplications and divisions. `any` says that somebody tosses, `ends` that the next
// update begins anew.
module ${name}_stretch #(
    parameter [31:0] LITERALS = 32'd$LITERALS,
    parameter PLACE = $PLACE, SUM = $SUM
) (
    input  wire [PLACE-1:0] at,
    input  wire [SUM-1:0] sum,
    output wire [LITERALS-1:0] tossing,
    output wire [PLACE-1:0] next_at,
    output wire [SUM-1:0] next_sum,
    output wire any, ends
);
    localparam [63:0] D = 64'd$D, N = {32'b0, LITERALS}, WHOLE = N / D, REST = N % D;
    wire [SUM-1:0] grown = sum + REST[SUM-1:0]; // below 2 * D
    wire more = grown >= D[SUM-1:0];
    wire [PLACE-1:0] to = at + WHOLE[PLACE-1:0] + {{PLACE-1{1'b0}}, more};
    genvar k;
    generate
        for (k = 0; k < LITERALS; k = k + 1) begin : automata
            assign tossing[k] = k >= at & k < to;
        end
    endgenerate
    assign any = at != to;
    assign ends = to == LITERALS[PLACE-1:0];
    assign next_at = ends ? 0 : to;
    assign next_sum = more ? grown - D[SUM-1:0] : grown;
endmodule
