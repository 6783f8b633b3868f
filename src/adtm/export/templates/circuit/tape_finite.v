// Who may move: everybody but those whose coin says no. Of the words of coins under the key of the clause and of the D
// updates in which all of its automata toss, those are drawn in which an automaton that is offered a move tosses.
module ${name}_tape #(
    parameter [31:0] LITERALS = $LITERALS,
    parameter CLAUSES = $CLAUSES, INDEX = $INDEX, BANK = 0
) (
    input  wire clk, rst, starting, given, tick, // a clause starts; it is given feedback; its automata move
    input  wire [INDEX-1:0] j,
    input  wire [LITERALS-1:0] offered,
    output wire [LITERALS-1:0] allowed,
    output wire known
);
    localparam [63:0] D = 64'd$D, N = {32'b0, LITERALS}, STRIDE = 64'h9E3779B97F4A7C15;
    localparam PLACE = $$clog2(LITERALS + 1), SUM = $SUM, WORDS = LITERALS / 32 + 1;
    reg [PLACE-1:0] places [0:CLAUSES-1], first_places [0:CLAUSES-1];
    reg [SUM-1:0] sums [0:CLAUSES-1], first_sums [0:CLAUSES-1];
    reg [63:0] keys [0:CLAUSES-1], first_keys [0:CLAUSES-1];
$absorb_function
$clock_function
    reg [63:0] updates, whole, rest;
    integer a;
    initial
        for (a = 0; a < CLAUSES; a = a + 1) begin
            updates = clock(a);
            whole = updates % D * N / D;
            rest = updates % D * N % D;
            first_places[a] = whole[PLACE-1:0];
            first_sums[a] = rest[SUM-1:0];
            first_keys[a] = absorb(absorb(64'h$COIN_KEY, BANK), a) + STRIDE * (updates / D + 64'd1);
        end

    wire [LITERALS-1:0] tossing;
    wire [PLACE-1:0] at = places[j]; // a wire: yosys makes a fifth more of a machine whose memory is read in a port
    wire [SUM-1:0] sum = sums[j];
    wire [PLACE-1:0] next_at;
    wire [SUM-1:0] next_sum;
    wire ends;
    ${name}_stretch #(.LITERALS(LITERALS), .PLACE(PLACE), .SUM(SUM)) stretch (
        .at(at), .sum(sum), .tossing(tossing), .next_at(next_at), .next_sum(next_sum), .any(),
        .ends(ends)
    );

    reg [32*WORDS-1:0] coins;
    reg [PLACE-1:0] n; // words that are there, or not needed
    reg begun;
    wire [32*WORDS-1:0] needed = {{32*WORDS-LITERALS{1'b0}}, tossing & offered};
    wire [31:0] place = {{32-PLACE{1'b0}}, n};
    wire [31:0] word;
    wire there;
    wire asks = given & ~known, wanted = |needed[32*n +: 32];
    assign allowed = ~tossing | coins[LITERALS-1:0];
    assign known = ~|needed | place == WORDS;
    ${name}_draws draws (
        .clk(clk), .rst(rst), .absorbs(asks & ~begun), .asks(asks & begun & wanted), .taken(there), .sum(keys[j]),
        .place(place), .key(), .word(word), .keyed(), .there(there)
    );

    always @(posedge clk)
        if (rst | tick) begin
            begun <= 1'b0;
            n <= 0;
        end else if (asks) begin
            begun <= 1'b1;
            if (there) coins[32*n +: 32] <= word;
            if (begun & (there | ~wanted)) n <= n + 1'b1;
        end

    always @(posedge clk)
        if (starting) begin
            places[j] <= first_places[j];
            sums[j] <= first_sums[j];
            keys[j] <= first_keys[j];
        end else if (tick) begin
            places[j] <= next_at;
            sums[j] <= next_sum;
            if (ends) keys[j] <= keys[j] + STRIDE;
        end
endmodule
