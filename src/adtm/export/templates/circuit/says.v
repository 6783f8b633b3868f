// What a clause says: one vote, if no literal fails; or up to VOTES, one less for every literal that does. A clause
// without literals says all. It `fires` if it says any, and has `room` for more literals below MAX_LITERALS (0: always).
// Synthesis leaves out what nobody needs: with VOTES 1 the count of failed literals, with MAX_LITERALS 0 the other one,
// too, and the subtraction where `votes` is left open.
module ${name}_says #(
    parameter LITERALS = $LITERALS, VOTES = $VOTES, COUNT = $COUNT, MAX_LITERALS = $MAX_LITERALS
) (
    input  wire [LITERALS-1:0] literals, included,
    output wire [COUNT-1:0] votes,
    output wire fires, room
);
    wire [LITERALS-1:0] fails = included & ~literals;
    reg [COUNT-1:0] size, failed; // how many literals are included, how many of them fail
    integer k;
    always @* begin
        size = 0;
        failed = 0;
        for (k = 0; k < LITERALS; k = k + 1) begin
            size = size + {{COUNT-1{1'b0}}, included[k]};
            failed = failed + {{COUNT-1{1'b0}}, fails[k]};
        end
    end
    wire [COUNT-1:0] most = size < VOTES ? size : VOTES;
    assign fires = VOTES == 1 ? ~|fails : size == 0 | failed < most;
    assign votes = ~fires ? 0 : VOTES == 1 ? 1 : size == 0 ? VOTES : most - failed;
    generate
        if (MAX_LITERALS == 0) assign room = 1'b1;
        else assign room = size < MAX_LITERALS;
    endgenerate
endmodule
