    reg [$last_waiting:0] waiting$bank;
    reg [$last_cast:0] cast_now$bank;
    reg [$last_weight:0] weights$bank;
    reg [$last_vote_bit:0] $added, $totals;
    always @(posedge clk) if (moves) begin
        if (whole) waiting$bank <= {$waiting};
        else waiting$bank <= waiting$bank >> $shift;
        cast_now$bank <= waiting$bank[$last_cast:0];
        case (turn)
$cases
            default: weights$bank <= 0;
        endcase
$adding
    end
    always @(posedge clk) if (moves & on_b) begin
$summing
    end
