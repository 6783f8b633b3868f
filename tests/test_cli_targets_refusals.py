"""Values and several labels on the command line: what cannot be learned or asked is one line that says so."""

from __future__ import annotations

import re
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import adtm
from adtm.cli.evaluate import _splits
from adtm.cli.settings import MachineOptions, RunOptions, _stray, _useless
from adtm.cli.target import TargetColumns, _numbers, packed_target
from adtm.tables.table import Frame, Values
from commands import command, refusal, run, there
from made_targets import TARGETS, trained

__all__ = ["there", "trained"]

WHOLE = "\n".join(["x,y", *(f"{k},{k % 50}" for k in range(100))]).encode()
MIXED = "\n".join(["x,y", *(f"{k},{'cheap' if k == 6 else k / 2}" for k in range(100))]).encode()

LARGE = b"x,y\n" + b"".join(b"%d,%d\n" % (k, 2**53 + k % 3) for k in range(9))


@pytest.mark.parametrize(
    ("content", "options", "line"),
    [
        (
            MIXED,
            (),
            "t.csv, row 7, column 'y': expected a number as in other rows (--classes takes each text as a class)",
        ),
        (MIXED, ("--value",), "t.csv, row 7, column 'y': expected a number, got 'cheap'"),
        (
            WHOLE,
            (),
            "t.csv, column 'y': 50 different whole numbers can be classes or a value: say which by --classes or",
        ),
        (WHOLE, ("--value", "--text", "y"), "--value and --text exclude each other, got both for 'y'"),
        (b"x,y\n1,0.5\n2,\n", (), "t.csv, row 2, column 'y': expected a value to learn, got none"),
        (
            b"x,y\n1,0.5\n2,\n3,\n4,\n",
            (),
            "t.csv, row 2, column 'y': expected a value to learn, got none, as in 2 more: leave these rows out",
        ),
        (b"x,y\n1,0.5\n2,inf\n", (), "t.csv, row 2, column 'y': expected a finite number, got 'inf'"),
        (
            b"x,y\n1,0.5\n2,-3e307\n",
            ("--value",),
            "t.csv, row 2, column 'y': expected numbers from -1e+300 to 1e+300 as a value, got -3e+307",
        ),
        (b"x,y\n1,0.5\n2,0.5\n", (), "t.csv, column 'y': expected at least 2 different numbers to learn, got only 0.5"),
        (b"x,y\n1,0.5\n2,1.5\n", ("--classes",), "t.csv, column 'y': expected whole numbers as classes, got fractions"),
        (
            LARGE,
            ("--classes",),
            "t.csv, column 'y': expected whole numbers below 2**53 as classes, got 9007199254740992 (--text y takes",
        ),
        (LARGE, (), "t.csv, column 'y': expected whole numbers below 2**53 as classes, got 9007199254740992"),
        (b"x,y\n1,true\n2,false\n", ("--value",), "t.csv, row 1, column 'y': expected a number, got 'True'"),
        (b"x,z,y\n1,0,1\n2,3,0\n", ("--target", "z"), "t.csv, row 2, column 'z': expected 0 or 1, as several targets"),
        (
            b"x,z,y\n1,no,1\n2,no,0\n",
            ("--target", "z"),
            "t.csv, row 1, column 'z': expected 0 or 1, as several targets",
        ),
        (b"x,z,y\n1,0,1\n2,,0\n", ("--target", "z"), "t.csv, row 2, column 'z': expected a value to learn, got none"),
        (b"z,y\n0,1\n1,0\n", ("--target", "z"), "t.csv: there is no column to learn from besides 'y', 'z'"),
        (b"x,y\n1,0\n2,1\n", ("--target", "y"), "target must name every column once, got 'y' twice"),
        (b"x,y\n1,0\n2,1\n", ("--target", "z"), "t.csv: there is no column 'z' to learn; it has x and y"),
        (
            b"x,z,y\n1,0,1\n2,1,0\n",
            ("--target", "z,x"),
            "t.csv: there is no column 'z,x' to learn; repeat the option: --ta",
        ),
        (b"x,z,y\n1,0,1\n2,1,0\n", ("--target", "z", "--value"), "--value and --classes are for one target, got 2"),
    ],
)
def test_a_target_that_cannot_be_learned_is_one_line(
    content: bytes, options: tuple[str, ...], line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_bytes(content)
    for arguments in (("train", "t.csv", "--out", "m.st"), ("evaluate", "t.csv"), ("tune", "t.csv")):
        assert refusal(*arguments, "--target", "y", *options).startswith(f"adtm {arguments[0]}: {line}")
    assert not Path("m.st").exists()


@pytest.mark.parametrize("form", ["csv", "parquet", "packed"])
@pytest.mark.filterwarnings("always::adtm.AdviceWarning")
def test_whole_numbers_that_become_one_are_no_classes_and_a_value_with_a_word(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_bytes(LARGE)
    table, target = f"t.{form}", ("--target", "y")
    if form == "parquet":
        polars = pytest.importorskip("polars", reason="needs polars: pip install '.[parquet]'")
        polars.read_csv("t.csv").write_parquet(table)
    if form == "packed":
        adtm.pack(adtm.Pieces([(np.arange(9)[:, None], 2**53 + np.arange(9) % 3)]), table)
        target = ()
    train = ("train", table, *target, "--out", "m.st", "--epochs", "1", "--no-choice")
    for options in ((), ("--classes",)):
        assert "expected whole numbers below 2**53 as classes, got 9007199254740992" in refusal(*train, *options)
    learned = run(*train, "--value")
    assert learned.exit_code == 0, learned.output
    assert "whole numbers beyond 2**53 that differ in their last digits only and count as one value" in learned.stderr


def test_a_label_that_is_always_or_never_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("x,a,b,c\n" + "".join(f"{k},{k % 2},0,1\n" for k in range(20)))
    result = run("train", "t.csv", *(f"--target={name}" for name in "abc"), "--out", "m.st", "--epochs", "2")
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "b: on no row, so there is nothing to learn about it",
        "c: on every row, so there is nothing to learn about it",
    ]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("predict", "price.st", "houses.csv", "--votes"), "--votes and --probabilities are for classes and labels"),
        *(
            (("train", "days.csv", "--out", "m.st", *TARGETS, f"--{name}"), f"--{name} is for classes, got labels")
            for name in ("balanced", "adaptive")
        ),
        (("predict", "days.st", "days.csv", "--interval", "0.9"), "--interval is for values: --probabilities says how"),
        (("rules", "price.st", "--small"), "small needs the table that the model was trained on: --data and --target"),
        (
            ("inspect", "days.st", "--data", "days.csv", "--small", "--out", "p.html"),
            "small needs the table that the model was trained on: --data and --target",
        ),
        (
            ("rules", "price.st", "--label", "wet"),
            "--label is for models of several labels, this one answers with a value",
        ),
        (("rules", "days.st", "--label", "dry"), "label must be one of cold, windy, wet, got 'dry'"),
        (
            ("rules", "days.st", "--data", "days.csv", "--target", "wet"),
            "target must name the labels of the model, cold, windy, wet, got wet",
        ),
        (
            ("inspect", "price.st", "--data", "houses.csv", "--target", "price", "--target", "age", "--out", "p.html"),
            "target must be one column, as the model learned, got 2",
        ),
        (
            ("rules", "price.st", "--data", "houses.csv", "--target", "zone"),
            "houses.csv, row 1, column 'zone': expected a number, got",
        ),
        (("explain", "price.st", "houses.csv", "--row", "1", "--fixed", "x"), "fixed must name columns of the table"),
        (
            ("export", "c", "price.st", "--label", "wet"),
            "--label is for models of several labels, this one answers with a value",
        ),
        (
            ("export", "c", "days.st", "--learn", "--label", "wet"),
            "--label is for machines that answer: one that learns",
        ),
        (("export", "verilog", "days.st", "--learn", "--label", "wet"), "--label is for machines that answer"),
        (("energy", "price.st", "--gates"), "--gates is for classes and labels, not for a value; the estimate without"),
        (("tune", "houses.csv", "--target", "price", "--value", "--ands"), "--ands is for classes and labels"),
        (
            ("evaluate", "houses.csv", "--target", "price", "--value", "--folds", "151"),
            "folds must be at most 150, half the number of rows, got 151",
        ),
    ],
)
def test_what_a_model_cannot_do_is_one_line_that_says_what_it_can(
    arguments: tuple[str, ...], line: str, there: Path
) -> None:
    assert refusal(*arguments).startswith(f"adtm {command(arguments)}: {line}")


