// What a clause starts with: what it has learned.
$start_ports
$learned_rows
    assign first = kept[j];
endmodule
