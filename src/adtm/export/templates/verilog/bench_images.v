    wire ready, valid;
    wire signed [$last_vote_bit:0] $vote_ports;
    wire [$last_answer_bit:0] answer;
    integer beat = 0;
    wire [$last_row_bit:0] row = rows[sent];
    wire shows = offers & (sent <= ROWS / 2 | noise[3]), last = beat == $last_beat; // pauses inside of images, too
    $name dut (
        .clk(clk), .rst(rst), .in_valid(shows), .in_last(last), .in_ready(ready), .pixels(row[$bus*beat +: $bus]),
        .in_whole(), .out_valid(valid), .out_ready(takes), $vote_wires, .answer(answer)
    );
    always @(posedge clk) if (shows & ready) beat <= last ? 0 : beat + 1;
    assign taken = shows & ready & last;
    assign given = valid & takes;
    assign right = {answer, $votes_down} == wanted[got];
    assign counted = 1'b1;
