    function [31:0] word(input [63:0] key, input [31:0] i); // a hash, worked out when the circuit is made
        reg [31:0] x;
        begin
            x = i ^ key[31:0];
            x = (x ^ (x >> 16)) * 32'h21F0AAAD + key[63:32];
            x = (x ^ (x >> 15)) * 32'h735A2D97;
            word = x ^ (x >> 15);
        end
    endfunction
