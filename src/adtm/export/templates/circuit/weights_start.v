            for (o = 0; o < OUTPUTS; o = o + 1) // 1 or -1
                weights[j][BITS*o +: BITS] <= {{BITS-1{$first_against}}, 1'b1};
