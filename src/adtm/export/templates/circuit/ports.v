    input  wire clk, rst,
    input  wire [$last_feature:0] features,
    input  wire [$last_target_bit:0] target,
    input  wire learn, valid,
$epoch_port    output wire ready,
    output reg  done,
    output wire signed [$last_vote_bit:0] $vote_ports
