    // Words are running sums, from update to update of a clause; another one for every clause.
    reg [31:0] words [0:CLAUSES-1], first_words [0:CLAUSES-1];
    reg [63:0] updates;
    integer a;
    initial
        for (a = 0; a < CLAUSES; a = a + 1) begin
            updates = clock(a);
            first_words[a] = a * 32'h$CLAUSE_STRIDE + updates[31:0] * 32'h$SAMPLE_STRIDE;
        end
    assign word = words[j];
    assign known = 1'b1;
    always @(posedge clk)
        if (starting) words[j] <= first_words[j];
        else if (tick) words[j] <= words[j] + 32'h$SAMPLE_STRIDE;
