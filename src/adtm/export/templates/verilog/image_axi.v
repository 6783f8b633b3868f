// The same behind AXI4-Stream: a beat has $pixels, `tlast` ends an image, and each answer is a packet of one beat. An image
// of another length is dropped. AXI4-Lite reads at 0x0 the letters "ADTM", at 0x4 the images that were taken, at 0x8 the
// answers that were given, at 0xC the images that were dropped.
module ${name}_axi (
    input  wire aclk, aresetn,
    input  wire [$bus:0] s_axis_tdata,
    input  wire s_axis_tvalid, s_axis_tlast,
    output wire s_axis_tready,
    output wire [$out_bus:0] m_axis_tdata,
    output wire m_axis_tvalid, m_axis_tlast,
    input  wire m_axis_tready,
    input  wire [3:0] s_axi_araddr,
    input  wire s_axi_arvalid,
    output wire s_axi_arready,
    output reg  [31:0] s_axi_rdata,
    output wire [1:0] s_axi_rresp,
    output reg  s_axi_rvalid,
    input  wire s_axi_rready
);
    wire [$last_answer_bit:0] answer;
    wire whole;
    wire comes = s_axis_tvalid & s_axis_tready & s_axis_tlast;
    $name machine (
        .clk(aclk), .rst(~aresetn), .in_valid(s_axis_tvalid), .in_last(s_axis_tlast), .in_ready(s_axis_tready),
        .pixels(s_axis_tdata[$last_bit:0]), .in_whole(whole), .out_valid(m_axis_tvalid), .out_ready(m_axis_tready),
        $vote_wires, .answer(answer)
    );
    assign m_axis_tdata = $padding;
    assign m_axis_tlast = 1'b1;

$status
endmodule
