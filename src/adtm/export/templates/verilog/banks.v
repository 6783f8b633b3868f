// $BANKS banks side by side, one for each $of, which learn from the same samples. A sample is taken in a cycle with
// `valid` and `ready`: its features, and as `target` $target_is. `done` is high for one cycle when
// all have finished; with `learn` low nothing is learned, and the votes are those of the sample.
module $name (
    input  wire clk, rst,
    input  wire [$last_feature:0] features,
    input  wire [$last_target_bit:0] target,
    input  wire learn, valid,
$epoch_port    output wire ready,
    output reg  done,
    output wire signed [$last_vote_bit:0] $vote_ports
);
    localparam BANKS = $BANKS;
    wire [BANKS-1:0] idle, goes, up; // a bank waits; it learns from this sample, and that its vote should rise
    reg busy;
    wire takes = valid & ready;
    assign ready = ~busy & &idle;
    always @(posedge clk) begin
        busy <= ~rst & (busy ? ~&idle : takes);
        done <= ~rst & busy & &idle;
    end

$teaching

$banks
endmodule
