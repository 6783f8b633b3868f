"""train, predict, evaluate: tables in, answers out, and one line for each thing that a table can have wrong."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
import time
from importlib import import_module
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import adtm
from adtm.cli.evaluate import _numbers, _show
from adtm.cli.output import counted, write_text
from adtm.cli.predict import _columns
from adtm.cli.settings import DRAWN, MachineOptions, RunOptions, TableOptions
from adtm.cli.train import _how_good, _why
from adtm.learning.choosing import Choice, Compared
from adtm.learning.parameters import space_of
from adtm.tables.csvfile import read_csv
from adtm.tuning import Trial, Tuning
from commands import TRAIN, answers, refusal, run, there, trained

__all__ = ["there", "trained"]


# ---- what comes out --------------------------------------------------------------------------------------------------


def test_train_writes_the_model_that_the_library_learns(there: Path) -> None:
    frame = read_csv("heart.csv", leave_out=["class"])
    y = read_csv("heart.csv", kinds={"class": "numeric"})["class"].data.astype(int)
    machine = adtm.ADTMClassifier(epochs=5).fit(frame, y)
    loaded = adtm.load("model.safetensors")
    assert (loaded.states_ == machine.states_).all()
    assert loaded.classes_.tolist() == [1, 2]
    assert loaded.feature_names_in_[0] == "age"


def test_train_tells_what_it_did(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown, new = [], MachineOptions.new

    def noted(*given: Any, show: bool) -> Any:
        shown.append(show)
        return new(*given, show=show)

    monkeypatch.setattr(MachineOptions, "new", noted)
    result = run(*TRAIN)
    assert "270 rows, 13 columns" in result.stdout
    assert "after 5 epochs, 0 random numbers" in result.stdout
    told = json.loads(run(*TRAIN, "--json").stdout)
    assert told["rows"] == 270
    assert told["classes"] == [1, 2]
    y = read_csv("heart.csv", kinds={"class": "numeric"})["class"].data
    right = adtm.load("model.safetensors").predict(read_csv("heart.csv", leave_out=["class"])) == y
    assert told["accuracy"] == pytest.approx(right.mean())
    assert told["random_numbers"] == 0
    assert shown == [True, False]  # epochs, on a terminal


def test_train_tells_who_was_beaten_by_how_much_in_what_differs() -> None:
    values = [{"T": 10, "s": 5, "n_clauses": 4}, {"T": 20, "s": 5, "n_clauses": 4}, {"T": 10, "s": 9, "n_clauses": 4}]
    rungs = [Compared(each, 3, 0.25 + k / 8, k / 8) for k, each in enumerate(values)]
    assert _why(Choice(values[0], tuple(rungs), 40)) == (
        "chosen on 40 rows held out: T=10 s=5 n_clauses=4; loss 0.25, ahead of T=20 s=5 by 0.125, T=10 s=9 by 0.25\n"
    )


@pytest.mark.parametrize(
    ("held_out", "told"), [(None, ""), (0.0, "0.000 on rows held out, "), (0.5, "0.500 on rows held out, ")]
)
def test_what_was_held_out_is_told_where_something_was(held_out: float | None, told: str) -> None:
    result = {"accuracy": 0.25, "held_out": held_out, "r2": 0.125, "mean_absolute_error": 1234.5}
    assert _how_good({**result, "kind": "classes"}) == f"accuracy {told}0.250 on the rows learned"
    labels = f"labels right {told}" if told else ""
    assert _how_good({**result, "kind": "labels"}) == f"{labels}every label right on 0.250 of the rows learned"
    value = "0.125, mean absolute error 1,234 on the rows learned"
    assert _how_good({**result, "kind": "value"}) == f"R² {told}{value}"


def test_a_seed_asks_for_random_numbers(there: Path) -> None:
    told = json.loads(run(*TRAIN, "--seed", "1", "--d", "100", "--json").stdout)
    assert told["random_numbers"] > 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a system with named pipes")
@pytest.mark.timeout(60)
def test_a_table_may_come_through_a_pipe(there: Path) -> None:
    os.mkfifo("pipe")
    content = Path("heart.csv").read_bytes()
    expected = run("predict", "model.safetensors", "heart.csv").stdout
    Thread(target=Path("pipe").write_bytes, args=[content], daemon=True).start()
    assert run("predict", "model.safetensors", "pipe").stdout == expected
    Thread(target=Path("pipe").write_bytes, args=[b"a,b\n1,2\n1\n"], daemon=True).start()
    assert "pipe, row 2" in refusal("train", "pipe", "--target", "b", "--out", "new.safetensors")


@pytest.mark.parametrize("form", ["plain", "gzip", "standard input", "gzip on standard input", "parquet"])
def test_predict_gives_the_answers_of_the_library_in_every_form_of_a_table(form: str, there: Path) -> None:
    content, name, data = Path("heart.csv").read_bytes(), "table", None
    if form == "parquet":
        polars = pytest.importorskip("polars", reason="needs polars: pip install '.[parquet]'")
        polars.read_csv("heart.csv").write_parquet("table")
    elif form.endswith("standard input"):
        name, data = "-", gzip.compress(content) if form.startswith("gzip") else content
    else:
        Path("table").write_bytes(gzip.compress(content) if form == "gzip" else content)
    result = run("predict", "model.safetensors", name, "--votes", "--probabilities", data=data)
    assert result.exit_code == 0, result.output
    machine = adtm.load("model.safetensors")
    frame = read_csv("heart.csv", leave_out=["class"])
    rows = answers(result.stdout)
    assert [int(row["prediction"]) for row in rows] == machine.predict(frame).tolist()
    votes = [int(row["vote for 2"]) for row in rows]  # whole numbers, 0 where they do not decide
    assert votes == machine.rules().votes(frame)[:, 0].tolist()
    assert 0 in votes
    assert [float(row["probability of 1"]) for row in rows] == machine.predict_proba(frame)[:, 0].tolist()


def test_votes_are_whole_also_where_a_tie_of_negative_votes_was_decided() -> None:
    """The winner of a tie has the next larger number."""
    votes = np.array([[-3.0, np.nextafter(-3.0, 0), -5.0], [2.0, 1.0, np.nextafter(2.0, 3)]])
    machine = SimpleNamespace(
        multilabel_=False,
        classes_=np.array(list("abc")),
        predict=lambda _: np.array(["b", "c"]),
        decision_function=lambda _: votes,
    )
    columns = _columns(machine, None, votes=True, probabilities=False, interval=None)  # type: ignore[arg-type]
    assert [columns[f"vote for {name}"] for name in "abc"] == [[-3, 2], [-3, 1], [-5, 2]]


def test_predict_writes_files_and_json(there: Path) -> None:
    run("predict", "model.safetensors", "heart.csv", "--out", "answers.csv")
    listed = json.loads(run("predict", "model.safetensors", "heart.csv", "--json").stdout)
    assert [str(each["prediction"]) for each in listed] == [
        row["prediction"] for row in answers(Path("answers.csv").read_text())
    ]


def test_a_class_with_a_carriage_return_can_be_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("x,y\n" + 'a,"p\rq"\nb,r\n' * 10, encoding="utf-8", newline="")
    run("train", "t.csv", "--target", "y", "--out", "model", "--epochs", "2", "--no-choice")
    for votes in ((), ("--probabilities",)):
        run("predict", "model", "t.csv", "--out", "answers.csv", *votes)
        assert read_csv("answers.csv")["prediction"].categories == ("p\rq", "r")


def test_predict_writes_json_to_a_file_too(there: Path) -> None:
    told = run("predict", "model.safetensors", "heart.csv", "--json").stdout
    assert run("predict", "model.safetensors", "heart.csv", "--json", "--out", "answers.json").stdout == ""
    assert Path("answers.json").read_text() == told


def test_predict_takes_columns_by_name_and_looks_at_no_others(there: Path) -> None:
    lines = [line.split(",") for line in Path("heart.csv").read_text().splitlines()]
    Path("turned.csv").write_text("\n".join(",".join([*reversed(line), "no number"]) for line in lines))
    turned = run("predict", "model.safetensors", "turned.csv")
    assert turned.stdout == run("predict", "model.safetensors", "heart.csv").stdout


def test_predict_knows_the_texts_of_a_frame_whose_file_has_spaces_behind_its_commas(tmp_path: Path) -> None:
    table = "age, job, home\n" + "".join(f"{k % 7}, {'ab?'[k % 3]}, {'xy'[k % 2]} \n" for k in range(60))
    (tmp_path / "table.csv").write_text(table, encoding="utf-8")
    frame = pd.read_csv(io.StringIO(table))
    assert list(frame.columns) == ["age", " job", " home"]
    assert frame[" job"].unique().tolist() == [" a", " b", " ?"]
    machine = adtm.ADTMClassifier(n_clauses=20, T=10, epochs=5).fit(frame, np.array(["no", "yes", "why"] * 20))
    machine.save(tmp_path / "model.safetensors")
    result = run("predict", str(tmp_path / "model.safetensors"), str(tmp_path / "table.csv"))
    assert result.stderr == ""
    assert [row["prediction"] for row in answers(result.stdout)] == machine.predict(frame).tolist()


def test_rules_know_the_classes_of_a_frame_whose_file_has_spaces_behind_its_commas(tmp_path: Path) -> None:
    table = "age, class\n" + "".join(f"{k % 7}, {'no' if k % 7 < 3 else 'NA'}\n" for k in range(35))
    (tmp_path / "table.csv").write_text(table, encoding="utf-8")
    frame = pd.read_csv(io.StringIO(table), keep_default_na=False)
    machine = adtm.ADTMClassifier(n_clauses=20, T=10, epochs=5).fit(frame[["age"]], frame[" class"])
    assert machine.classes_.tolist() == [" NA", " no"]
    machine.save(tmp_path / "model.safetensors")
    for target in ("class", " class"):
        result = run(
            "rules", str(tmp_path / "model.safetensors"), "--data", str(tmp_path / "table.csv"), "--target", target
        )
        assert (result.exit_code, "100% right" in result.stdout) == (0, True)


def test_tables_with_texts_truth_and_gaps_are_learned_as_they_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = [
        f"{name},{rng.integers(90)},{rng.choice(['red', 'green', '?'])},{rng.choice(['true', 'false'])}"
        for name in range(300)
    ]
    kind = ["old" if int(row.split(",")[1]) > 45 else "young" for row in rows]
    text = "\n".join(f"person {row},{label}" for row, label in zip(rows, kind, strict=True))
    Path("people.csv").write_text(f"name,age,colour,member,kind\n{text}\n")
    result = run("train", "people.csv", "--target", "kind", "--out", "people.st", "--jobs", "1", "--epochs", "10")
    assert result.exit_code == 0, result.output
    assert "left out: name (300 different texts in 300 rows, such as 'person 0'; --text name keeps it)" in result.stderr
    predicted = [row["prediction"] for row in answers(run("predict", "people.st", "people.csv").stdout)]
    assert np.mean([a == b for a, b in zip(predicted, kind, strict=True)]) > 0.9


def test_numbers_that_are_left_out_as_texts_are_shown_with_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("n;net price;y\n" + "".join(f"{k % 9};{k},5;{k % 2}\n" for k in range(60)))
    result = run("train", "t.csv", "--target", "y", "--out", "m.st", "--jobs", "1", "--epochs", "2")
    assert result.stderr.startswith(
        "left out: net price (numbers as texts, such as '0,5': digits and a decimal point alone make numbers; "
        "--text 'net price' keeps it)"
    )


def test_names_with_brackets_are_written_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["weight [kg]", "[/]", "[red]", ":car:"]
    rows = "".join(f"{k % 9},{k % 5},{k % 7},{k % 3},{k % 2}\n" for k in range(60))
    Path("t.csv").write_text(f"{','.join(names)},y\n{rows}")
    train = ("train", "t.csv", "--jobs", "1", "--epochs", "5")
    assert "m[0].st written" in run(*train, "--target", "y", "--out", "m[0].st").stdout
    shown = run("explain", "m[0].st", "t.csv").stdout
    assert all(f"│ {name} " in shown for name in names)
    run(*train, "--target", "weight [kg]", "--value", "--out", "v.st")
    shown = run("explain", "v.st", "t.csv", "--row", "1").stdout
    assert all(f"│ {name} " in shown for name in names[1:])


def test_names_and_texts_give_no_orders_to_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{'red' if k % 2 else chr(27) + '[2J'},{k % 5},n{chr(155)}{k},{k % 2}\n" for k in range(60))
    Path("t.csv").write_text(f"\x1b]0;title\x07colour,n\x7f,\x1b[31mname,y\n{rows}", encoding="utf-8")
    learn = ("t.csv", "--target", "y", "--jobs", "1", "--epochs", "3", "--clauses", "4")
    said = [run("train", *learn, "--out", "m.st"), run("train", *learn, "--out", "r.st", "--readable")]
    said += [run("rules", "m.st"), run("rules", "m.st", "--markdown"), run("explain", "m.st", "t.csv")]
    said += [run("explain", "m.st", "t.csv", "--row", "1"), run("explain", "m.st", "t.csv", "--row", "61")]
    assert [result.exit_code for result in said] == [0] * 6 + [2]
    assert not set("\x1b\x07\x7f\x9b") & set("".join(result.output for result in said))
    assert "\\x1b]0;title\\x07colour" in said[2].output


@pytest.mark.filterwarnings("always::adtm.AdviceWarning")
def test_titles_of_tables_are_one_line_and_advice_is_given_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"2024-01-0{k % 9 + 1},{k % 5},{k % 2}\n" for k in range(60))
    Path("t.csv").write_text(f"day,n,y\n{rows}")
    result = run("evaluate", "t.csv", "--target", "y", "--jobs", "1", "--epochs", "2")
    assert "60 rows, 5 folds: each row is tested once, by a model that has not seen it\n" in result.stdout
    assert result.stderr.count("column 'day' has dates as texts") == 1
    run("train", "t.csv", "--target", "y", "--out", "m.st", "--jobs", "1", "--epochs", "2")
    assert run("explain", "m.st", "t.csv").stdout.startswith(
        "Share of all votes on 60 rows that hangs on each column\n"
    )


@pytest.mark.parametrize("name", ["", "Unnamed: 0"])
def test_an_index_that_came_along_is_left_out_and_that_is_said(name: str, there: Path) -> None:
    first, *rows = Path("heart.csv").read_text().splitlines()
    numbers = np.random.default_rng(0).permutation(len(rows))  # as after shuffling
    Path("indexed.csv").write_text(
        "\n".join([f"{name},{first}", *(f"{k},{row}" for k, row in zip(numbers, rows, strict=True))])
    )
    before = adtm.load("model.safetensors").states_
    result = run(TRAIN[0], "indexed.csv", *TRAIN[2:])
    assert f"left out: {name or 'column 1'} (unnamed, with a different whole number in every row" in result.stderr
    assert (adtm.load("model.safetensors").states_ == before).all()
    Path("named.csv").write_text(Path("indexed.csv").read_text().replace(f"{name},age", "number,age"))
    assert "14 columns" in run(TRAIN[0], "named.csv", *TRAIN[2:]).stdout


@pytest.mark.parametrize(
    ("name", "numbers"),
    [("", [0.5, 1.5, 2.5, 3.5]), ("", [0, 1, 2, 2]), ("", [0, 1, "", 3]), ("", [*"abab"]), ("row", [0, 1, 2, 3])],
)
def test_a_first_column_that_is_no_index_is_kept(
    name: str, numbers: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(f"{name},b,y\n" + "".join(f"{each},{k % 2},{k // 2}\n" for k, each in enumerate(numbers)))
    options = TableOptions(Path("t.csv"), ["y"])
    kept: Any = options.read().X
    assert kept.names == (name or "column 1", "b")
    Path("t.csv").write_text(",b,y\n" + "".join(f"{k},{k % 2},{k // 2}\n" for k in range(4)))
    kept = options.read().X
    assert kept.names == ("b",)


def test_a_word_in_a_column_of_numbers_is_told_and_never_costs_the_column(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [[str(k), str(k % 3), "ab"[k > 100]] for k in range(200)]
    rows[6][0] = rows[9][0] = rows[7][1] = "n/a"
    Path("t.csv").write_text("a,b,y\n" + "".join(",".join(row) + "\n" for row in rows))
    options = ("train", "t.csv", "--target", "y", "--out", "m.st", "--epochs", "1")
    stray = (
        "row {}, column {!r}: expected a number as in {} other rows, got 'n/a': leave a field empty where there is none"
    )
    assert refusal(*options) == f"adtm train: t.csv, {stray.format(7, 'a', 198)}; --text a takes all of them as texts"
    result = run(*options, "--ignore", "a")
    assert result.exit_code == 0
    assert f"{stray.format(8, 'b', 199)}; every number is a category so" in result.stderr
    assert run(*options, "--text", "a", "--text", "b").stderr == ""
    Path("t.csv").write_text(Path("t.csv").read_text().replace("n/a", ""))
    assert run(*options).stderr == ""
    assert adtm.load("m.st").booleanizer_.columns_[0].kind == "numeric"


def test_tune_tells_how_far_the_first_values_came(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trials = [Trial({"s": 5}, 1, 0.5, 0.0), Trial({"s": 9}, 1, 0.4, 0.0), Trial({"s": 5}, 3, 0.75, 0.0)]
    monkeypatch.setattr("adtm.tuning.tune", lambda *_, **__: Tuning({"s": 5}, 0.75, None, trials))
    told = json.loads(run("tune", "heart.csv", "--target", "class", "--json").stdout)
    assert (told["score"], told["default_score"]) == (0.75, 0.75)
    trials += [Trial({"s": 9}, 3, 0.875, 0.0)]
    asked: dict[str, Any] = {}
    monkeypatch.setattr(
        "adtm.tuning.tune", lambda *_, **how: asked.update(how) or Tuning({"s": 9}, 0.875, None, trials)
    )
    told = json.loads(run("tune", "heart.csv", "--target", "class", "--json").stdout)
    assert (told["score"], told["default_score"]) == (0.875, 0.75)
    assert {name: asked[name] for name in ("space", "n_candidates", "epochs", "path", "refit", "verbose")} == {
        "space": None,
        "n_candidates": 27,
        "epochs": 30,
        "path": None,
        "refit": False,
        "verbose": 0,
    }
    shown = run("tune", "heart.csv", "--target", "class", "--ands", "--records", "r.jsonl").stdout
    assert (asked["space"], asked["path"]) == (space_of("plain"), Path("r.jsonl"))
    title, *lines = shown.splitlines()
    assert title == "4 trials; those of 3 epochs"
    assert [line.split() for line in lines if "0." in line][:2] == [
        ["│", "0.875", "│", "9", "│"],
        ["│", "0.750", "│", "5", "│"],
    ]


@pytest.mark.parametrize(("options", "verbose"), [((), 1), (("--json",), 0)])
def test_tune_shows_its_progress_on_a_terminal_unless_a_program_reads(
    options: tuple[str, ...], verbose: int, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Any] = {}
    found = Tuning({"s": 5}, 0.75, None, [Trial({"s": 5}, 1, 0.5, 0.0)])
    monkeypatch.setattr("adtm.tuning.tune", lambda *_, **given: asked.update(given) or found)
    terminal = SimpleNamespace(stderr=SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(import_module("adtm.cli.tune"), "sys", terminal)
    run("tune", "heart.csv", "--target", "class", *options)
    assert asked["verbose"] == verbose


def test_long_lines_hang_under_their_beginning_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "50")
    write_text("  1. 3 for ill: " + "age > 50 and " * 9)
    first, *others = capsys.readouterr().out.splitlines()
    assert first.startswith("  1. 3 for ill: age > 50")
    assert {len(line) - len(line.lstrip()) for line in others} == {7}
    assert max(map(len, others)) <= 50
    write_text("  1. 3 for ill: " + "a" * 60)
    assert capsys.readouterr().out.splitlines() == ["  1. 3 for ill:", " " * 7 + "a" * 60]  # a name is not cut


def test_one_is_told_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("a,y\n1,0\n2,1\n")
    said = run("train", "t.csv", "--target", "y", "--out", "m.st", "--jobs", "1", "--epochs", "1").stdout
    assert said.startswith("2 rows, 1 column, 1 Boolean feature, 2 classes\n")
    assert "after 1 epoch, 0 random numbers" in said
    assert [counted(n, "row") for n in (0, 1, 1200)] == ["0 rows", "1 row", "1,200 rows"]


def test_evaluate_compares_with_a_majority_a_tree_and_a_forest(there: Path) -> None:
    options = ("evaluate", "heart.csv", "--target", "class", "--folds", "3", "--epochs", "5", "--jobs", "1")
    begin = time.perf_counter()
    results = json.loads(run(*options, "--json").stdout)["results"]
    assert 3 * sum(result["seconds"] for result in results.values()) <= time.perf_counter() - begin  # of a fold
    assert list(results) == ["adtm", "majority", "tree", "forest"]
    assert results["majority"]["accuracy"] == pytest.approx(150 / 270)
    assert results["adtm"]["accuracy"] > results["majority"]["accuracy"]
    assert results["adtm"]["accuracy"] == pytest.approx(np.mean(results["adtm"]["folds"]))
    assert results["adtm"]["deviation"] == pytest.approx(np.std(results["adtm"]["folds"], ddof=1))
    shown = run(*options).stdout
    for name, result in results.items():
        (line,) = [line for line in shown.splitlines() if f"│ {name}" in line]
        assert f"{result['accuracy']:.3f}" in line


def test_what_is_missing_is_missing_for_the_others_too() -> None:
    frame = read_csv(io.BytesIO(b"a,b,c\n1,x,true\n,y,\n3,,false\n"))
    nan = np.nan
    np.testing.assert_array_equal(_numbers(frame), [[1, 1, 0, 1], [nan, 0, 1, nan], [3, 0, 0, 0]])
    large = read_csv(io.BytesIO(f"a,b\n{2**100},3\n,4\n{-(2**200)},\n".encode()))
    np.testing.assert_array_equal(_numbers(large), [[0.5, 3], [nan, 4], [-(2.0**99), nan]])


def test_an_error_is_told_as_people_write_numbers_and_shares_with_three_digits(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = {"r2": 0.5, "mean_absolute_error": 12345.678, "deviation": 0.25, "seconds": 1.5, "folds": [0.5]}
    _show({"adtm": found}, "value", "title")
    assert [cell.strip() for cell in capsys.readouterr().out.splitlines()[4].split("│")[1:-1]] == [
        *("adtm", "0.500", "0.250", "12,346", "1.50"),
    ]


def test_rare_classes_can_be_shown_as_often_as_others_and_count_as_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [(k % 10, k % 7, "rare" if k % 10 == 0 and k % 7 > 2 else "usual") for k in range(210)]
    Path("t.csv").write_text("a,b,y\n" + "".join(f"{a},{b},{y}\n" for a, b, y in rows))
    options = ("evaluate", "t.csv", "--target", "y", "--folds", "2", "--epochs", "2", "--clauses", "4", "--jobs", "1")
    plain, balanced = (json.loads(run(*options, *more, "--json").stdout)["results"] for more in ((), ("--balanced",)))
    assert plain["majority"]["balanced_accuracy"] == 0.5
    assert balanced["adtm"]["balanced_accuracy"] > plain["adtm"]["balanced_accuracy"]
    run("train", "t.csv", "--target", "y", "--balanced", "--out", "m.st")
    assert adtm.load("m.st").class_weight == "balanced"
    line = refusal("train", "t.csv", "--target", "a", "--value", "--balanced", "--out", "m.st")
    assert line == "adtm train: --balanced is for classes, got a value"


def test_thresholds_that_a_machine_moves_are_an_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("a,y\n" + "".join(f"{k},{'b' if k > 50 else 'a'}\n" for k in range(70)))
    options = ("train", "t.csv", "--target", "y", "--adaptive", "--bits", "1", "--epochs", "2", "--out", "m.st")
    run(*options, "--clauses", "4")
    assert adtm.load("m.st").booleanizer_.get_feature_names_out().tolist() == ["a <= 50"]
    line = refusal("train", "t.csv", "--target", "a", "--value", "--adaptive", "--out", "m.st")
    assert line == "adtm train: --adaptive is for classes, got a value"


def test_tune_finds_what_the_library_finds_and_writes_its_model(there: Path) -> None:
    options = ("tune", "heart.csv", "--target", "class", "--candidates", "4", "--epochs", "2", "--jobs", "1")
    told = json.loads(run(*options, "--json", "--out", "tuned.st", "--records", "trials.jsonl").stdout)
    y = read_csv("heart.csv", kinds={"class": "numeric"})["class"].data.astype(int)
    X = read_csv("heart.csv", leave_out=["class"])
    found = adtm.tune(X, y, n_candidates=4, epochs=2)
    assert told["best"] == found.best_params_
    assert (told["measure"], told["score"]) == ("accuracy", found.best_score_)
    assert (adtm.load("tuned.st").states_ == found.best_estimator_.states_).all()
    shown = run(*options, "--records", "trials.jsonl")
    assert f"{found.best_score_:.3f}" in shown.stdout
    assert shown.stderr == "--out FILE learns all rows with the best of them\n"
    ands = json.loads(run(*options, "--ands", "--json").stdout)
    assert ands["best"]["tolerance"] == 0


def test_many_rows_stop_early_and_the_rows_held_out_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "\n".join(f"{k % 97},{k % 13},{int(k % 97 > 40)}" for k in range(10_500))
    Path("many.csv").write_text(f"a,b,y\n{rows}\n")
    told = json.loads(run("train", "many.csv", "--target", "y", "--out", "m.st", "--jobs", "1", "--json").stdout)
    assert told["held_out"] > 0.95
    assert told["epochs"] < 60
    machine = adtm.load("m.st")
    assert told["epochs"] == machine.n_epochs_


# ---- what is refused -------------------------------------------------------------------------------------------------

ROWS = "a,b,y\n1,x,0\n2,z,1\n"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", "t.csv: the file is empty; a header row and data were expected"),
        (b"a,b,y\n", "t.csv: there is a header but no row of data"),
        (b"a,b,y\n1,x,0\n2,z\n", "t.csv, row 2: expected 3 fields as in the header, got 2"),
        (b"a,a,y\n1,x,0\n2,z,1\n", "t.csv: the column 'a' is there twice; names must differ"),
        (
            b"4,4,y\n1,x,0\n",
            "t.csv: the column '4' is there twice; names must differ; if the first row is data, put a row",
        ),
        (b"a,b,z\n1,x,0\n2,z,1\n", "t.csv: there is no column 'y' to learn; it has a, b and z"),
        (b"a,b,y\n1,x,0\n2,z,\n", "t.csv, row 2, column 'y': expected a value to learn, got none: leave this row out"),
        (
            b"a,y\n1,\n2,0\n3,\n4,?\n",
            "t.csv, row 1, column 'y': expected a value to learn, got none, as in 2 more",
        ),
        (b"a,b,y\n1,x,0\n2,z,0\n", "t.csv, column 'y': expected at least 2 different numbers to learn, got only 0"),
        (b"a,y\n1,x\n2,x\n", "t.csv, column 'y': expected at least 2 classes to tell apart, got only x"),
        (b"y\n1\n2\n", "t.csv: there is no column to learn from besides 'y'"),
        (b'a,y\n1,0\n"2,1\n', "t.csv, row 2: a quotation mark opens a field that no other one closes"),
        (b"a,y\n1,0\n1,1\n", "X gives no Boolean feature: every column is constant."),
        (b"a,y\n1,0\n-inf,1\n", "t.csv, row 2, column 'a': expected a finite number, got '-inf'"),
        (b"\x7fELF\x00\x01", "t.csv, line 1: expected text, got binary data (a byte 0)"),
        ("a,y\nété,0\n".encode("latin-1"), "t.csv, line 2: expected text in utf-8, got the byte 0xe9 at place 1"),
        (b"PAR1 and nothing else", "t.csv: expected a whole Parquet file"),
    ],
)
def test_train_says_what_is_wrong_with_a_table(
    content: bytes, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if content.startswith(b"PAR1"):
        pytest.importorskip("polars", reason="needs polars: pip install '.[parquet]'")
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_bytes(content)
    assert refusal("train", "t.csv", "--target", "y", "--out", "m.st").startswith(f"adtm train: {line}")
    assert not Path("m.st").exists()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("train", ".", "--target", "y", "--out", "m.st"), "adtm train: .: Is a directory"),
        (("train", "no.csv", "--target", "y", "--out", "m.st"), "adtm train: no.csv: No such file or directory"),
        (("train", "heart.csv", "--out", "m.st"), "adtm train: Missing option '--target'."),
        (("train", "heart.csv", "--target", "class", "--out", "."), "adtm train: .: expected the name of a file"),
        (("train", "heart.csv", "--target", "class", "--out", "a/b"), "adtm train: a/b: there is no directory a"),
        (
            ("train", "heart.csv", "--target", "class", "--out", "m.st", "--clauses", "3"),
            "adtm train: n_clauses must be an even",
        ),
        (
            ("train", "heart.csv", "--target", "class", "--out", "m.st", "--ignore", "x"),
            "adtm train: heart.csv: there is no column 'x'; it has age, sex,",
        ),
        (
            ("train", "heart.csv", "--target", "klass", "--out", "m.st"),
            "adtm train: heart.csv: there is no column 'klass' to learn; it has age, sex, chest_pain, "
            "resting_blood_pressure, serum_cholesterol, fasting_blood_sugar, resting_ecg, max_heart_rate, "
            "exercise_angina, oldpeak, slope, major_vessels and 2 more",
        ),
        (("predict", "no.st", "heart.csv"), "adtm predict: no model file at 'no.st'"),
        (("predict", "heart.csv", "heart.csv"), "adtm predict: 'heart.csv' is not a model file that can be read"),
        (("evaluate", "heart.csv", "--target", "class", "--folds", "200"), "adtm evaluate: folds must be at most 120"),
        (("train", "no.csv", "--out", "m.st"), "adtm train: no.csv: No such file or directory"),
        (
            ("rules", "model.safetensors", "--encoding", "latin-1"),
            "adtm rules: --encoding is for the table of --data, which is missing",
        ),
        (
            ("inspect", "model.safetensors", "--out", "page.html", "--encoding", "latin-1"),
            "adtm inspect: --encoding is for the table of --data, which is missing",
        ),
    ],
)
def test_commands_say_what_is_wrong_with_their_arguments(arguments: tuple[str, ...], line: str, there: Path) -> None:
    assert refusal(*arguments).startswith(line)


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ("n,t\n1,red\nmany,green\n", "t.csv, row 2, column 'n': expected a number, got 'many'"),
        ("t\nred\n", "t.csv: there is no column 'n'; it has t"),
    ],
)
def test_predict_says_what_training_did_not_know(
    table: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "\n".join(f"{k % 9},{['red', 'green'][k % 2]},{k % 2}" for k in range(40))
    Path("learn.csv").write_text(f"n,t,y\n{rows}\n")
    run("train", "learn.csv", "--target", "y", "--out", "m.st", "--jobs", "1", "--epochs", "5")
    Path("t.csv").write_text(table)
    assert refusal("predict", "m.st", "t.csv").startswith(f"adtm predict: {line}")


@pytest.mark.filterwarnings("always::adtm.AdviceWarning")
def test_a_category_that_training_did_not_see_is_said_and_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "\n".join(f"{k % 9},{['red', 'green'][k % 2]},{k % 2}" for k in range(40))
    Path("learn.csv").write_text(f"n,t,y\n{rows}\n")
    run("train", "learn.csv", "--target", "y", "--out", "m.st", "--jobs", "1", "--epochs", "5")
    Path("t.csv").write_text("n,t\n1,red\n2,green\n3,blue\n")
    told = run("predict", "m.st", "t.csv")
    assert len(answers(told.stdout)) == 3
    assert "column 't' has a category that was not seen in fit, such as 'blue'" in told.stderr
    explained = run("explain", "m.st", "t.csv", "--row", "2")  # whatever row 3 holds
    assert "blue" not in explained.stdout + explained.stderr
    for row in ("99", "9" * 20):
        line = refusal("explain", "m.st", "t.csv", "--row", row)
        assert line == f"adtm explain: t.csv: row must be 1 to 3, got {row}"
    Path("t.csv").write_text("n,t\n1,red\n2,green\nmany,red\n4,red,\n")  # two rows that nobody can read
    assert run("explain", "m.st", "t.csv", "--row", "2").stdout == explained.stdout
    wrong = refusal("explain", "m.st", "t.csv", "--row", "3")
    assert wrong == "adtm explain: t.csv, row 3, column 'n': expected a number, got 'many'"


def test_a_table_without_names_of_its_columns_is_said_to_have_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{k % 9 - 4}.5,{k % 7}.25,{k % 2}\n" for k in range(40))
    train = ("train", "t.csv", "--jobs", "1", "--epochs", "3", "--out", "m.st", "--target")
    Path("t.csv").write_text(f"-1.5,0.25,1\n{rows}")
    told = run(*train, "1").stderr
    assert "the first row names the columns, '-1.5' is one: if it is data, put a row of names above it" in told
    for names in ("0,1,2", "a,-1.5,2"):  # pixels have numbers for names, and a name may look like one
        Path("t.csv").write_text(f"{names}\n{rows}")
        assert "first row" not in run(*train, "2").stderr
    rows = "".join(f"{k % 9},{k % 7},{k % 5},{k % 2}\n" for k in range(40))
    for names, told in (("a,-1.5,0.25,y", False), ("2,-1.5,0.25,y", False), ("1e3,-1.5,0.25,y", True)):  # of half?
        Path("t.csv").write_text(f"{names}\n{rows}")
        assert ("first row" in run(*train, "y").stderr) == told


def test_a_class_of_one_row_cannot_be_learned_and_tested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("a,y\n1,x\n2,x\n3,z\n")
    line = refusal("evaluate", "t.csv", "--target", "y")
    assert line == "adtm evaluate: expected at least 2 rows of each class, to learn from and to test, got 1 of z"


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([], "there are columns but no row of data"),
        ([1.0, float("inf")], "Input X contains infinity or a value too large for float64, in column 'y'."),
    ],
)
def test_a_parquet_file_with_nothing_to_learn_from_is_named(values: list[float], why: str, there: Path) -> None:
    polars = pytest.importorskip("polars", reason="needs polars: pip install '.[parquet]'")
    polars.DataFrame({"a": [1.0, 2.0][: len(values)], "y": values}).write_parquet("t.parquet")
    assert refusal("train", "t.parquet", "--target", "y", "--out", "m.st") == f"adtm train: t.parquet: {why}"


def test_parquet_without_its_extra_names_the_install_that_works(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    Path("t.parquet").write_bytes(b"PAR1")
    line = refusal("predict", "model.safetensors", "t.parquet")
    assert "reading Parquet needs the package 'polars': pip install '.[parquet]' where adtm's sources are" in line


def test_the_papers_machine_has_one_word(there: Path) -> None:
    told = json.loads(run(*TRAIN, "--paper", "--d", "100", "--s", "3", "--seed", "7", "--json").stdout)
    loaded = adtm.load("model.safetensors")
    assert told["random_numbers"] > 0
    assert {name: getattr(loaded, name) for name in adtm.PAPER} == adtm.PAPER
    assert (loaded.d, loaded.s, loaded.random_state) == (100, 3, 7)


@pytest.mark.parametrize(
    ("words", "parameters"),
    [
        ({}, {}),
        ({"paper": True}, {**adtm.PAPER, "random_state": 0}),
        ({"paper": True, "seed": 7}, {**adtm.PAPER, "random_state": 7}),
        ({"paper": True, "s": 3, "clauses": 20}, {**adtm.PAPER, "random_state": 0, "s": 3, "n_clauses": 20}),
        ({"ands": True}, {"tolerance": 0}),
        ({"readable": True}, adtm.READABLE),
        ({"readable": True, "epochs": 9}, {**adtm.READABLE, "epochs": 9}),
        ({"readable": True, "paper": True}, {**adtm.PAPER, "random_state": 0, **adtm.READABLE}),
        ({"seed": 5}, {"random_state": 5, **{name: adtm.PAPER[name] for name in DRAWN}}),
        ({"no_choice": True}, {"choose": False}),
        ({"balanced": True}, {"class_weight": "balanced"}),
        ({"tolerance": 0, "members": 3}, {"tolerance": 0, "n_members": 3}),
    ],
)
def test_words_of_a_command_are_parameters_of_an_estimator(words: dict[str, Any], parameters: dict[str, Any]) -> None:
    made = MachineOptions(**words).new("classes", RunOptions(backend="native", jobs=3), np.empty(10))
    expected = adtm.ADTMClassifier(**{**parameters, "backend": "native", "n_jobs": 3, "verbose": 0})
    assert made.get_params(deep=False) == expected.get_params(deep=False)


def test_a_seed_draws_all_that_the_papers_machine_draws() -> None:
    drawn = {name for name, value in adtm.PAPER.items() if value == "random" or value is True}
    assert set(DRAWN) == drawn


@pytest.mark.parametrize("word", ["--ands", "--paper"])
def test_words_for_machines_exclude_a_tolerance(word: str, there: Path) -> None:
    assert "exclude each other" in refusal(*TRAIN, word, "--tolerance", "3")


def test_a_backend_can_be_chosen_and_must_be_known(there: Path) -> None:
    run(
        "train",
        "heart.csv",
        "--target",
        "class",
        "--out",
        "r.st",
        "--epochs",
        "1",
        "--clauses",
        "4",
        "--backend",
        "reference",
    )
    run("train", "heart.csv", "--target", "class", "--out", "n.st", "--epochs", "1", "--clauses", "4")
    assert (adtm.load("r.st").states_ == adtm.load("n.st").states_).all()
    refused = refusal(*TRAIN, "--backend", "abacus")
    assert "backend must be one of 'auto', 'native', 'reference', 'cuda', 'dask', got 'abacus'" in refused


def test_an_encoding_is_for_csv_files_alone(there: Path) -> None:
    adtm.pack("heart.csv", "heart.packed", "class")
    polars = pytest.importorskip("polars", reason="needs polars: pip install '.[parquet]'")
    polars.read_csv("heart.csv").write_parquet("heart.parquet")
    for file in ("heart.packed", "heart.parquet"):
        target = ("--target", "class") if file == "heart.parquet" else ()
        for words in (("train", file, *target, "--out", "m.st"), ("predict", "model.safetensors", file)):
            line = f"adtm {words[0]}: --encoding is for CSV files, and {file} is none, got 'latin-1'"
            assert refusal(*words, "--encoding", "latin-1") == line
    assert run("predict", "model.safetensors", "heart.csv", "--encoding", "latin-1").exit_code == 0
