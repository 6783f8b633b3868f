    // ---- status ----
    reg [31:0] rows, answers, dropped;
    assign s_axi_arready = ~s_axi_rvalid | s_axi_rready;
    assign s_axi_rresp = 2'b00;
    always @(posedge aclk)
        if (~aresetn) {rows, answers, dropped} <= 96'd0;
        else begin
            if ($taken) rows <= rows + 1'b1;
            if (m_axis_tvalid & m_axis_tready) answers <= answers + 1'b1;
            if ($dropped) dropped <= dropped + 1'b1;
        end
    always @(posedge aclk)
        if (~aresetn) s_axi_rvalid <= 1'b0;
        else if (s_axi_arready) begin
            s_axi_rvalid <= s_axi_arvalid;
            case (s_axi_araddr[3:2])
                2'd0: s_axi_rdata <= 32'h4144544D;
                2'd1: s_axi_rdata <= rows;
                2'd2: s_axi_rdata <= answers;
                default: s_axi_rdata <= dropped;
            endcase
        end
