"""A core for images, several pixels in a cycle, gives the model's votes and answers, alone and behind AXI."""

from __future__ import annotations

from pathlib import Path

import pytest

from adtm.export import verilog
from adtm.export.verilog.core import latency_of, stages_of
from adtm.export.verilog.images import beats_of
from simulated import axi_bench, check_lint, check_synthesisable, simulate
from test_export_patches import trained
from test_export_verilog_core import ran


@pytest.mark.parametrize(
    ("case", "pixels", "axi"),
    [
        ("Boolean pixels, two classes", 1, True),
        ("Boolean pixels, two classes", 9, False),
        ("grey pixels, three classes", 2, True),
        ("grey pixels, three classes", 3, False),
        ("channels and strides", 1, True),
        ("learned weights", 7, False),
        ("clauses shared by all classes", 7, True),
        ("lines longer than a word", 5, False),
        ("a patch as large as its image", 1, True),
        ("a patch of one pixel", 2, False),
        ("sequences", 5, True),
        ("sequences with channels", 4, True),
    ],
)
def test_images_get_the_votes_and_answers_of_the_model(case: str, pixels: int, axi: bool, tmp_path: Path) -> None:
    machine, X = trained(case)
    beats, latency = beats_of(machine.rules(), pixels), latency_of(machine, pixels=pixels)
    said = f"PASS: 10 rows, {latency} cycles from a row to its answer, {5 * beats} cycles for 5 rows"
    assert ran(tmp_path, machine, X[:10], pixels=pixels, axi=axi) == said


@pytest.mark.parametrize("pipeline", [9, 40])
def test_any_number_of_stages_gives_the_same(pipeline: int, tmp_path: Path) -> None:
    machine, X = trained("grey pixels, three classes")
    said = ran(tmp_path, machine, X[:6], pixels=2, pipeline=pipeline)
    assert stages_of(machine, pipeline, pixels=2) == pipeline
    assert said.startswith(f"PASS: 6 rows, {latency_of(machine, pipeline, pixels=2)} cycles")


def test_a_testbench_without_images_makes_some_of_every_brightness(tmp_path: Path) -> None:
    machine, _ = trained("Boolean pixels, two classes")
    assert ran(tmp_path, machine, None, pixels=3).startswith("PASS: 20 rows")


SENDS = """\
    initial begin
        repeat (2) @(negedge clk);
        rst = 0;
        send(24); // the last beat is in the stages when the machine is reset: it has no answer
        rst = 1;
        @(negedge clk) rst = 0;
        send(24); send(7); send(48); send(25); send(24); send(24);
        repeat (60) @(negedge clk);
        for (address = 4; address < 12; address = address + 4) begin
            repeat (2) @(negedge clk);
            $display("%0d", status);
        end
        repeat (2) @(negedge clk);
        $display("%0d %0d", status, answers);
        $finish;
    end
"""


def test_images_of_a_wrong_length_are_dropped_and_counted(tmp_path: Path) -> None:
    machine, _ = trained("Boolean pixels, two classes")
    (tmp_path / "m.v").write_text(verilog.core(machine, name="m", axi=True, pixels=3), encoding="ascii")
    (tmp_path / "bench.v").write_text(axi_bench(SENDS, width=8), encoding="ascii")
    assert simulate(tmp_path, tmp_path / "m.v", tmp_path / "bench.v") == ["3", "3", "3 3"]


@pytest.mark.parametrize(("case", "pixels"), [("learned weights", 7), ("sequences", 10)])
def test_a_linter_finds_nothing_in_the_core_and_yosys_no_latch(case: str, pixels: int, tmp_path: Path) -> None:
    text = verilog.core(trained(case)[0], name="m", pixels=pixels, axi=True)
    check_lint(text, "m_axi", tmp_path)
    check_synthesisable(text, "m_axi", tmp_path)


def test_what_is_no_core_is_refused() -> None:
    machine, _ = trained("Boolean pixels, two classes")
    for pixels in (0, 2, 18):
        with pytest.raises(ValueError, match=f"pixels must divide the width of an image, 9, got {pixels}"):
            verilog.core(machine, pixels=pixels)
    with pytest.raises(ValueError, match="from 9 to 64 for a machine with patches, got 8"):
        verilog.core(machine, pipeline=8)


def test_all_copies_of_the_rules_count_for_the_size_of_a_core(monkeypatch: pytest.MonkeyPatch) -> None:
    machine, _ = trained("grey pixels, three classes")
    size = sum(len(rule.literals) for rule in machine.rules().rules)
    monkeypatch.setattr("adtm.export.verilog.infer.MOST_LITERALS", 2 * size)
    verilog.core(machine, pixels=2)
    with pytest.raises(ValueError, match=f"may have at most {2 * size} literals together, got {3 * size}"):
        verilog.core(machine, pixels=3)
