// What a clause sees: the sample.
$view_ports
    reg [FEATURES-1:0] kept;
    always @(posedge clk) if (takes) kept <= features;
    assign sees = kept;
    assign most = says;
    assign any = fires;
    assign {last, here, known} = 3'b111;
endmodule
