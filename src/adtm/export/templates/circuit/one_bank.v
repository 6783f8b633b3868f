    ${name}_bank #(.BANK($b)) bank$b (
        .clk(clk), .rst(rst), .features(features), .target(up[$b]), .learn(learn), .valid(takes & goes[$b]),
        .ready(idle[$b]), .done(), .vote(vote$b)
    );
