"""A pipelined core, alone and behind AXI, gives the model's votes and answers; its testbench notices what is wrong."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from adtm import DETERMINISTIC, ADTMClassifier, ADTMRegressor, Booleanizer
from adtm.datasets import load_balance_scale, load_bankruptcy, load_heart
from adtm.export import verilog
from adtm.export.verilog.core import stages_of
from adtm.export.verilog.rows import decoded, layout, row_bits
from adtm.export.verilog.stages import ONE, Logic, Wire
from simulated import axi_bench, check_lint, check_synthesisable, simulate

Fitted = tuple[Any, Any]
SMALL = {"n_clauses": 10, "epochs": 3}


def mixed() -> Fitted:
    """Columns of every kind, with missing values, and three classes."""
    rng, n = np.random.default_rng(3), 200
    frame = pd.DataFrame(
        {
            "whole */ \\": rng.integers(-5, 5, n).astype(float),
            "colour": rng.choice(["red", "gr\u00fcn\n", "blue"], n).astype(object),
            "flag": rng.random(n) < 0.5,
            "missing": np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 9, n) / 4),
        }
    )
    y = np.select([frame["flag"] & (frame["colour"] == "red"), frame["missing"] > 0.3], ["a", "b"], "c")
    machine = ADTMClassifier(**SMALL, booleanizer=Booleanizer(missing="indicator")).fit(frame, y)
    asked = frame.copy()
    asked.loc[::7, "colour"] = "never seen"
    return machine, asked


def classifier(load: Any, **parameters: Any) -> Fitted:
    X, y = load(return_X_y=True)
    return ADTMClassifier(**{**DETERMINISTIC, **SMALL, **parameters}).fit(X, y), X


def value(**parameters: Any) -> Fitted:
    X, _ = load_heart(return_X_y=True)
    return ADTMRegressor(**{**SMALL, "shuffle": "weyl", **parameters}).fit(X[:, :6], X[:, 7]), X[:, :6]


def labels() -> Fitted:
    X, y = load_heart(return_X_y=True, as_frame=True)
    told = pd.DataFrame({"male": X.pop("sex") > 0, "pain": X.pop("exercise_angina") > 0, "ill": y == y.max()})
    return ADTMClassifier(**SMALL, silence="paper").fit(X, told.astype(int)), X


MACHINES = {
    "tolerant": lambda: classifier(load_balance_scale),
    "ANDs": lambda: classifier(load_bankruptcy, tolerance=0),
    "weights": lambda: classifier(load_heart, weights="integer", booleanizer=Booleanizer(max_bits=5)),
    "shared": lambda: classifier(load_balance_scale, shared=True),
    "longer than the budget": lambda: classifier(load_heart, tolerance=2, max_literals=None, s=300),
    "three classes of mixed columns": mixed,
    "labels": labels,
    "a value": value,
    "a value with more parts than votes": lambda: value(T=2000, weights="integer"),
}


def ran(folder: Path, machine: Any, X: Any, *, pipeline: int | None = None, axi: bool = False, **options: Any) -> str:
    """What the testbench of a core says at the end."""
    (folder / "m.v").write_text(
        verilog.core(machine, name="m", pipeline=pipeline, axi=axi, **options), encoding="ascii"
    )
    for end, text in verilog.bench_files(machine, name="m", axi=axi, X=X, **options).items():
        (folder / f"m{end}").write_text(text, encoding="ascii")
    return simulate(folder, folder / "m.v", folder / "m_tb.v")[-1]


@pytest.mark.parametrize("name", MACHINES)
def test_the_core_gives_votes_and_answers_of_the_model(name: str, tmp_path: Path) -> None:
    machine, X = MACHINES[name]()
    n = len(X) // 2
    stages = stages_of(machine)
    assert stages > 1
    said = f"PASS: {len(X)} rows, {stages} cycles from a row to its answer, {n} cycles for {n} rows"
    assert ran(tmp_path, machine, X) == said


@pytest.mark.parametrize(("n", "room"), [(31, 32), (32, 32), (33, 64), (64, 64)])
def test_a_row_on_the_bus_takes_no_more_words_than_it_needs(n: int, room: int) -> None:
    machine = ADTMClassifier(**SMALL, booleanizer=None).fit(np.eye(n, dtype=bool), np.arange(n) % 2)
    assert f"reg [{room - 1}:0] rows [0:ROWS-1];" in verilog.bench_files(machine, name="m", axi=True)["_tb.v"]


@pytest.mark.parametrize("name", ["tolerant", "labels", "a value", "three classes of mixed columns"])
def test_the_answers_that_the_testbench_expects_are_those_of_predict(name: str) -> None:
    machine, X = MACHINES[name]()
    lines = verilog.bench_files(machine, name="m", axi=True, X=X)["_answers.hex"].splitlines()
    found, expected = np.array([int(line, 16) for line in lines]), machine.predict(X)
    if name == "labels":
        assert (np.array([[answer >> v & 1 for v in range(3)] for answer in found]) == expected).all()
    elif name == "a value":
        low, high = machine.y_range_
        assert np.allclose(low + found / machine.model_.settings.T * (high - low), expected)
    else:
        assert (machine.classes_[found] == expected).all()
    rules = machine.rules()
    rows = verilog.coded(machine, X)
    assert (rules.votes(decoded(rules, layout(rules), rows)) == rules.votes(X)).all()


@pytest.mark.parametrize("pipeline", [1, 2, 40])
def test_any_number_of_stages_gives_the_same(pipeline: int, tmp_path: Path) -> None:
    machine, X = MACHINES["tolerant"]()
    assert ran(tmp_path, machine, X, pipeline=pipeline).startswith(f"PASS: {len(X)} rows, {pipeline} cycles")


@pytest.mark.parametrize(("name", "thresholds"), [("weights", True), ("weights", False), ("labels", True)])
def test_a_core_behind_axi_gives_the_same(name: str, thresholds: bool, tmp_path: Path) -> None:
    machine, X = MACHINES[name]()
    beats, n = -(-row_bits(layout(machine.rules(), thresholds=thresholds)) // 32), len(X) // 2
    said = (
        f"PASS: {len(X)} rows, {stages_of(machine, 3) + 1} cycles from a row to its answer, {beats * n} cycles for {n}"
    )
    assert ran(tmp_path, machine, X, pipeline=3, axi=True, thresholds=thresholds).startswith(said)


def test_a_testbench_without_a_table_shows_every_code(tmp_path: Path) -> None:
    machine, _ = mixed()
    assert ran(tmp_path, machine, None).startswith("PASS: 400 rows")
    rows = [int(line, 16) for line in (tmp_path / "m_rows.hex").read_text().splitlines()]
    for field in layout(machine.rules()):
        assert {row >> field.low & 2**field.bits - 1 for row in rows} == set(range(field.n_codes))


def test_the_testbench_notices_a_wrong_answer(tmp_path: Path) -> None:
    machine, X = MACHINES["ANDs"]()
    ran(tmp_path, machine, X)
    path = tmp_path / "m_answers.hex"
    lines = path.read_text().splitlines()
    lines[7] = f"{int(lines[7], 16) ^ 1:x}"
    path.write_text("\n".join(lines))
    assert simulate(tmp_path, tmp_path / "m.v", tmp_path / "m_tb.v")[-1] == f"FAIL: 1 of {len(X)} rows are wrong"


AXI = """\
    initial begin
        repeat (2) @(negedge clk);
        rst = 0;
        send(2); send(1); send(5); send(2); send(2); send(3);
        repeat (20) @(negedge clk);
        for (address = 0; address < 12; address = address + 4) begin
            repeat (2) @(negedge clk);
            $display("%h", status);
        end
        repeat (2) @(negedge clk);
        $display("%h %0d", status, answers);
        $finish;
    end
