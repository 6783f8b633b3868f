// Shows samples to a learning circuit in the order of a file, and writes its states after each epoch and votes at the end.
// A sample is PIXELS pixels, row after row, now and then with a pause; a row of a table is one pixel.
`timescale 1ns / 1ns
module bench;
    reg clk = 0, rst = 1, valid = 0, learn = 1, end_epoch = 0;
    reg [`TARGET-1:0] target = 0;
    reg [`FEATURES-1:0] features;
    reg [`FEATURES/`PIXELS-1:0] pixel;
    wire ready, done;
    reg [`TARGET+`FEATURES-1:0] samples [0:`SAMPLES-1]; // the target is in the topmost bits
    reg [31:0] order [0:`EPOCHS*`SAMPLES-1];
    integer epoch, i, j, c, p, clocks, taken, most; // taken: in which cycle; most: cycles from one sample to the next
`include "shown.v" // the machine, its `states` and its `votes`
    always #1 clk = ~clk;
    always @(posedge clk) begin
        if (`PIXELS == 1 & valid & ready & learn) begin
            if (taken > 0 && clocks - taken > most) most = clocks - taken;
            taken = clocks;
        end
        if (end_epoch) taken = 0;
        clocks = clocks + 1;
    end

    task show(input [31:0] row);
        begin
            {target, features} = samples[row];
            for (p = 0; p < `PIXELS; p = p + 1) begin
                for (c = 0; c < `FEATURES / `PIXELS; c = c + 1) pixel[c] = features[`PIXELS*c+p];
                valid = 1;
                while (!ready) @(negedge clk);
                @(negedge clk) valid = 0;
                if (p % 5 == 3) @(negedge clk);
            end
            if (`PIXELS > 1) taken = clocks;
            while (!done) @(negedge clk);
            if (`PIXELS > 1 && clocks - taken > most) most = clocks - taken; // from the last pixel on
        end
    endtask

    initial begin
        clocks = 1;
        taken = 0;
        most = 0;
        $readmemb("samples.txt", samples);
        $readmemh("order.txt", order);
        repeat (3) @(negedge clk);
        rst = 0;
        for (epoch = 0; epoch < `EPOCHS; epoch = epoch + 1) begin
            for (i = 0; i < `SAMPLES; i = i + 1) show(order[epoch * `SAMPLES + i]);
            states;
            end_epoch = 1;
            @(negedge clk) end_epoch = 0;
        end
        learn = 0;
        for (i = 0; i < `SAMPLES; i = i + 1) begin
            show(i);
            votes;
        end
        $display("%0d cycles, at most %0d a sample", clocks, most);
        $finish;
    end
endmodule
