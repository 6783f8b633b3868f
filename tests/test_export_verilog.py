"""A circuit from a machine's rules gives the library's votes and answers on every row of every table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from adtm import DETERMINISTIC, ADTMClassifier, Booleanizer, datasets
from adtm.export import verilog
from adtm.export.verilog_table import port_of
from adtm.rules import RuleSet, TableColumn
from simulated import check_synthesisable, simulate

TABLES = {
    "Bankruptcy": datasets.load_bankruptcy,
    "Balance Scale": datasets.load_balance_scale,
    "Breast Cancer": datasets.load_breast_cancer,
    "Liver Disorders": datasets.load_liver_disorders,
    "Heart Disease": datasets.load_heart,
}
Ports = list[tuple[str, int]]  # name and width, the lowest bits of a row first


def trained(name: str) -> tuple[ADTMClassifier, Any]:
    X, y = TABLES[name](return_X_y=True)
    return ADTMClassifier(**DETERMINISTIC, n_clauses=100, epochs=5).fit(X, y), X


def simulated(rules: RuleSet, folder: Path, module: str, ports: Ports, rows: list[int]) -> np.ndarray:
    """Votes and answer of the circuit for rows of bits."""
    (folder / "machine.v").write_text(verilog.inference(rules, name="machine"), encoding="ascii")
    width, n = sum(bits for _, bits in ports), rules.outputs.n_votes
    (folder / "rows.txt").write_text("\n".join(f"{row:x}" for row in rows) + "\n", encoding="ascii")
    places = np.cumsum([0] + [bits for _, bits in ports]).tolist()
    wires = ", ".join(f".{port}(row[{at} +: {bits}])" for (port, bits), at in zip(ports, places[:-1], strict=True))
    votes = ", ".join(f"vote{v}" for v in range(n))
    (folder / "bench.v").write_text(
        f"""`timescale 1ns / 1ns
module bench;
    reg [{width - 1}:0] rows [0:{len(rows) - 1}];
    reg [{width - 1}:0] row;
    wire signed [{verilog.vote_bits(rules) - 1}:0] {votes};
    wire [{verilog.answer_bits(rules.outputs) - 1}:0] answer;
    {module} dut ({wires}, {", ".join(f".vote{v}(vote{v})" for v in range(n))}, .answer(answer));
    integer i;
    initial begin
        $readmemh("rows.txt", rows);
        for (i = 0; i < {len(rows)}; i = i + 1) begin
            row = rows[i];
            #1 $display("{"%0d " * n}%0d", {votes}, answer);
        end
    end
endmodule
""",
        encoding="ascii",
    )
    lines = simulate(folder, folder / "machine.v", folder / "bench.v")
    return np.array([[int(number) for number in line.split()] for line in lines])


def table_ports(rules: RuleSet, frame: pd.DataFrame) -> tuple[Ports, list[int]]:
    """The ports of the module over the table, and what each row gives them."""
    ports: Ports = []
    rows = [0] * len(frame)
    at = 0

    def give(name: str, bits: int, values: list[int]) -> None:
        nonlocal at
        ports.append((name, bits))
        for i, value in enumerate(values):
            rows[i] |= value % 2**bits << at
        at += bits

    for j, column in enumerate(rules.columns):
        port, cells = port_of(column), frame.iloc[:, j].tolist()
        missing = [cell is None or cell != cell for cell in cells]
        if port.bits:
            known = [0 if gone else port.value(column, cell) for cell, gone in zip(cells, missing, strict=True)]
            give(f"x{j}", port.bits, known)
        if column.may_miss:
            give(f"x{j}_missing", 1, [int(gone) for gone in missing])
    return ports, rows


def check(machine: ADTMClassifier, X: Any, said: np.ndarray) -> None:
    assert (said[:, :-1] == machine.rules().votes(X)).all()
    assert (machine.classes_[said[:, -1]] == machine.predict(X)).all()


def feature_rows(features: np.ndarray) -> list[int]:
    return [int("".join(map(str, row[::-1])), 2) for row in features.astype(int).tolist()]


@pytest.mark.parametrize("name", TABLES)
def test_every_row_of_every_table_gets_its_answer(name: str, tmp_path: Path) -> None:
    machine, X = trained(name)
    rules = machine.rules()
    ports, rows = table_ports(rules, X if isinstance(X, pd.DataFrame) else pd.DataFrame(X))
    check(machine, X, simulated(rules, tmp_path, "machine_table", ports, rows))


def test_columns_of_every_kind_with_missing_values_and_three_classes(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    n = 300
    frame = pd.DataFrame(
        {
            "whole */ \\": rng.integers(-5, 5, n).astype(float),
            "real": rng.integers(-300, 300, n) / 128,
            "colour": rng.choice(["red", "gr\u00fcn\n", "blue"], n).astype(object),
            "flag": rng.random(n) < 0.5,
            "missing": np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 9, n) / 4),
            "few": np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 4, n)),
        }
    )
    y = np.select([frame["flag"] & (frame["colour"] == "red"), frame["real"] > 0.3], ["a", "b"], "c")
    machine = ADTMClassifier(20, T=5, epochs=15, random_state=1, booleanizer=Booleanizer(missing="indicator"))
    machine.fit(frame, y)
    asked = frame.copy()
    asked.loc[::7, "colour"] = "never seen"
    asked.loc[::5, "real"] *= 1000
    rules = machine.rules()
    check(machine, asked, simulated(rules, tmp_path, "machine_table", *table_ports(rules, asked)))


def test_rules_that_forgive_and_weights_of_several_outputs(tmp_path: Path) -> None:
    machine, X = trained("Balance Scale")
    rules = machine.rules()
    forgiving = tuple(
        replace(rule, limit=min(len(rule.literals), 3), weights=(rule.weights[0] * 300, i % 5 - 2))
        for i, rule in enumerate(rules.rules)
    )
    changed = RuleSet(rules.columns, replace(rules.outputs, kind="classes", n_outputs=2, preference=(1, 0)), forgiving)
    features = np.asarray(Booleanizer().fit_transform(X))
    said = simulated(changed, tmp_path, "machine", [("features", features.shape[1])], feature_rows(features))
    votes = changed.votes(X)
    assert (said[:, :-1] == votes).all()
    assert (said[:, -1] == changed.outputs.answer(votes)).all()


def test_a_machine_without_a_rule_is_still_a_circuit(tmp_path: Path) -> None:
    machine, X = trained("Bankruptcy")
    silent = machine.rules().with_rules(())
    rows = feature_rows(np.asarray(Booleanizer().fit_transform(X))[:5])
    said = simulated(silent, tmp_path, "machine", [("features", silent.n_features)], rows)
    assert (said == [[0, silent.outputs.preference[0]]] * 5).all()


def test_ports_are_as_narrow_as_the_thresholds_and_refuse_what_is_too_fine() -> None:
    narrow = port_of(TableColumn("x", "numeric", thresholds=(-3.0, 0.25)))
    assert (narrow.bits, narrow.fraction_bits, narrow.low, narrow.high) == (5, 2, -12, 2)
    with pytest.raises(ValueError, match=r"at most 64 bits, got 'x', whose thresholds take \d+: round"):
        port_of(TableColumn("x", "numeric", thresholds=(0.1, 1e9)))


def test_the_circuit_is_hardware_without_a_latch(tmp_path: Path) -> None:
    machine, _ = trained("Bankruptcy")
    check_synthesisable(verilog.inference(machine.rules(), name="m"), "m_table", tmp_path)