"""


def test_rows_of_a_wrong_length_are_dropped_and_counted(tmp_path: Path) -> None:
    machine, _ = MACHINES["weights"]()
    (tmp_path / "m.v").write_text(verilog.core(machine, name="m", axi=True, thresholds=False), encoding="ascii")
    assert 32 < machine.rules().n_features <= 64  # so that a row of features has two beats
    (tmp_path / "bench.v").write_text(axi_bench(AXI, width=32), encoding="ascii")
    lines = simulate(tmp_path, tmp_path / "m.v", tmp_path / "bench.v")
    assert lines == ["4144544d", "00000003", "00000003", "00000003 3"]


def test_a_row_takes_as_few_bits_as_its_columns_have_states() -> None:
    machine, X = classifier(load_heart)
    assert row_bits(layout(machine.rules())) == 43  # raw numbers take 138
    assert max(verilog.coded(machine, X)) < 2**43


@pytest.mark.parametrize("name", ["tolerant", "three classes of mixed columns", "a value"])
def test_a_linter_finds_nothing_in_the_core_and_yosys_no_latch(name: str, tmp_path: Path) -> None:
    machine, _ = MACHINES[name]()
    text = verilog.core(machine, name="m", pipeline=3, axi=True)
    check_lint(text, "m_axi", tmp_path)
    check_synthesisable(text, "m_axi", tmp_path)


def test_trees_of_full_adders_count_and_add(tmp_path: Path) -> None:
    logic = Logic()
    bits = [logic.make(f"row[{k}]", cost=0, name=f"x{k}") for k in range(9)]
    count = logic.counted([*bits, ONE])
    assert [wire.width for wire in count] == [1] * 4
    logic.output("n", logic.make("{{{3}, {2}, {1}, {0}}}", *count, width=4, cost=0))
    columns: list[list[Wire]] = [bits[:5], bits[2:9], [ONE, bits[0]], []]
    logic.output("sum", logic.summed(columns, "total"))
    text = (
        "`timescale 1ns / 1ns\nmodule bench;\n    reg clk = 0;\n    wire moves = 1'b1;\n"
        "    reg [8:0] row;\n    integer i;\n"
        f"{logic.text(1)}\n    initial for (i = 0; i < 512; i = i + 1) begin\n        row = i;\n"
        '        #1 clk = 1;\n        #1 clk = 0;\n        $display("%0d %0d", n_1, sum_1);\n    end\nendmodule\n'
    )
    (tmp_path / "bench.v").write_text(text, encoding="ascii")
    said = [tuple(map(int, line.split())) for line in simulate(tmp_path, tmp_path / "bench.v")]
    x = np.arange(512)[:, None] >> np.arange(9) & 1
    sums = x[:, :5].sum(1) + 2 * x[:, 2:].sum(1) + 4 * (1 + x[:, 0])
    assert said == list(zip((1 + x.sum(1)).tolist(), (sums % 16).tolist(), strict=True))


def test_what_is_no_core_is_refused() -> None:
    machine, X = MACHINES["ANDs"]()
    with pytest.raises(ValueError, match="pipeline must be a number of stages from 1 to 64, got 0"):
        verilog.core(machine, pipeline=0)
    with pytest.raises(ValueError, match="at least 2 rows, got 1"):
        verilog.bench_files(machine, name="m", X=X[:1])


@pytest.mark.parametrize("file", ['a"; $finish; "', "a b", "a{b}", "a\nb", "-a", "a/b", "a\udcff", "", "a" * 200 + ";"])
def test_files_that_no_script_can_name_are_refused(file: str) -> None:
    machine, _ = MACHINES["ANDs"]()
    for make in (verilog.bench_files, verilog.build_script):
        with pytest.raises(ValueError, match=r"files of a core must be called by letters, digits, _, \. and -, got '"):
            make(machine, name="m", file=file)
        assert make(machine, name="m", file="Tür-1.b")


@pytest.mark.slow
def test_verilator_says_the_same_as_icarus(tmp_path: Path) -> None:
    if shutil.which("verilator") is None:
        pytest.skip("needs verilator: install verilator")
    machine, X = MACHINES["tolerant"]()
    said = ran(tmp_path, machine, X, pipeline=3, axi=True)
    command = ["verilator", "--binary", "--timing", "-Wno-fatal", "--top-module", "m_tb", "m.v", "m_tb.v"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    run = subprocess.run(["obj_dir/Vm_tb"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert said in run.stdout


@pytest.mark.slow
@pytest.mark.parametrize("family", ["ice40", "ecp5"])
def test_the_build_script_says_size_and_speed(family: str, tmp_path: Path) -> None:
    for tool in ("yosys", f"nextpnr-{family}"):
        beside = Path(sys.executable).parent / f"yowasp-{tool}"
        if shutil.which(tool) is None and not beside.exists():
            pytest.skip(f"needs {tool}: pip install yowasp-{tool}")
    machine, _ = MACHINES["tolerant"]()
    (tmp_path / "m.v").write_text(verilog.core(machine, name="m", pipeline=4, axi=True), encoding="ascii")
    (tmp_path / "build.py").write_text(verilog.build_script(machine, name="m", pipeline=4), encoding="ascii")
    command = [sys.executable, "build.py", family]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.match(family + r": (\d+) LUT4, \d+ logic cells, (\d+) flip-flops, ([\d.]+) MHz\n4 cycles, ", done.stdout)
    assert found is not None
    assert 100 < int(found[1]) < 3000
    assert int(found[2]) > 50
    assert float(found[3]) > 50
