    ${name}_tape tape (.clk(clocked), .rst(rst), .tossing(tossing), .any(any));
