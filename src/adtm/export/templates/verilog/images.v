// $name: a trained Tsetlin machine that answers about images, which run through it pixel by pixel. $made_by
// $what
// An image comes row by row, one pixel in every cycle with `valid`: its bits. In the cycle after its last pixel `done`
// is high; votes and answer stay until the first patch of the next image is there.
// $answers
/* verilator lint_off DECLFILENAME */ // all modules stand in one file
/* verilator lint_off UNUSED */ // no rule may look at some of the features

// Counts pixels along one side of an image, and the patches that they complete.
module ${name}_side #(
    parameter PIXELS = 1, PATCH = 1, STRIDE = 1, BITS = 1
) (
    input  wire clk, rst, step,
    output wire last, complete,
    output reg  [BITS-1:0] place // of the patch that is complete, or comes next
);
    reg [BITS-1:0] pixel, left; // left: pixels until a patch is complete
    assign last = pixel == PIXELS - 1;
    assign complete = left == 0;
    always @(posedge clk)
        if (rst | step & last) begin
            pixel <= 0;
            left <= PATCH - 1;
            place <= 0;
        end else if (step) begin
            pixel <= pixel + 1'b1;
            left <= complete ? STRIDE - 1 : left - 1'b1;
            place <= place + {{BITS-1{1'b0}}, complete};
        end
endmodule

module $name (
    input  wire clk, rst, valid,
    input  wire [$last_input:0] pixel,
    output reg  done,
    output wire signed [$last_vote_bit:0] $vote_ports,
    output wire [$last_answer_bit:0] answer
);
    wire [$last_row_bit:0] row;
    wire [$last_column_bit:0] column;
    wire below, beside, last_row, last_column;
    wire there = valid & below & beside, first = row == 0 & column == 0; // a patch is there; it is the image's first
    ${name}_side #(.PIXELS($height), .PATCH($patch_height), .STRIDE($stride_down), .BITS($row_bits)) rows (
        .clk(clk), .rst(rst), .step(valid & last_column), .last(last_row), .complete(below), .place(row)
    );
    ${name}_side #(.PIXELS($width), .PATCH($patch_width), .STRIDE($stride_right), .BITS($column_bits)) columns (
        .clk(clk), .rst(rst), .step(valid), .last(last_column), .complete(beside), .place(column)
    );
    always @(posedge clk) done <= ~rst & valid & last_row & last_column;

    // The newest pixel and those before it, as many as lie between the first and the last of a patch.
$window

    // The features of the patch: its pixels, row > 0, row > 1, ..., column > 0, column > 1, ...
    wire [$last_feature:0] features = {$patch};

    // What a tolerant rule casts, by the number of its failed literals.
$tables

    // What each rule casts.
$logic

    // What it casts at its best place of the image.
$held

    // Votes, what the rules cast times their weights, and the answer.
$sums
$votes
endmodule
$table
