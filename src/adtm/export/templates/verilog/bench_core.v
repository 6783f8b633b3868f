    wire ready, valid;
    wire signed [$last_vote_bit:0] $vote_ports;
    wire [$last_answer_bit:0] answer;
    $name dut (
        .clk(clk), .rst(rst), .in_valid(offers), .in_ready(ready), .row(rows[sent]), .out_valid(valid),
        .out_ready(takes), $vote_wires, .answer(answer)
    );
    assign taken = offers & ready;
    assign given = valid & takes;
    assign right = {answer, $votes_down} == wanted[got];
    assign counted = 1'b1;