def test_more_than_a_thousand_texts_are_too_many_however_many_rows_there_are() -> None:
    for n, why in ((1000, ""), (1001, "1,001 different texts in 5,000 rows, such as 't0'; --text name keeps it")):
        texts = Values("category", (np.arange(5000) % n).astype(np.int32), None, tuple(f"t{k}" for k in range(n)))
        assert _useless(Frame(("name",), (texts,)), "name") == why


@pytest.mark.parametrize(("n", "left_out"), [(50, False), (51, True), (60, True)])
@pytest.mark.parametrize("more", [0, 1])
def test_texts_that_more_than_half_of_the_rows_have_alone_are_left_out(n: int, left_out: bool, more: int) -> None:
    """But not where there are 50 of them at most, nor where each of them stands in two rows."""
    rows = 2 * n - 1 + more
    texts = Values("category", (np.arange(rows) % n).astype(np.int32), None, tuple(f"t{k}" for k in range(n)))
    assert bool(_useless(Frame(("name",), (texts,)), "name")) is (left_out and not more)


@pytest.mark.parametrize(("folds", "why"), [(2, ""), (3, ""), (4, "folds must be at most 3, the rows of the rarest")])
def test_every_fold_has_a_row_of_each_class_as_far_as_there_are_rows(folds: int, why: str) -> None:
    y = np.array(["b"] * 9 + ["a"] * 5 + ["c"] * 3)
    with pytest.raises(ValueError, match=f"{why} class c, got 4") if why else nullcontext():
        tested = [y[test] for _, test in _splits(TargetColumns("classes", ("y",), y), folds)]
        assert all(set(part) == set("abc") for part in tested)
        assert sorted(np.concatenate(tested)) == sorted(y)


