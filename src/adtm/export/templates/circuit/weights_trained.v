
    function [OUTPUTS*BITS-1:0] learned(input integer a);
        case (BANK * CLAUSES + a)
$weights
            default: learned = 0;
        endcase
    endfunction
    reg [OUTPUTS*BITS-1:0] first [0:CLAUSES-1];
    integer a;
    initial for (a = 0; a < CLAUSES; a = a + 1) first[a] = learned(a);
