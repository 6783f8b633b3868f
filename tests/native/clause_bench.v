// Lets a training clause live through a trace and prints its states in every cycle: coins and selection are fed from
// outside, or, if WHOLE is defined, the clause selects itself and nobody tosses a coin.
`timescale 1ns / 1ns
module bench;
    reg clk = 0, rst = 1;
    reg [2*`LITERALS+35:0] trace [0:`CYCLES-1];
    reg [`LITERALS-1:0] literals, coins;
    reg [31:0] threshold;
    reg update = 0, type_i = 0, all = 0, part = 0;
    wire [`LITERALS-1:0] tossing;
    wire fires, tick;
    wire [`LITERALS*`BITS-1:0] states;
`ifdef WHOLE
    machine #(.SOURCE(0)) dut (.clk(clk), .rst(rst), .all(all), .part(part), .threshold(threshold), .type_i(type_i),
        .literals(literals), .fires(fires), .states(states));
    assign tick = dut.clause.tick, tossing = 0;
`else
    machine_clause dut (.clk(clk), .rst(rst), .update(update), .type_i(type_i), .literals(literals), .coins(coins),
        .tossing(tossing), .any(), .fires(fires), .tick(tick), .clocked(), .states(states));
`endif
    integer t;
    initial begin
        $readmemb("trace.txt", trace);
        {threshold, part, all, update, type_i, coins, literals} = trace[0];
        #1 clk = 1;
        #1 clk = 0;
        rst = 0;
        for (t = 0; t < `CYCLES; t = t + 1) begin
            {threshold, part, all, update, type_i, coins, literals} = trace[t];
            #1 $display("%h %b %b %b", states, fires, tick, tossing);
            clk = 1;
            #1 clk = 0;
        end
    end
endmodule
