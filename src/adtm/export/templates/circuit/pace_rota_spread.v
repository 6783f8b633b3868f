    wire [BITS-1:0] by = 1;
