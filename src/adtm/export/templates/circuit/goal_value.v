    // ---- goal: a vote that is the target; all clauses learn from a distance of T on ----
    localparam [VOTE-1:0] SPAN = T;
    wire signed [VOTE-1:0] missing = $$signed({{VOTE-$last_wanted_bit-1{1'b0}}, wanted}) - clipped;
    assign rising = missing > 0;
    wire [VOTE-1:0] distance = rising ? missing : -missing;
    wire [VOTE-1:0] gap = distance < SPAN ? distance : SPAN;
