    function [63:0] clock(input integer a); // clauses start at even distances on the coin tape
        clock = a * 64'd$D / CLAUSES;
    endfunction
