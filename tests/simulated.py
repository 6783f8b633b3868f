"""Verilog, simulated by Icarus when a test asks for it. A test without Icarus is skipped."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from adtm.export.verilog.infer import inference
from adtm.export.verilog.table import port_of
from adtm.export.verilog.voting import answer_bits, vote_bits
from adtm.rules import RuleSet

BENCHES = Path(__file__).parent / "native"
Ports = list[tuple[str, int]]  # name and width, the lowest bits of a row first

#: A core behind AXI, its status, a count of its answers, and a task that sends beats of zeros.
_AXI = """`timescale 1ns / 1ns
module bench;
    reg clk = 0, rst = 1, valid = 0, last = 0;
    reg [3:0] address = 0;
    wire [31:0] status;
    wire given;
    integer answers = 0;
    always #1 clk = ~clk;
    always @(posedge clk) if (given) answers = answers + 1;
    m_axi dut (
        .aclk(clk), .aresetn(~rst), .s_axis_tdata({width}'b0), .s_axis_tvalid(valid), .s_axis_tlast(last),
        .s_axis_tready(), .m_axis_tdata(), .m_axis_tvalid(given), .m_axis_tlast(), .m_axis_tready(1'b1),
        .s_axi_araddr(address), .s_axi_arvalid(1'b1), .s_axi_arready(), .s_axi_rdata(status),
        .s_axi_rresp(), .s_axi_rvalid(), .s_axi_rready(1'b1)
    );
    task send(input integer beats);
        repeat (beats) begin
            valid = 1;
            beats = beats - 1;
            last = beats == 0;
            @(negedge clk) valid = 0;
        end
    endtask
"""


def axi_bench(test: str, *, width: int) -> str:
    """A testbench of ``m_axi``, whose beats have so many bits, that does what a test says."""
    return f"{_AXI.format(width=width)}{test}endmodule\n"


def simulate(folder: Path, *sources: Path, defines: Mapping[str, object] | None = None) -> list[str]:
    """The lines that a simulation of these files prints; it runs in the folder."""
    if shutil.which("iverilog") is None:
        pytest.skip("needs iverilog: install iverilog")
    flags = [f"-D{name}={value}" for name, value in (defines or {}).items()]
    command = ["iverilog", "-g2005", "-Wall", "-Wno-timescale", *flags, "-o", "simulation", *map(str, sources)]
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    assert not made.stderr, made.stderr
    done = subprocess.run(["vvp", "-n", "simulation"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-500:]
    return done.stdout.splitlines()


def check_synthesisable(text: str, top: str, folder: Path, *first: str, latches: int = 0) -> None:
    """yosys takes the Verilog as hardware, after ``first``, and finds nothing wrong in it, and so many latches."""
    pytest.importorskip("pyosys", reason="needs pyosys: pip install '.[hw]'")
    (folder / "circuit.v").write_text(text, encoding="ascii")
    commands = [
        "read_verilog circuit.v",
        *first,
        f"hierarchy -check -top {top}",
        "proc",
        "flatten",
        "opt_clean",
        "check -assert",
        f"select -assert-count {latches} t:$dlatch",
    ]
    (folder / "script.ys").write_text("\n".join(commands) + "\n", encoding="ascii")
    program = "from pyosys import libyosys as y; y.run_pass('script script.ys', y.Design())"
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-500:]


def check_lint(text: str, top: str, folder: Path) -> None:
    """Verilator, which reads Verilog as SystemVerilog with its many more words, has nothing to say about it."""
    if shutil.which("verilator") is None:
        pytest.skip("needs verilator: install verilator")
    (folder / f"{top}.v").write_text(text, encoding="ascii")
    command = ["verilator", "--lint-only", "-Wall", "--top-module", top, f"{top}.v"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def write_bits(path: Path, *columns: np.ndarray) -> None:
    """A file for $readmemb: a row for each sample, the first column of bits being the lowest."""
    bits = np.hstack([column.reshape(len(column), -1).astype(np.uint8) for column in columns])[:, ::-1]
    path.write_text("\n".join("".join(map(str, row)) for row in bits.tolist()) + "\n", encoding="ascii")


def write_words(path: Path, words: np.ndarray) -> None:
    """A file for $readmemh."""
    path.write_text("\n".join(f"{int(word):x}" for word in words) + "\n", encoding="ascii")


def unpacked(row: str, bits: int, low: int, n: int) -> list[int]:
    """States from the digits of a row, which holds the lowest bits of all states first."""
    digits = f"{int(row, 16):0{bits * n}b}"[::-1]
    return [sum(int(digits[b * n + k]) << b for b in range(bits)) - low for k in range(n)]


# ---- circuits that answer --------------------------------------------------------------------------------------------


ASKING_ROWS = """
    initial begin
        $readmemh("rows.txt", rows);
        for (i = 0; i < {n}; i = i + 1) begin
            row = rows[i];
            #1 {said}
        end
    end
"""
# Rows are pixels; now and then none comes.
ASKING_IMAGES = """
    reg clk = 0, rst = 1, valid = 0;
    wire done;
    always #1 clk = ~clk;
    always @(posedge clk) if (done) {said}
    initial begin
        $readmemh("rows.txt", rows);
        repeat (2) @(negedge clk);
        rst = 0;
        for (i = 0; i < {n}; i = i + 1) begin
            valid = i % 7 != 3;
            row = ~rows[i];
            if (~valid) @(negedge clk);
            valid = 1;
            row = rows[i];
            @(negedge clk);
        end
        valid = 0;
        repeat (2) @(negedge clk);
        $finish(0);
    end
"""


def asked_circuit(
    rules: RuleSet, folder: Path, module: str, ports: Ports, rows: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Votes and answers of the circuit for rows of bits, or for images of such pixels; of labels 0 and 1 for each."""
    (folder / "machine.v").write_text(inference(rules, name="machine"), encoding="ascii")
    width, n = sum(bits for _, bits in ports), rules.outputs.n_votes
    (folder / "rows.txt").write_text("\n".join(f"{row:x}" for row in rows) + "\n", encoding="ascii")
    places = np.cumsum([0] + [bits for _, bits in ports]).tolist()
    wires = [f".{port}(row[{at} +: {bits}])" for (port, bits), at in zip(ports, places[:-1], strict=True)]
    wires += [f".vote{v}(vote{v})" for v in range(n)]
    wires += [f".{each}({each})" for each in ("clk", "rst", "valid", "done") if rules.patch is not None]
    votes = ", ".join(f"vote{v}" for v in range(n))
    asking = ASKING_ROWS if rules.patch is None else ASKING_IMAGES
    (folder / "bench.v").write_text(
        f"""`timescale 1ns / 1ns
