    localparam OTHERS = $OTHERS;
$turns
    assign ready = ~busy & idle & drawn;
    // The sample's own class learns that it is, then OTHERS others that it is not, along the circle of all others.
    reg [$last_place_bit:0] from; // how far after the next class they begin
    always @(posedge clk) if (takes) from <= turn;
    wire [$last_place_bit:0] own = {{$last_place_bit - $last_target_bit{1'b0}}, wanted};
    wire [$last_place_bit:0] ahead = at + 1'b1 + (learns & at == own ? from : 0);
    wire [$last_place_bit:0] round = ahead < CLASSES ? ahead : ahead - CLASSES;
    wire [$last_place_bit:0] beyond = round == CLASSES - 1 ? 0 : round + 1'b1;
    wire [$last_place_bit:0] begins = learn ? {{$last_place_bit - $last_target_bit{1'b0}}, target} : 0;
    wire [$last_place_bit:0] more = learn ? OTHERS : CLASSES - 1;
    wire [$last_place_bit:0] after = learns & round == own ? beyond : round;
    assign up = at == own;