def test_two_rows_of_a_class_are_the_fewest() -> None:
    with pytest.raises(ValueError, match="at least 2 rows of each class, to learn from and to test, got 1 of c"):
        _splits(TargetColumns("classes", ("y",), np.array(list("aabbc"))), 2)


@pytest.mark.parametrize(
    ("y", "value", "kind"),
    [
        *(
            (np.array(["a", "b"] * 3), value, kind)
            for value, kind in ((None, "classes"), (False, "classes"), (True, ""))
        ),
        *((np.arange(6) < 3, value, kind) for value, kind in ((None, "classes"), (False, "classes"), (True, ""))),
        *((np.arange(6), value, kind) for value, kind in ((None, "classes"), (False, "classes"), (True, "value"))),
        *((np.arange(6) / 4, value, kind) for value, kind in ((None, "value"), (False, ""), (True, "value"))),
    ],
)
def test_what_a_packed_file_teaches_is_what_it_holds_or_what_was_said(y: Any, value: bool | None, kind: str) -> None:
    wrong = "fractions" if y.dtype.kind == "f" else f"expected numbers as a value, got {y[0]!r}"
    with nullcontext() if kind else pytest.raises(ValueError, match=re.escape(wrong)):
        found = packed_target(SimpleNamespace(y=y), "t.packed", value=value)  # type: ignore[arg-type]
        assert (found.kind, found.y.tolist()) == (kind, y.tolist())
    labels: Any = SimpleNamespace(y=Frame(("a",), (Values("boolean", np.arange(6) < 3),)))
    with nullcontext() if value is None else pytest.raises(ValueError, match="--value and --classes are for one"):
        assert packed_target(labels, "t.packed", value=value).kind == "labels"


