"""A circuit from a machine's rules gives the library's votes and answers on every row of every table."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from adtm import DETERMINISTIC, ADTMClassifier, Booleanizer, datasets
from adtm.export import verilog
from adtm.export.verilog.table import port_of, table_module
from adtm.export.verilog.voting import answers_comment
from adtm.rules import Outputs, TableColumn
from made_rules import TABLES, check_answers, forgiving
from simulated import asked_circuit, check_lint, check_synthesisable, feature_port, table_ports


def trained(name: str) -> tuple[ADTMClassifier, Any]:
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return ADTMClassifier(**DETERMINISTIC, n_clauses=100, epochs=5).fit(X, y), X


@pytest.mark.parametrize("name", TABLES)
def test_every_row_of_every_table_gets_its_answer(name: str, tmp_path: Path) -> None:
    machine, X = trained(name)
    rules = machine.rules()
    ports, rows = table_ports(rules, X if isinstance(X, pd.DataFrame) else pd.DataFrame(X))
    check_answers(machine, X, asked_circuit(rules, tmp_path, "machine_table", ports, rows))


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
    check_answers(machine, asked, asked_circuit(rules, tmp_path, "machine_table", *table_ports(rules, asked)))


def test_rules_that_forgive_and_weights_of_several_outputs(tmp_path: Path) -> None:
    machine, X = trained("balance_scale")
    changed = forgiving(machine.rules())
    features = np.asarray(Booleanizer().fit_transform(X))
    votes, answers = asked_circuit(changed, tmp_path, "machine", *feature_port(features))
    assert (votes == changed.votes(X)).all()
    assert (answers == changed.outputs.answer(votes)).all()


@pytest.mark.parametrize("learned", [{"weights": "integer"}, {"shared": True}, {"weights": "integer", "tolerance": 0}])
def test_weights_that_were_learned_count_in_the_circuit(learned: dict[str, Any], tmp_path: Path) -> None:
    X, y = datasets.load_heart(return_X_y=True)
    bits = Booleanizer(max_bits=10)
    machine = ADTMClassifier(**DETERMINISTIC, **learned, n_clauses=30, s=(2, 20), epochs=5, booleanizer=bits).fit(X, y)
    assert len(np.unique(machine.model_.memory.weights)) > 3
    asked = feature_port(np.asarray(machine.booleanizer_.transform(X)))
    check_answers(machine, X, asked_circuit(machine.rules(), tmp_path, "machine", *asked))


def test_a_machine_without_a_rule_is_still_a_circuit(tmp_path: Path) -> None:
    machine, X = trained("bankruptcy")
    silent = machine.rules().with_rules(())
    asked = feature_port(np.asarray(Booleanizer().fit_transform(X))[:5])
    votes, answers = asked_circuit(silent, tmp_path, "machine", *asked)
    assert (votes.tolist(), answers.tolist()) == ([[0]] * 5, [silent.outputs.preference[0]] * 5)


def test_ports_are_as_narrow_as_the_thresholds_and_refuse_what_is_too_fine() -> None:
    narrow = port_of(TableColumn("x", "numeric", thresholds=(-3.0, 0.25)))
    assert (narrow.bits, narrow.fraction_bits, narrow.low, narrow.high) == (5, 2, -12, 2)
    column = TableColumn("x", "numeric", thresholds=(-3.0, 0.25))
    assert [narrow.value(column, x) for x in (-9, -3, -2.9, -0.25, 0.1, 0.26, 9)] == [-12, -12, -11, -1, 1, 2, 2]
    assert port_of(TableColumn("x", "numeric", thresholds=(2.0**62,))).bits == 64
    large = TableColumn("x", "numeric", thresholds=(2.0**53, 2.0**54))
    assert port_of(large).value(large, 2**53 + 1) == 2**53  # a number is compared as a double, as by the library
    codes, flag = TableColumn("c", "category", categories=(3, 7)), TableColumn("f", "boolean")
    assert [port_of(codes).value(codes, x) for x in (3, 7, 8)] == [0, 1, 2]
    assert [port_of(flag).value(flag, x) for x in (False, True)] == [0, 1]
    with pytest.raises(ValueError, match=r"at most 64 bits, got 'x', whose thresholds take 65: round"):
        port_of(TableColumn("x", "numeric", thresholds=(2.0**63,)))
    with pytest.raises(ValueError, match=r"at most 64 bits, got 'x', whose thresholds take \d+: round"):
        port_of(TableColumn("x", "numeric", thresholds=(0.1, 1e9)))


def test_the_circuit_is_hardware_without_a_latch(tmp_path: Path) -> None:
    machine, _ = trained("bankruptcy")
    check_synthesisable(verilog.inference(machine.rules(), name="m"), "m_table", tmp_path)


def test_a_linter_finds_nothing_in_the_circuit(tmp_path: Path) -> None:
    machine, _ = trained("heart")
    check_lint(verilog.inference(machine.rules(), name="m"), "m_table", tmp_path)


def test_no_tool_takes_orders_from_the_names_of_columns_and_classes(tmp_path: Path) -> None:
    """Linters and synthesisers obey comments that begin with a word of theirs."""
    bits = np.arange(40)[:, None] >> np.arange(3) & 1 == 1
    X = pd.DataFrame(bits, columns=["pragma translate_off", "verilator lint_off", "synthesis translate_off"])
    y = np.array(["verilator lint_on", "pragma translate_on"])[bits[:, 0].astype(int)]
    text = verilog.inference(ADTMClassifier(n_clauses=4, epochs=2).fit(X, y).rules(), name="m")
    ours = text.replace("/* verilator lint_off DECLFILENAME */", "").replace("/* verilator lint_off UNUSED */", "")
    assert not re.search(r"/[/*] *(verilator|pragma|synthesis)", ours)
    check_lint(text, "m_table", tmp_path)


def test_no_class_leaves_the_comment_that_names_it() -> None:
    outputs = Outputs("classes", ("a\nmodule b", "*/ c \\"), (0, 1), 2, 1, T=1)
    assert answers_comment(outputs).splitlines() == ["Answers:", "//   0: a_module b", "//   1: * / c _"]


def test_every_port_says_what_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adtm.export.verilog.table.fill", lambda _, values: values["ports"])
    columns = [
        TableColumn("size", "numeric", thresholds=(-1.0, 0.75), may_miss=True),
        TableColumn("colour", "category", categories=("red", "green"), missing=True, may_miss=True),
        TableColumn("is old", "boolean"),
    ]
    assert [line.strip() for line in table_module(columns, {}, pixels=False).splitlines()] == [
        "",
        "input  wire signed [3:0] x0, // column size, times 2 ** 2, from -4 to 4",
        "input  wire x0_missing, // whether there is no value",
        "input  wire [1:0] x1, // column colour: 0 red, 1 green, 2 any other",
        "input  wire x1_missing, // whether there is no value",
        "input  wire [0:0] x2, // column is old",
    ]