module bench;
    reg [{width - 1}:0] rows [0:{len(rows) - 1}];
    reg [{width - 1}:0] row;
    wire signed [{vote_bits(rules) - 1}:0] {votes};
    wire [{answer_bits(rules.outputs) - 1}:0] answer;
    integer i;
{asking.format(n=len(rows), said=f'$display("{"%0d " * n}%0d", {votes}, answer);')}
    {module} dut ({", ".join(wires)}, .answer(answer));
endmodule
""",
        encoding="ascii",
    )
    lines = simulate(folder, folder / "machine.v", folder / "bench.v")
    said = [[int(number) for number in line.split()] for line in lines]
    cast, answers = np.array([row[:-1] for row in said]), [row[-1] for row in said]
    if rules.outputs.kind == "labels":
        return cast, np.array([[answer >> v & 1 for v in range(n)] for answer in answers])
    return cast, np.array(answers)


def pixel_port(rules: RuleSet, X: Any) -> tuple[Ports, list[int]]:
    """The port of the module over the bits of pixels, and what each pixel of all images gives it."""
    literals, planes = rules.literals(X), sum(column.n_bits for column in rules.channels)
    bits = literals.unpack()[:, : literals.n_features].reshape(len(literals), planes, -1)
    _, rows = feature_port(bits.transpose(0, 2, 1).reshape(-1, planes))
    return [("pixel", planes)], rows


def feature_port(features: np.ndarray) -> tuple[Ports, list[int]]:
    """The port of the module over Boolean features, and what each row gives it."""
    rows = [int("".join(map(str, row[::-1])), 2) for row in features.astype(int).tolist()]
    return [("features", features.shape[1])], rows


def table_ports(rules: RuleSet, frame: pd.DataFrame) -> tuple[Ports, list[int]]:
    """The ports of the module over the table, or over pixels, and what each row gives them."""
    ports: Ports = []
    rows = [0] * len(frame)
    at = 0

    def give(name: str, bits: int, values: list[int]) -> None:
        nonlocal at
        ports.append((name, bits))
        for i, value in enumerate(values):
            rows[i] |= value % 2**bits << at
        at += bits

    for j, column in enumerate(rules.channels):
        port, cells = port_of(column), frame.iloc[:, j].tolist()
        missing = [cell is None or cell != cell for cell in cells]
        if port.bits:
            known = [0 if gone else port.value(column, cell) for cell, gone in zip(cells, missing, strict=True)]
            give(f"x{j}", port.bits, known)
        if column.may_miss:
            give(f"x{j}_missing", 1, [int(gone) for gone in missing])
    return ports, rows
