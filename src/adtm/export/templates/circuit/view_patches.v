// What a clause sees: the patches of an image, one after the other. The image turns round in a register whose lowest
// bits are the patch: a step on, at the end of a row to the next one, and after the last patch home.
$view_ports
    localparam HEIGHT = $height, WIDTH = $width, PLANES = $planes, H = $patch_height, W = $patch_width;
    localparam DOWN = $stride_down, RIGHT = $stride_right, ROWS = $rows, COLUMNS = $columns;
    localparam PIXELS = HEIGHT * WIDTH, SIZE = PIXELS * PLANES, NUMBER = $$clog2(ROWS * COLUMNS + 1);
    localparam STEP = PLANES * RIGHT, ROUND = PLANES * (DOWN * WIDTH - (COLUMNS - 1) * RIGHT);
    localparam HOME = SIZE - PLANES * ((ROWS - 1) * DOWN * WIDTH + (COLUMNS - 1) * RIGHT);
    reg [SIZE-1:0] image; // pixel after pixel, each with its bits; features come plane after plane
    reg [NUMBER-1:0] row, column;
    wire [SIZE-1:0] arranged;
    wire ends = column == COLUMNS - 1, first = row == 0 & column == 0;
    assign last = ends & row == ROWS - 1;
    genvar c, y, k;
    generate
        for (c = 0; c < PLANES; c = c + 1) begin : planes
            for (k = 0; k < PIXELS; k = k + 1) begin : pixels
                assign arranged[PLANES*k+c] = features[PIXELS*c+k];
            end
            for (y = 0; y < H; y = y + 1) begin : lines
                for (k = 0; k < W; k = k + 1) begin : seen
                    assign sees[(c*H+y)*W+k] = image[PLANES*(y*WIDTH+k)+c];
                end
            end
        end
        for (k = 0; k < ROWS - 1; k = k + 1) begin : below
            assign sees[PLANES*H*W+k] = row > k;
        end
        for (k = 0; k < COLUMNS - 1; k = k + 1) begin : beside
            assign sees[PLANES*H*W+ROWS-1+k] = column > k;
        end
    endgenerate
    always @(posedge clk)
        if (takes) image <= arranged;
        else if (walks & last) image <= image >> HOME | image << SIZE - HOME;
        else if (walks) image <= ends ? image >> ROUND | image << SIZE - ROUND : image >> STEP | image << SIZE - STEP;
    always @(posedge clk)
        if (rst | takes | walks & last) {row, column} <= 0;
        else if (walks) begin
            column <= ends ? 0 : column + 1'b1;
            row <= row + {{NUMBER-1{1'b0}}, ends};
        end

    // The most that it says to a patch, and how many hear that: kept of each clause while it votes.
    reg [COUNT-1:0] top;
    reg [NUMBER-1:0] tops;
    reg [NUMBER+COUNT-1:0] best [0:CLAUSES-1];
    wire more = first | says > top;
    wire [NUMBER-1:0] hear = more ? 1 : tops + {{NUMBER-1{1'b0}}, says == top};
    assign most = more ? says : top;
    assign any = |most;
    always @(posedge clk)
        if (voting) begin
            top <= most;
            tops <= hear;
            if (last) best[j] <= {hear, most};
        end

    // It learns from one of these: from number `count` * `word` / 2 ** 32, counted from 0.
    wire [NUMBER-1:0] count;
    wire [COUNT-1:0] highest;
    wire [31:0] word;
    wire [NUMBER+31:0] product = {32'b0, count} * {{NUMBER{1'b0}}, word};
    reg [NUMBER-1:0] seen; // of those it has passed by
    reg moved; // it has learned, and its word is that of the next update
    wire is_best = says == highest;
    assign {count, highest} = best[j];
    assign here = is_best & ~moved & seen == product[NUMBER+31:32];
    always @(posedge clk) moved <= ~rst & ~passes & (moved | tick);
    always @(posedge clk)
        if (rst | passes) seen <= 0;
        else if (looks & walks) seen <= seen + {{NUMBER-1{1'b0}}, is_best};
$clock_function
$patch_word
endmodule
