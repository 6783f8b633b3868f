    function [63:0] clock(input integer a); // updates of clause a so far
        case (BANK * CLAUSES + a)
$clocks
            default: clock = 0;
        endcase
    endfunction
