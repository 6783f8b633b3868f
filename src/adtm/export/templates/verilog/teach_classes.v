    // The sample's own class learns that it is, OTHERS others that it is not: in turn, one further in every epoch.
    localparam OTHERS = $OTHERS;
    reg [$last_place_bit:0] first; // where the turns of this epoch begin
    reg [$last_place_bit:0] turns [0:BANKS-1]; // of each class: which of the others, counted from the next one on
    wire [$last_place_bit:0] turn = turns[target], later = first == BANKS - 2 ? 0 : first + 1'b1;
    wire [$last_place_bit:0] next = turn + OTHERS - (turn + OTHERS < BANKS - 1 ? 0 : BANKS - 1);
    always @(posedge clk) if (rst | end_epoch) first <= rst ? 0 : later;
    wire [$last_place_bit:0] own = {{$last_place_bit - $last_target_bit{1'b0}}, target};
    genvar b;
    generate
        for (b = 0; b < BANKS; b = b + 1) begin : classes
            // How far it is from the sample's own class, round the end; and how long until the turn comes to it.
            wire [$last_place_bit:0] round = b + BANKS - 1 - own, far = round - (round < BANKS ? 0 : BANKS);
            wire [$last_place_bit:0] wait_for = far - turn + (far < turn ? BANKS - 1 : 0);
            always @(posedge clk)
                if (rst | end_epoch) turns[b] <= rst ? 0 : later;
                else if (takes & learn & up[b]) turns[b] <= next;
            assign up[b] = b == target;
            assign goes[b] = ~learn | up[b] | wait_for < OTHERS;
        end
    endgenerate
