// The same behind AXI4-Stream: a row comes in $beats beats of 32 bits, the lowest bits first, and each answer is a packet
// of one beat. `tlast` ends a row: a row of another length is dropped, and counted. AXI4-Lite reads at 0x0 the letters
// "ADTM", at 0x4 the rows that were taken, at 0x8 the answers that were given, at 0xC the rows that were dropped.
module ${name}_axi (
    input  wire aclk, aresetn,
    input  wire [31:0] s_axis_tdata,
    input  wire s_axis_tvalid, s_axis_tlast,
    output wire s_axis_tready,
    output wire [$last_out_bit:0] m_axis_tdata,
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
    // ---- beats to rows ----
    reg [$last_held_bit:0] held;
    reg [$last_count_bit:0] beat; // how many of the row are there
    reg whole, wrong; // a row is there; the one that comes is too long
    wire ready;
    wire takes = s_axis_tvalid & s_axis_tready, last = beat == $last_beat;
    assign s_axis_tready = ~whole | ready;
    always @(posedge aclk) if (takes) held <= $shifted;
    always @(posedge aclk)
        if (~aresetn) {whole, wrong, beat} <= 0;
        else if (takes) begin
            whole <= last & s_axis_tlast & ~wrong;
            wrong <= ~s_axis_tlast & (wrong | last);
            beat <= s_axis_tlast | last ? 0 : beat + 1'b1;
        end else if (ready) whole <= 1'b0;

    // ---- the machine ----
    wire [$last_answer_bit:0] answer;
    $name machine (
        .clk(aclk), .rst(~aresetn), .in_valid(whole), .in_ready(ready), .row(held[$last_row_bit:0]),
        .out_valid(m_axis_tvalid), .out_ready(m_axis_tready), $vote_wires, .answer(answer)
    );
    assign m_axis_tdata = $padding;
    assign m_axis_tlast = 1'b1;

$status
endmodule
