    // ---- goal: a vote of T for class 1, of -T for class 0 ----
    localparam [VOTE-1:0] SPAN = 2 * T;
    assign rising = wanted;
    wire [VOTE-1:0] gap = rising ? TOP - clipped : TOP + clipped;