@pytest.mark.parametrize(("n", "kind"), [(20, "classes"), (21, "")])
def test_more_than_twenty_numbers_beside_a_text_are_a_value_with_a_slip(
    n: int, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{k % 7},{'none' if k == 4 else k % n}" for k in range(2 * n)]
    Path("t.csv").write_text("\n".join(["x,y", *rows, ""]), encoding="utf-8")
    train = ("train", "t.csv", "--target", "y", "--out", "m.st", "--epochs", "1", "--no-choice", "--clauses", "4")
    if kind:
        assert f"{n + 1} classes" in run(*train).stdout
    else:
        hint = "expected a number as in other rows (--classes takes each text as a class), got 'none'"
        assert refusal(*train) == f"adtm train: t.csv, row 5, column 'y': {hint}"
        assert f"{n + 1} classes" in run(*train, "--classes").stdout


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
@pytest.mark.parametrize("last", [2**53 - 1, 2**53, 2**53 + 1])
def test_whole_numbers_from_two_to_the_53_on_are_no_classes(dtype: Any, last: int) -> None:
    y = np.array([1, 2, 3, last, *[2**53] * (last > 2**53)], dtype)
    packed: Any = SimpleNamespace(y=y)
    if last < 2**53:
        assert (
            packed_target(packed, "t.packed").kind == packed_target(packed, "t.packed", value=False).kind == "classes"
        )
        return
    refused = pytest.raises(ValueError, match="expected whole numbers below 2\\*\\*53 as classes, got 9007199254740992")
    with refused:
        packed_target(packed, "t.packed", value=False)
    if last == 2**53:  # alone it is the number that it is
        assert packed_target(packed, "t.packed").kind == "value"
        return
    with refused:
        packed_target(packed, "t.packed")


@pytest.mark.parametrize(("n", "kind"), [(2, "classes"), (20, "classes"), (21, ""), (100, ""), (101, "value")])
def test_up_to_twenty_whole_numbers_are_classes_and_more_than_a_hundred_a_value(n: int, kind: str) -> None:
    wrong = pytest.raises(ValueError, match=f"{n} different whole numbers can be classes or a value")
    with nullcontext() if kind else wrong:
        assert _numbers(np.arange(2.0 * n) % n, "y", "table.csv", None, as_text="").kind == kind


@pytest.mark.parametrize(("n", "told"), [(10, True), (9, False)])
@pytest.mark.parametrize("missing", [0, 1, 5])
def test_a_tenth_of_the_rows_with_a_value_may_be_texts_among_numbers(n: int, told: bool, missing: int) -> None:
    codes = np.concatenate([np.full(missing, -1), np.arange(n)]).astype(np.int32)
    values = Values("category", codes, codes < 0, ("n/a", *map(str, range(1, n))))
    said = _stray(Frame(("a",), (values,)), "a")
    assert said == (
        f"row {missing + 1}, column 'a': expected a number as in 9 other rows, got 'n/a': leave a field empty where "
        "there is none"
        if told
        else ""
    )


def test_threads_are_for_five_thousand_rows_and_more() -> None:
    assert [RunOptions().run_parameters(rows)["n_jobs"] for rows in (4999, 5000)] == [1, -1]
    assert [RunOptions(jobs=3).run_parameters(rows)["n_jobs"] for rows in (4999, 5000)] == [3, 3]


def test_a_scheduler_and_another_backend_exclude_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    for other in ("native", "auto"):
        with pytest.raises(ValueError, match=f"--scheduler and --backend {other} exclude each other"):
            RunOptions(scheduler="tcp://nowhere:1", backend=other).run_parameters(1)
    monkeypatch.setattr("adtm.machine.backends.dask.DaskBackend", lambda address: f"backend at {address}")
    for known in (None, "dask"):
        found = RunOptions(scheduler="tcp://nowhere:1", backend=known).run_parameters(1)
        assert found == {"n_jobs": 1, "backend": "backend at tcp://nowhere:1"}


def test_options_of_a_machine_reach_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def new(**given: Any) -> Any:
        return MachineOptions(**given).new("classes", RunOptions(), np.empty(1))

    assert MachineOptions().new("classes", RunOptions(), np.empty(1), show=True).verbose == 0  # in a log
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert (new().choose, new(no_choice=True).choose) == ("auto", False)
    assert (new().verbose, MachineOptions().new("value", RunOptions(), np.empty(1), show=True).verbose) == (0, 1)
