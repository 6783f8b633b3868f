    function [63:0] absorb(input [63:0] key, input [31:0] x); // a key with one more coordinate
        reg [63:0] z;
        begin
            z = key + 64'h9E3779B97F4A7C15 * ({32'b0, x} + 64'd1);
            z = (z ^ (z >> 30)) * 64'hBF58476D1CE4E5B9;
            z = (z ^ (z >> 27)) * 64'h94D049BB133111EB;
            absorb = z ^ (z >> 31);
        end
    endfunction
