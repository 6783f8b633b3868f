    // The first of the others is drawn, for each sample before it comes: how far after the next class it is.
    localparam [63:0] STRIDE = 64'h9E3779B97F4A7C15;
    reg [63:0] sum; // of the strides of all samples
    reg due;
    wire [63:0] key;
    wire [63:0] scaled = {32'b0, key[63:32]} * (CLASSES - 1);
    wire [$last_place_bit:0] turn = scaled[32 +: $last_place_bit + 1];
    wire drawn;
    ${name}_bank_draws draws (
        .clk(clk), .rst(rst), .absorbs(due), .asks(1'b0), .taken(1'b0), .sum(sum), .place(32'b0),
        .key(key), .word(), .keyed(drawn), .there()
    );
    always @(posedge clk) begin
        due <= rst | takes & learn;
        if (rst) sum <= 64'h$OTHER_CLASS_KEY + STRIDE * 64'd$next_sample;
        else if (due) sum <= sum + STRIDE;
    end
