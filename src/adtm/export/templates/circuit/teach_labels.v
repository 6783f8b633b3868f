    // Every bank learns whether its label is there.
    assign ready = ~busy & &idle;
    assign up = target;
    assign goes = {$BANKS{1'b1}};
