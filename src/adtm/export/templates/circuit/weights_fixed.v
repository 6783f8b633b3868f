// What a clause adds to the vote: what it casts, or its opposite.
$weights_ports
    assign against = $first_against;
    assign adds = against ? -cast : cast;
endmodule
