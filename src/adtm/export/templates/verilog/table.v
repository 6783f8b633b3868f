
// The same from $columns_of. Numbers are fixed-point, rounded up and clamped to their port: no comparison
// changes by it. A category is its place in the list.
module ${name}_$outer (
$clock_ports$ports
    output wire signed [$last_vote_bit:0] $vote_ports,
    output wire [$last_answer_bit:0] answer
);
    reg [$last_input:0] features;
    always @* features = {
$tests
    };
    $name machine ($clock_wires.$input(features), $vote_wires, .answer(answer));
endmodule
