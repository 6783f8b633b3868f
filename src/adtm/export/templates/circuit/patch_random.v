    // A draw under the key of the clause and its updates, where there is something to choose.
$absorb_function
    localparam [63:0] STRIDE = 64'h9E3779B97F4A7C15;
    reg [63:0] keys [0:CLAUSES-1], first_keys [0:CLAUSES-1];
    integer a;
    initial
        for (a = 0; a < CLAUSES; a = a + 1)
            first_keys[a] = absorb(absorb(64'h$PATCH_KEY, BANK), a) + STRIDE * (clock(a) + 64'd1);
    reg begun;
    wire there;
    wire [31:0] drawn;
    wire asks = looks & count != 1;
    assign known = there | count == 1;
    assign word = drawn & {32{there}};
    ${name}_draws draws (
        .clk(clk), .rst(rst), .absorbs(asks & ~begun), .asks(asks & begun), .taken(passes), .sum(keys[j]),
        .place(32'b0), .key(), .word(drawn), .keyed(), .there(there)
    );
    always @(posedge clk) begin
        begun <= ~rst & ~passes & (begun | asks);
        if (starting) keys[j] <= first_keys[j];
        else if (tick) keys[j] <= keys[j] + STRIDE;
    end
