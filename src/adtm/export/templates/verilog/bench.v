// Shows rows to $name and compares what it says with what the model says; $made_by
// The first half comes without a pause, the others with pauses on both sides. It prints PASS or FAIL at the end.
//   $$ iverilog -g2005 -o sim $file.v ${file}_tb.v && vvp -n sim
//   $$ verilator --binary --timing -Wno-fatal --top-module ${name}_tb $file.v ${file}_tb.v && obj_dir/V${name}_tb
`timescale 1ns / 1ps
module ${name}_tb;
    localparam ROWS = $n_rows;
    reg clk = 0, rst = 1;
    reg [$last_row_bit:0] rows [0:ROWS-1];
    reg [$last_wanted_bit:0] wanted [0:ROWS-1]; // $wanted_is
    reg [15:0] noise = 16'hACE1; // decides who pauses when
    reg offers = 0, takes = 0;   // a row is offered; an answer would be taken
    wire taken, given, right, counted;
    integer sent = 0, got = 0, wrong = 0, cycle = 0, first_sent = 0, latency = 0, half = 0;
    initial begin
        $$readmemh("${file}_rows.hex", rows);
        $$readmemh("${file}_answers.hex", wanted);
        repeat (4) @(posedge clk);
        rst <= 0;
    end
    always #5 clk = ~clk;
    wire [31:0] later = sent + (taken ? 1 : 0);
    always @(posedge clk) begin
        cycle <= cycle + 1;
        noise <= {noise[14:0], noise[15] ^ noise[13] ^ noise[12] ^ noise[10]};
        if (taken | ~offers) offers <= ~rst & later < ROWS & (later <= ROWS / 2 | noise[0]);
        takes <= got <= ROWS / 2 | noise[5];
        if (taken) begin
            if (sent == 0) first_sent <= cycle;
            sent <= sent + 1;
        end
        if (given) begin
            if (got == 0) latency <= cycle - first_sent;
            if (got == ROWS / 2) half <= cycle - first_sent - latency;
            if (~right) begin
                wrong <= wrong + 1;
                $$display("row %0d: the model says %h", got, wanted[got]);
            end
            got <= got + 1;
        end
    end
    initial begin
        wait (got == ROWS);
        repeat (4) @(posedge clk);
        if (wrong == 0 & counted)
            $$display("PASS: %0d rows, %0d cycles from a row to its answer, %0d cycles for %0d rows", got, latency, half,
                ROWS / 2);
        else $$display("FAIL: %0d of %0d rows are wrong", wrong, got);
        $$finish;
    end
    initial begin
        repeat (1000 + $patience * ROWS) @(posedge clk);
        $$display("FAIL: %0d of %0d answers came", got, ROWS);
        $$finish;
    end

$machine
endmodule
