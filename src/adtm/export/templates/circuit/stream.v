// The same from the pixels of images: one in every cycle with `valid` and `ready`, row by row; `target` and `learn` are
// those of the last. The next image may come while one is learned.
module $name (
$inputs    input  wire [$last_plane:0] pixel,
$outputs
);
    localparam PIXELS = $pixels, PLANES = $planes, NUMBER = $$clog2(PIXELS + 1);
    reg [PIXELS*PLANES-1:0] image;
    reg [NUMBER-1:0] there; // pixels
    reg [$last_target_bit:0] wanted;
    reg learns;
    wire idle;
    wire whole = there == PIXELS;
    assign ready = ~whole;
    genvar c;
    generate
        for (c = 0; c < PLANES; c = c + 1) begin : planes
            wire [PIXELS:0] longer = {pixel[c], image[PIXELS*c +: PIXELS]};
            always @(posedge clk) if (valid & ready) image[PIXELS*c +: PIXELS] <= longer[PIXELS:1];
        end
    endgenerate
    always @(posedge clk)
        if (rst | whole & idle) there <= 0;
        else if (valid & ready) begin
            there <= there + 1'b1;
            wanted <= target;
            learns <= learn;
        end
    ${name}_image learner (
        .clk(clk), .rst(rst), .features(image), .target(wanted), .learn(learns), .valid(whole), .ready(idle),
        .done(done), $own_wires
    );
endmodule
