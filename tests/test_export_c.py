"""Generated C gives the library's votes and answers: all tables, all kinds of columns, every platform."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from adtm import DETERMINISTIC, PAPER, ADTMClassifier, ADTMRegressor, Booleanizer, datasets
from adtm.export import c
from adtm.export.c.footprint import CPUS
from adtm.export.c.table import field_type
from adtm.export.templates import check_name, comment
from adtm.rules import Outputs, Rule, RuleSet, TableColumn
from generated import BOARDS, NATIVE, PLATFORMS, asked_in_c, c_rows, feature_words, table_rows
from made_rules import TABLES, check_answers, forgiving

MACHINE = {"n_clauses": 100, "T": 10, "s": 3, "epochs": 5}


def trained(name: str, **more: Any) -> tuple[ADTMClassifier, Any]:
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return ADTMClassifier(**{**PAPER, **DETERMINISTIC, **MACHINE, **more}).fit(X, y), X


@pytest.mark.parametrize("tolerance", [0, 7])
@pytest.mark.parametrize("name", TABLES)
def test_every_row_of_every_table_gets_its_answer(name: str, tolerance: int, tmp_path: Path) -> None:
    machine, X = trained(name, tolerance=tolerance)
    rules, frame = machine.rules(), X if isinstance(X, pd.DataFrame) else pd.DataFrame(X)
    check_answers(machine, X, asked_in_c(rules, table_rows(rules, frame), tmp_path, PLATFORMS["gcc"], of="TABLE"))


@pytest.mark.parametrize("platform", PLATFORMS)
def test_features_alone_are_enough_on_every_platform(platform: str, tmp_path: Path) -> None:
    machine, X = trained("bankruptcy")
    features = np.asarray(Booleanizer().fit_transform(X))
    rows = c_rows("rows", feature_words(features))
    check_answers(machine, X, asked_in_c(machine.rules(), rows, tmp_path, PLATFORMS[platform], of="FEATURES"))


def test_columns_of_every_kind_with_missing_values_and_odd_names(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    n = 300
    frame = pd.DataFrame(
        {
            "whole */ \\": rng.integers(-5, 5, n).astype(float),
            "re??/al": rng.normal(size=n).round(2),
            "colour": rng.choice(["red", "gr\u00fcn */", "blue"], n).astype(object),
            "flag": rng.random(n) < 0.5,
            "missing\n": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n).round(1)),
            "few": np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 4, n)),
        }
    )
    y = np.select([frame["flag"] & (frame["colour"] == "red"), frame["re??/al"] > 0.3], ["a", "b"], "c")
    machine = ADTMClassifier(20, T=5, epochs=15, random_state=1, booleanizer=Booleanizer(missing="indicator"))
    machine.fit(frame, y)
    asked = frame.copy()
    asked.loc[::7, "colour"] = "never seen"
    rules = machine.rules()
    check_answers(machine, asked, asked_in_c(rules, table_rows(rules, asked), tmp_path, PLATFORMS["gcc"], of="TABLE"))


def test_rules_that_forgive_and_weights_of_several_outputs(tmp_path: Path) -> None:
    machine, X = trained("balance_scale")
    changed = forgiving(machine.rules())
    features = np.asarray(Booleanizer().fit_transform(X))
    rows = c_rows("rows", feature_words(features))
    votes, answers = asked_in_c(changed, rows, tmp_path, PLATFORMS["gcc"], of="FEATURES")
    assert len(np.unique(votes)) > 20
    assert (votes == changed.votes(X)).all()
    assert (answers == changed.outputs.answer(votes)).all()


def test_a_literal_and_its_negation_count_as_one_that_fails(tmp_path: Path) -> None:
    machine, X = trained("bankruptcy")
    rules = machine.rules()
    n = rules.n_features
    torn = [
        replace(rule, limit=3, literals=tuple(sorted({*rule.literals, 0, n, 1, n + 1}))) for rule in rules.rules[:9]
    ]
    torn += [replace(rule, limit=2, literals=(0, 5, n, n + 5)) for rule in rules.rules[:2]]  # casts nothing
    torn += [replace(rule, limit=1, literals=()) for rule in rules.rules[:1]]  # always casts one
    changed = rules.with_rules(torn)
    rows = c_rows("rows", feature_words(np.asarray(Booleanizer().fit_transform(X))))
    votes, _ = asked_in_c(changed, rows, tmp_path, PLATFORMS["gcc"], of="FEATURES")
    assert (votes == changed.votes(X)).all()
    assert len(np.unique(votes)) > 2
    assert len(c.tables(changed).casts) == len(torn) - 2


def test_the_least_whole_number_is_missing_only_in_a_column_that_may_miss(tmp_path: Path) -> None:
    always = TableColumn("a", "numeric", thresholds=(3.0,))
    seldom = TableColumn("b", "numeric", thresholds=(3.0,), missing=True, may_miss=True)
    outputs = Outputs("two", ("no", "yes"), (0, 1), 1, 1, T=9)
    asked = [Rule(0, (j,), (2**j,), 1, (j,), 0, ()) for j in range(3)]  # a <= 3, b <= 3, b is missing
    rules = RuleSet((always, seldom), outputs, tuple(asked))
    rows = "static const machine_row rows[] = {{INT32_MIN, INT32_MIN}, {3, 3}, {4, 4}, {INT32_MAX, INT32_MIN + 1}};\n"
    votes, _ = asked_in_c(rules, rows, tmp_path, PLATFORMS["gcc"], of="TABLE")
    assert votes.ravel().tolist() == [1 + 4, 1 + 2, 0, 2]


def test_a_machine_without_a_rule_still_compiles(tmp_path: Path) -> None:
    machine, X = trained("bankruptcy")
    silent = machine.rules().with_rules(())
    rows = c_rows("rows", feature_words(np.asarray(Booleanizer().fit_transform(X))[:5]))
    votes, answers = asked_in_c(silent, rows, tmp_path, PLATFORMS["gcc"], of="FEATURES")
    assert (votes.tolist(), answers.tolist()) == ([[0]] * 5, [silent.outputs.preference[0]] * 5)


@pytest.mark.parametrize(
    ("kind", "preference", "answer"),
    [
        ("two", (0, 1), 0),
        ("two", (1, 0), 1),
        ("classes", (0, 1, 2), 0),
        ("classes", (2, 0, 1), 2),
        ("labels", (1, 1, 1), [1, 1, 1]),
        ("labels", (0, 0, 0), [0, 0, 0]),
        ("labels", (0, 1, 1), [0, 1, 1]),
        ("classes", tuple(range(299, -1, -1)), 299),
    ],
)
def test_equal_votes_are_answered_by_preference(
    kind: Any, preference: tuple[int, ...], answer: Any, tmp_path: Path
) -> None:
    labels = tuple(map(str, range(len(preference))))
    outputs = Outputs(kind, labels, preference, 1 if kind == "two" else len(labels), 1, T=1)
    silent = RuleSet((TableColumn("x", "boolean"),), outputs, (), booleanized=False)
    rows = c_rows("rows", feature_words(np.zeros((1, 1), bool)))
    votes, answers = asked_in_c(silent, rows, tmp_path, PLATFORMS["gcc"], of="FEATURES")
    assert (votes == 0).all()
    assert answers[0].tolist() == answer == outputs.answer(votes)[0].tolist()


@pytest.mark.parametrize("parameters", [{}, {"tolerance": 3, "s": 100}], ids=["ANDs", "tolerant"])
@pytest.mark.parametrize(("name", "flash"), [("bankruptcy", 2048), ("heart", 6144)])
def test_a_hundred_clauses_need_little_flash_and_64_bytes_of_stack(
    name: str, flash: int, parameters: dict[str, Any]
) -> None:
    machine, _ = trained(name, epochs=20, **parameters)
    for found in c.footprint(machine):
        if found.flash is None or found.stack is None:
            pytest.skip(f"needs a compiler for {found.cpu}: install {found.package}")
        assert c.tables(machine.rules()).n_bytes < found.flash <= flash
        assert found.stack <= 64  # with the features


@pytest.mark.parametrize("cpu", BOARDS)
def test_rows_get_their_answers_on_every_board_in_64_bytes_of_stack(cpu: str, tmp_path: Path) -> None:
    machine, X = trained("heart", tolerance=3, s=100)
    rules, board = machine.rules(), BOARDS[cpu]
    (tmp_path / "machine.h").write_text(c.inference(rules, name="machine"), encoding="ascii")
    (tmp_path / "rows.h").write_text(table_rows(rules, pd.DataFrame(X)), encoding="ascii")
    program = board.compile(NATIVE / "stack.c", output=tmp_path / "asked", more=(f"-I{tmp_path}",))
    *answers, stack = map(int, board.run(program).split())
    assert (machine.classes_[answers] == machine.predict(X)).all()
    (told,) = (found.stack for found in c.footprint(machine) if found.cpu == cpu)
    assert told is not None
    assert 20 < stack <= told <= 64


def test_a_footprint_is_taken_of_rows_and_bits_and_refused_for_what_is_neither() -> None:
    machine, X = trained("bankruptcy")
    bits = ADTMClassifier(**{**PAPER, **MACHINE}, booleanizer=None).fit(
        np.asarray(machine.booleanizer_.transform(X)), [0, 1] * 125
    )
    found = list(c.footprint(bits))
    assert [each.cpu for each in found] == list(CPUS)
    assert [each.flash is None for each in found] == [shutil.which(f"{by.tools}gcc") is None for by in CPUS.values()]
    images = np.random.default_rng(0).integers(0, 2, (20, 4, 4))
    slides = ADTMClassifier(n_clauses=2, epochs=1, patch=(2, 2), booleanizer=None).fit(images, images[:, 0, 0])
    with pytest.raises(ValueError, match="a footprint is taken of a machine of rows"):
        list(c.footprint(slides))


@pytest.mark.parametrize(("weight", "n_bytes"), [(127, 1), (128, 2), (-128, 1), (2**15, 4)])
def test_tables_take_the_bytes_of_the_types_they_are_written_with(weight: int, n_bytes: int) -> None:
    machine, _ = trained("bankruptcy")
    rules = machine.rules()
    rules = rules.with_rules(replace(rule, weights=(weight,)) for rule in rules.rules)
    without = rules.with_rules(replace(rule, weights=()) for rule in rules.rules)
    assert f"static const int{8 * n_bytes}_t machine_casts" in c.inference(rules, name="machine")
    assert c.tables(rules).n_bytes - c.tables(without).n_bytes == n_bytes * len(rules)


def test_a_rule_ends_with_its_last_word_however_many_it_has() -> None:
    outputs = Outputs("two", ("a", "b"), (0, 1), 1, 1, T=1)
    columns = tuple(TableColumn(f"x{j}", "boolean") for j in range(320))
    rules = [Rule(0, (0,), (1,), 1, tuple(range(0, 32 * n, 32)), 0, ()) for n in (1, 10)]
    made = c.tables(RuleSet(columns, outputs, tuple(rules), booleanized=False))
    assert made.words == (1, 0, 2, 4, 6, 8, 10, 12, 14, 16, 19)


@pytest.mark.parametrize(("n", "n_words"), [(1, 1), (32, 1), (33, 2), (64, 2), (65, 3)])
def test_a_row_has_no_more_words_than_its_bits_fill(n: int, n_words: int) -> None:
    columns = tuple(TableColumn(f"x{k}", "boolean") for k in range(n))
    rules = RuleSet(columns, Outputs("two", ("a", "b"), (0, 1), 1, 1, T=1), (), booleanized=False)
    assert f"M_WORDS = {n_words}," in c.inference(rules, name="m")


def test_the_type_of_a_table_holds_the_numbers_of_all_banks() -> None:
    outputs = Outputs("classes", ("a", "b"), (0, 1), 2, 1, T=1)
    few, many = Rule(0, (0,), (1,), 1, (0,), 0, ()), Rule(1, (0,), (1,), 1, (0,), 0, ())
    for n, bits in ((255, 8), (256, 16)):
        rules = RuleSet((TableColumn("x", "boolean"),), outputs, (few, *[many] * n), booleanized=False)
        assert f"static const uint{bits}_t m_rules[M_BANKS] = {{1, {n}}};" in c.inference(rules, name="m")


@pytest.mark.parametrize(
    ("cut", "kind"),
    [(2**31 - 2, "int32_t"), (2**31 - 1, "double"), (1 - 2**31, "int32_t"), (-(2**31), "double"), (0.5, "double")],
)
def test_thresholds_that_32_bits_hold_are_whole_numbers(cut: float, kind: str) -> None:
    assert field_type(TableColumn("x", "numeric", thresholds=(float(cut),))) == kind


@pytest.mark.parametrize(
    ("cut", "key"),
    [
        (4.9, "4.90000234,0x401399999999999a"),
        (-1.5, "-1.49999928,-0x3ff8000000000000"),
        (1e-7, "1.00000048e-07,0x3e7ad7f29abcaf48"),
        (0.5, "0.500000238,0x3fe0000000000000"),
    ],
)
def test_a_threshold_of_32_bits_lies_above_its_own_by_four_roundings(cut: float, key: str) -> None:
    outputs = Outputs("two", ("a", "b"), (0, 1), 1, 1, T=1)
    rules = RuleSet((TableColumn("x", "numeric", thresholds=(cut,)),), outputs, ())
    assert f"{{1, M_KEY({key})}}" in c.inference(rules, name="m")


def test_eighty_letters_of_a_name_stand_in_a_comment() -> None:
    assert comment("a" * 81) == "a" * 80


def test_names_and_sizes_that_cannot_be_are_refused() -> None:
    machine, _ = trained("bankruptcy")
    assert check_name("x" * 63) == "x" * 63
    for name in ("", "2fast", "while", "module", "a-b", "x" * 64):
        with pytest.raises(ValueError, match="name must be a letter"):
            c.inference(machine.rules(), name=name)


@pytest.mark.parametrize(
    ("machine", "X", "y", "asked"),
    [
        (ADTMClassifier, [[1.5], [2.5]] * 3, [0, 1] * 3, "uint32_t ask(const m_row *row)"),
        (ADTMRegressor, [[1.5], [2.5]] * 3, [0, 1] * 3, "double ask(const m_row *row)"),
        (ADTMClassifier, [[True], [False]] * 3, [0, 1] * 3, "uint32_t ask(const uint32_t features[M_WORDS])"),
    ],
)
def test_what_is_compiled_asks_for_an_answer_and_its_bytes_are_added(
    machine: Any, X: Any, y: Any, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With compilers that are made up: a size, and a graph of calls."""
    module, commands = sys.modules["adtm.export.c.footprint"], list[list[str]]()
    bits = type(X[0][0]) is bool
    fitted = machine(n_clauses=4, epochs=1, choose=False, booleanizer=None if bits else "auto").fit(X, y)

    def ran(command: list[str], folder: Path) -> str:
        commands.append(command)
        program = (folder / "program.c").read_text()
        assert program.startswith('#include "machine.h"\n')
        reads = "" if bits else "    uint32_t features[M_WORDS];\n    m_features(row, features);\n"
        body = f"{{\n{reads}    return m_predict(features);\n}}"
        assert (
            program.split("\n", 1)[1].replace("{ return m_predict(features); }", body) == f"{asked};\n{asked} {body}\n"
        )
        assert (folder / "machine.h").read_text() == c.inference(fitted, name="m")
        nodes = "".join(
            f'node: {{ title: "{name}" label: "{name} x.c:1 {n} bytes (static)" }}' for name, n in FRAMES.items()
        )
        edges = "".join(f'edge: {{ sourcename: "{a}" targetname: "{b}" label: "x" }}' for a, b in CALLS)
        (folder / "program.ci").write_text(nodes + edges)
        return "text data bss dec\n 1000 20 3 1023\n"

    monkeypatch.setattr(module, "_run", ran)
    monkeypatch.setattr(module.shutil, "which", lambda tool: None if "riscv" in tool else tool)
    found = list(c.footprint(fitted, name="m"))
    assert [(each.cpu, each.flash, each.stack) for each in found] == [
        *((cpu, 1020, 24 + 16 + 2) for cpu in ("cortex-m0", "cortex-m3", "cortex-m4")),
        ("rv32imac", None, None),
    ]
    compiled, sized = commands[:2]
    assert compiled[0] == "arm-none-eabi-gcc"
    assert {"-std=c99", "-Os", "-ffreestanding", "-fcallgraph-info=su", "-mcpu=cortex-m0", "-mthumb"} <= set(compiled)
    assert compiled[-4:] == ["-c", "program.c", "-o", "program.o"]
    assert sized == ["arm-none-eabi-size", "program.o"]


FRAMES = {"ask": 24, "features": 16, "predict": 12, "deep": 2}
CALLS = [("ask", "features"), ("ask", "predict"), ("features", "deep"), ("features", "unknown"), ("main", "ask")]


def test_what_a_compiler_says_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module, said = sys.modules["adtm.export.c.footprint"], SimpleNamespace(returncode=0, stdout="7\n", stderr="")
    monkeypatch.setattr(module.subprocess, "run", lambda command, **how: said if how["cwd"] == tmp_path else None)
    assert module._run(["gcc", "-c"], tmp_path) == "7\n"
    said.returncode, said.stderr = 1, f" {'x' * 301}\n"
    with pytest.raises(ValueError, match=f"^gcc cannot compile the machine: {'x' * 300}$"):
        module._run(["gcc", "-c"], tmp_path)
