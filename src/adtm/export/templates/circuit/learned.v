    function [$width-1:0] learned(input integer a);
        case (BANK * CLAUSES + a)
$cases
            default: learned = 0;
        endcase
    endfunction
    reg [$width-1:0] kept [0:CLAUSES-1];
    integer a;
    initial for (a = 0; a < CLAUSES; a = a + 1) kept[a] = learned(a);
