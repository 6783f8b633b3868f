// The library's draws: a key from its coordinates, and words of 32 bits under it. Each takes two multiplications by a
// constant, DIGIT bits of the constant in a cycle. All constants are odd, so that nothing is left of one only after its
// last digit. With `absorbs` a key is begun. Its last coordinate is a count, and `sum` the key of the others plus a
// stride for each of count + 1, so that whoever counts adds. With `asks` the word of `place` is begun, unless one is
// there; `taken` clears it away.
module ${name}_draws #(
    parameter DIGIT = 4 // of 32 bits 1, 2, 4, ...: larger is faster
) (
    input  wire clk, rst,
    input  wire absorbs, asks, taken,
    input  wire [63:0] sum,
    input  wire [31:0] place,
    output reg  [63:0] key,
    output reg  [31:0] word,
    output reg  keyed, there // a key, and a word under it
);
    reg busy, second, of_word; // which multiplication
    reg [63:0] factor, x, product;
    wire [63:0] grown = (product << DIGIT) + x * {{64-DIGIT{1'b0}}, factor[63 -: DIGIT]};
    wire [63:0] left = factor << DIGIT;
    wire [31:0] mixed = place ^ key[31:0], keyed_word = grown[31:0] + key[63:32];
    wire ends = left == 0;

    always @(posedge clk) begin
        if (rst | taken) there <= 1'b0;
        if (rst) begin
            busy <= 1'b0;
            keyed <= 1'b0;
        end else if (absorbs) begin
            busy <= 1'b1;
            keyed <= 1'b0;
            there <= 1'b0;
            {of_word, second} <= 2'b00;
            x <= sum ^ (sum >> 30);
            factor <= 64'hBF58476D1CE4E5B9;
        end else if (busy) begin
            factor <= left;
            if (ends) begin
                second <= 1'b1;
                busy <= ~second;
                x <= of_word ? {32'b0, keyed_word ^ (keyed_word >> 15)} : grown ^ (grown >> 27);
                factor <= of_word ? {32'h735A2D97, 32'b0} : 64'h94D049BB133111EB;
                if (second & of_word) begin
                    word <= grown[31:0] ^ (grown[31:0] >> 15);
                    there <= 1'b1;
                end else if (second) begin
                    key <= grown ^ (grown >> 31);
                    keyed <= 1'b1;
                end
            end
        end else if (asks & ~there) begin
            busy <= 1'b1;
            {of_word, second} <= 2'b10;
            x <= {32'b0, mixed ^ (mixed >> 16)};
            factor <= {32'h21F0AAAD, 32'b0};
        end
        product <= busy & ~ends ? grown : 64'b0;
    end
endmodule
