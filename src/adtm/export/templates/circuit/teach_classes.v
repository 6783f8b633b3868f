    localparam CLASSES = $BANKS, OTHERS = $OTHERS;
$turns
    assign ready = ~busy & &idle & drawn;
    // The sample's own class learns that it is, OTHERS others that it is not.
    wire [$last_place_bit:0] own = {{$last_place_bit - $last_target_bit{1'b0}}, target};
    genvar b;
    generate
        for (b = 0; b < CLASSES; b = b + 1) begin : classes
            // How far it is from the sample's own class, round the end; and how long until the turn comes to it.
            wire [$last_place_bit:0] round = b + CLASSES - 1 - own, far = round - (round < CLASSES ? 0 : CLASSES);
            wire [$last_place_bit:0] circle = far + CLASSES - 1 - turn;
            wire [$last_place_bit:0] wait_for = circle - (circle < CLASSES - 1 ? 0 : CLASSES - 1);
            assign up[b] = b == target;
            assign goes[b] = ~learn | up[b] | wait_for < OTHERS;
        end
    endgenerate
