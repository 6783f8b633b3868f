// What a clause starts with: every automaton just includes its literal, or just excludes it; coins that are tossed when
// the circuit is made.
$start_ports
    reg [LITERALS-1:0] coins [0:CLAUSES-1];
    reg [31:0] drawn;
$word_function
$absorb_function
    integer a, k;
    initial
        for (a = 0; a < CLAUSES; a = a + 1)
            for (k = 0; k < LITERALS; k = k + 1) begin
                drawn = word(absorb(absorb(64'h$START_KEY, BANK), a), k / 32);
                coins[a][k] = drawn[k % 32];
            end
    assign first = {coins[j], {BITS-1{~coins[j]}}};
endmodule
