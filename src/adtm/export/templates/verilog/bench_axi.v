    wire ready, valid;
    wire [$last_out_bit:0] answer;
    wire [31:0] status;
    integer beat = 0;
    wire [$last_row_bit:0] row = rows[sent];
    wire last = beat == $last_beat;
    ${name}_axi dut (
        .aclk(clk), .aresetn(~rst), .s_axis_tdata(row[$bus*beat +: $bus]), .s_axis_tvalid(offers), .s_axis_tlast(last),
        .s_axis_tready(ready), .m_axis_tdata(answer), .m_axis_tvalid(valid), .m_axis_tlast(), .m_axis_tready(takes),
        .s_axi_araddr(4'h8), .s_axi_arvalid(1'b1), .s_axi_arready(), .s_axi_rdata(status), .s_axi_rresp(),
        .s_axi_rvalid(), .s_axi_rready(1'b1)
    );
    always @(posedge clk) if (offers & ready) beat <= last ? 0 : beat + 1;
    assign taken = offers & ready & last;
    assign given = valid & takes;
    assign right = answer == wanted[got];
    assign counted = status == ROWS;
