
// The same from $columns_of. Numbers are fixed-point, rounded up and clamped to their port: no comparison
// changes by it. A category is its place in the list.
module ${name}_$outer (
$inputs$ports
$outputs
);
    reg [$last_input:0] features;
    always @* features = {
$tests
    };
    $name machine (.$input(features), $wires);
endmodule
