// $BANKS banks side by side, one for each $of, which learn from the same samples. A sample is taken in a cycle with
// `valid` and `ready`: its features, and as `target` $target_is. `done` is high for one cycle when
// all have finished, one cycle later than the last bank; with `learn` low nothing is learned, and the votes are those of
// the sample.
module $name (
$ports
);
    wire [$last_bank:0] idle, goes, up; // a bank waits; it learns from this sample, and that its vote should rise
    reg busy;
    wire takes = valid & ready;
    always @(posedge clk) begin
        busy <= ~rst & (busy ? ~&idle : takes);
        done <= ~rst & busy & &idle;
    end

$teaching

$banks
endmodule
