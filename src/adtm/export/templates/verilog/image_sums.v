    reg [$last_waiting:0] waiting$bank;
    reg [$last_cast:0] cast_read$bank, cast_now$bank;
    reg [$last_weight:0] read$bank, weights$bank; // read from a memory, which takes most of a cycle, and then used
    reg [$last_vote_bit:0] $added, $totals;
    always @(posedge clk) if (moves) begin
        if (whole) waiting$bank <= {$waiting};
        else waiting$bank <= waiting$bank >> $shift;
        cast_read$bank <= waiting$bank[$last_cast:0];
        {cast_now$bank, weights$bank} <= {cast_read$bank, read$bank};
        case (turn)
$cases
            default: read$bank <= 0;
        endcase
$adding
    end
    always @(posedge clk) if (moves & on_c) begin
$summing
    end
