module ${name}_view #(
    parameter FEATURES = $FEATURES, CLAUSES = $CLAUSES, INDEX = $INDEX, COUNT = $COUNT, BANK = 0
) (
    input  wire clk, rst, starting, takes,   // a clause starts; a sample comes
    input  wire voting, looks, walks,        // what it says is asked for; a patch is looked for; on to the next patch
    input  wire tick, passes,                // the clause has moved; it is done with
    input  wire [$last_given:0] features,
    input  wire [INDEX-1:0] j,
    input  wire [COUNT-1:0] says,
    input  wire fires,
    output wire [FEATURES-1:0] sees,         // what the clause sees
    output wire [COUNT-1:0] most,            // the most that it says so far,
    output wire any,                         // and whether that is anything
    output wire last, here, known            // the last patch; the one to learn from; and whether that can be told
);
