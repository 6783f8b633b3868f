// What a clause starts with: every automaton just excludes its literal.
$start_ports
    assign first = {{LITERALS{1'b0}}, {LITERALS*(BITS-1){1'b1}}};
endmodule
