// The rota of all clauses: phases and a word for each, which grows by the clause's rate at every update.
module ${name}_rota #(
    parameter LITERALS = $LITERALS, CLAUSES = $CLAUSES, INDEX = $INDEX, BANK = 0,
    parameter [32*CLAUSES-1:0] RATES = 0 // of each clause
) (
    input  wire clk, starting, given, tick, // a clause starts; it is given feedback; its automata move
    input  wire [INDEX-1:0] j,
    output reg  [LITERALS-1:0] turn
);
    reg [31:0] words [0:CLAUSES-1], first_words [0:CLAUSES-1];
    reg [LITERALS*32-1:0] phases [0:CLAUSES-1];
$word_function
$clock_function
    reg [63:0] updates;
    integer a, b;
    initial
        for (a = 0; a < CLAUSES; a = a + 1) begin
            updates = clock(a);
            first_words[a] = updates[31:0] * RATES[32*a +: 32];
            for (b = 0; b < LITERALS; b = b + 1) phases[a][32*b +: 32] = word(64'h$PHASES, $PHASE_STRIDE * a + b);
        end

    wire [31:0] rate = RATES[32*j +: 32];
    wire [31:0] grown = words[j] + rate;
    // The adders see new numbers only in a cycle that needs them.
    wire [31:0] seen = given ? grown : 32'b0;
    wire [LITERALS*32-1:0] of_clause = given ? phases[j] : {LITERALS{32'b0}};
    // It is the turn of an automaton whose phase and the word wrap around.
    reg [LITERALS-1:0] wraps;
    reg [31:0] place;
    integer k;
    always @* begin
        for (k = 0; k < LITERALS; k = k + 1) begin
            place = of_clause[32*k +: 32] + seen;
            wraps[k] = place < rate;
        end
        turn = wraps;
    end

    always @(posedge clk)
        if (starting) words[j] <= first_words[j];
        else if (tick) words[j] <= grown;
endmodule
