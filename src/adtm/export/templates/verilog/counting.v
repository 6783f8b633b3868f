            reg [COUNT-1:0] size, failed;
            integer k;
            always @* begin
                size = 0;
                failed = 0;
                for (k = 0; k < LITERALS; k = k + 1) begin
                    size = size + included[k];
                    failed = failed + (included[k] & ~literals[k]);
                end
            end
