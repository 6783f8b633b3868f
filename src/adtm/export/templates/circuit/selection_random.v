// Which clauses learn: those whose word, a draw under the key of the step, lies below the threshold.
$selection_ports
    localparam [63:0] STRIDE = 64'h9E3779B97F4A7C15, STEPS = $steps; // steps so far
$absorb_function
    localparam [63:0] FIRST = absorb(64'h$SELECT_KEY, BANK) + STRIDE * (STEPS + 64'd1);
    reg [63:0] sum; // of the strides of all steps
    wire [31:0] word;
    ${name}_draws draws (
        .clk(clk), .rst(rst), .absorbs(aims & part), .asks(asks), .taken(passes), .sum(sum),
        .place({{32-INDEX{1'b0}}, j}), .key(), .word(word), .keyed(), .there(known)
    );
    assign selected = word < threshold;
    always @(posedge clk)
        if (rst) sum <= FIRST;
        else if (aims) sum <= sum + STRIDE;
endmodule
