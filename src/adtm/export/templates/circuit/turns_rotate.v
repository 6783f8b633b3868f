    // Others learn from the samples of a class in turn, OTHERS from each, one further in every epoch.
    reg [$last_place_bit:0] first; // where the turns of this epoch begin
    reg [$last_place_bit:0] turns [0:CLASSES-1]; // of each class: which of the others, counted from the next one on
    wire [$last_place_bit:0] turn = turns[target], later = first == CLASSES - 2 ? 0 : first + 1'b1;
    wire [$last_place_bit:0] onward = turn + OTHERS - (turn + OTHERS < CLASSES - 1 ? 0 : CLASSES - 1);
    wire drawn = 1'b1;
    always @(posedge clk) if (rst | end_epoch) first <= rst ? $first_turn : later;
    genvar c;
    generate
        for (c = 0; c < CLASSES; c = c + 1) begin : each
            always @(posedge clk)
                if (rst | end_epoch) turns[c] <= rst ? $first_turn : later;
                else if (takes & learn & c == target) turns[c] <= onward;
        end
    endgenerate
