    localparam [LITERALS*32-1:0] PHASES = $CLAUSE_PHASES;
    localparam [63:0] RATE = 64'd$RATE, ROUND = 64'd1 << 32, S = ROUND / RATE;
    localparam [63:0] WORD = 64'd$FIRST_TURN, FIRST_SLOT = WORD / RATE;
    localparam BITS = $$clog2(S + 1);
    function [63:0] place(input integer k); // of automaton k on the circle
        place = (ROUND - {32'b0, PHASES[32*k +: 32]}) % ROUND;
    endfunction
