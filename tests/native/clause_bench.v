// Lets a training clause live through a trace, coins and turns fed from outside, and prints its states in every cycle.
`timescale 1ns / 1ns
module bench;
    reg clk = 0, rst = 1;
    reg [4*`LITERALS+1:0] trace [0:`CYCLES-1];
    reg [`LITERALS-1:0] literals, coins, turn, first;
    reg update = 0, type_i = 0;
    wire [`LITERALS-1:0] tossing;
    wire fires, tick;
    wire [`LITERALS*`BITS-1:0] states;
    machine_clause dut (.clk(clk), .rst(rst), .update(update), .type_i(type_i), .literals(literals), .coins(coins),
        .turn(turn), .first(first), .tossing(tossing), .fires(fires), .tick(tick), .states(states));
    integer t;
    initial begin
        $readmemb("trace.txt", trace);
        {update, type_i, first, turn, coins, literals} = trace[0];
        #1 clk = 1;
        #1 clk = 0;
        rst = 0;
        for (t = 0; t < `CYCLES; t = t + 1) begin
            {update, type_i, first, turn, coins, literals} = trace[t];
            #1 $display("%h %b %b %b", states, fires, tick, tossing);
            clk = 1;
            #1 clk = 0;
        end
    end
endmodule
