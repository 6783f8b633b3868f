"""Values and several labels on the command line: from a table to models, answers, scores, rules, reasons and pages."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import date, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import r2_score

import adtm
from adtm.cli.output import number
from adtm.explain import explain, flips, spans
from adtm.export import c, verilog
from adtm.rules import RuleSet, mean_values, measure, small
from commands import answers, refusal, run, there
from made_targets import LABELS, SMALL, TARGETS, days, houses, trained

__all__ = ["there", "trained"]


# ---- learning --------------------------------------------------------------------------------------------------------


def test_a_value_is_learned_as_the_library_learns_it(there: Path) -> None:
    X, y = houses()
    machine = adtm.ADTMRegressor(n_clauses=60, epochs=8).fit(X, y)
    assert (adtm.load("price.st").states_ == machine.states_).all()
    result = run("train", "houses.csv", "--target", "price", "--out", "m.st", *SMALL)
    assert "300 rows, 3 columns" in result.stdout
    assert "a value from" in result.stdout
    assert result.stderr == "price: 300 different numbers, learned as a value\n"
    told = json.loads(run("train", "houses.csv", "--target", "price", "--out", "m.st", "--json", *SMALL).stdout)
    assert (told["kind"], told["range"], told["random_numbers"]) == ("value", [y.min(), y.max()], 0)
    assert told["mean_absolute_error"] == pytest.approx(np.abs(machine.predict(X) - y).mean())
    assert told["r2"] == pytest.approx(r2_score(y, machine.predict(X)))
    assert told["r2"] > 0.8


@pytest.mark.parametrize("exponent", [-310, 200, 299])
def test_values_of_any_size_are_told_in_plain_words(exponent: int, tmp_path: Path) -> None:
    table, model = tmp_path / "t.csv", str(tmp_path / "m.st")
    table.write_text("a,y\n" + "".join(f"{k % 7},{k % 7}e{exponent}\n" for k in range(60)))
    command = ("train", str(table), "--target", "y", "--value", "--out", model, "--epochs", "1", "--no-choice")
    result = run(*command)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    told = json.loads(run(*command, "--json").stdout)
    assert 0 < told["r2"] < 1
    assert 0 < told["mean_absolute_error"] < float(f"4e{exponent}")


def test_labels_are_learned_by_name(there: Path) -> None:
    X, y = days()
    machine = adtm.load("days.st")
    assert machine.label_names_.tolist() == list(LABELS)
    told = json.loads(run("train", "days.csv", *TARGETS, "--out", "m.st", "--json", *SMALL).stdout)
    assert (told["kind"], told["labels"]) == ("labels", list(LABELS))
    assert told["accuracy"] == pytest.approx((machine.predict(X) == y).all(axis=1).mean())
    assert "3 labels" in run("train", "days.csv", *TARGETS, "--out", "m.st", *SMALL).stdout


def test_a_seed_draws_for_a_value_too(there: Path) -> None:
    options = ("train", "houses.csv", "--target", "price", "--out", "m.st", "--seed", "1", "--json", *SMALL)
    told = json.loads(run(*options).stdout)
    assert told["random_numbers"] > 0
    assert told["r2"] > 0.8


@pytest.mark.parametrize(
    ("numbers", "options", "kind"),
    [
        ("0.5,1.5", (), "value"),
        ("0,1", (), "classes"),
        ("1,2,3", (), "classes"),
        ("1,2,3", ("--value",), "value"),
        (",".join(map(str, range(50))), ("--value",), "value"),
        (",".join(map(str, range(50))), ("--classes",), "classes"),
        (",".join(map(str, range(101))), (), "value"),
        ("0.5,1.5", ("--text", "y"), "classes"),
        ("1,2,3+", (), "classes"),
        ("true,false", (), "classes"),
        ("-1,1", (), "classes"),
        ("-0.5,0.5", (), "value"),
    ],
)
def test_what_numbers_are_is_found_or_said(
    numbers: str, options: tuple[str, ...], kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{k},{text}" for k, text in enumerate(numbers.split(",") * 3)]
    Path("t.csv").write_text("\n".join(["x,y", *rows]) + "\n")
    result = run("train", "t.csv", "--target", "y", "--out", "m.st", "--epochs", "1", "--json", *options)
    assert json.loads(result.stdout)["kind"] == kind, result.output
    if numbers == "1,2,3" and not options:
        assert result.stderr == "y: 3 different whole numbers, learned as classes (--value learns them as a value)\n"


def test_numbers_of_a_parquet_file_are_taken_as_texts_where_asked(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars", reason="needs polars: pip install '.[parquet]'")
    table, model = str(tmp_path / "t.parquet"), str(tmp_path / "m.st")
    polars.DataFrame({"x": [1, 2, 3, 4], "y": [0.5, 1.5, 0.5, 1.5]}).write_parquet(table)
    options = ("train", table, "--target", "y", "--out", model, "--epochs", "1", "--json")
    assert json.loads(run(*options).stdout)["kind"] == "value"
    assert json.loads(run(*options, "--text", "y").stdout)["classes"] == ["0.5", "1.5"]


@pytest.mark.parametrize(
    "values",
    [
        [1, 2, 3, 4],
        [0.5, 1.5, float("nan"), None],
        [True, False, False, None],
        [Decimal("1.50"), Decimal("2.25"), None, Decimal(3)],
        [date(2020, 1, day) for day in (1, 2, 3, 4)],
        [time(1), time(2), None, time(3)],
        [b"a", b"b", b"c", b"b"],
    ],
    ids=lambda values: type(values[0]).__name__,
)
def test_a_model_reads_a_parquet_file_as_it_was_learned_from(
    values: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    polars = pytest.importorskip("polars", reason="needs polars: pip install '.[parquet]'")
    monkeypatch.chdir(tmp_path)
    polars.DataFrame({"code": values * 9, "y": [1.5, 2.5, 2.5, 2.5] * 9}).write_parquet("t.parquet")
    learned = run(
        *("train", "t.parquet", "--target", "y", "--text", "code", "--text", "y", "--out", "m.st"),
        *("--no-choice", "--epochs", "9", "--clauses", "10"),
    )
    assert learned.exit_code == 0, learned.output
    known = adtm.load("m.st").booleanizer_.columns_[0].categories
    assert "NaN" not in known
    answered = run("predict", "m.st", "t.parquet")
    assert [row["prediction"] for row in answers(answered.stdout)] == ["1.5", "2.5", "2.5", "2.5"] * 9
    assert answered.stderr == ""
    told = ("--data", "t.parquet", "--target", "y")
    for arguments in (("explain", "m.st", "t.parquet"), ("rules", "m.st", *told), ("inspect", "m.st", *told)):
        done = run(*arguments, *(("--out", "page.html") if arguments[0] == "inspect" else ()))
        assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([[1], [2]], "List(Int64)"),
        ([timedelta(1), timedelta(2)], "Duration(time_unit='us')"),
        ([b"\xff", b"\xfe"], "Binary"),
    ],
)
def test_values_that_cannot_be_texts_are_told(values: list[Any], dtype: str, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars", reason="needs polars: pip install '.[parquet]'")
    table = str(tmp_path / "t.parquet")
    polars.DataFrame({"c": values, "y": ["a", "b"]}).write_parquet(table)
    line = refusal("train", table, "--target", "y", "--text", "c", "--out", str(tmp_path / "m.st"))
    assert line == f"adtm train: {table}: column 'c' must hold values that can be texts, got dtype {dtype}"


@pytest.mark.parametrize("categories", [[1, 2, 30], [0.5, 1.5, 2.5], [True, False, True]])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_categories_that_are_no_texts_are_known_in_every_file(
    categories: list[Any], form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    monkeypatch.chdir(tmp_path)
    codes, y = categories * 12, [0, 1, 0] * 12
    frame = pandas.DataFrame({"code": codes})
    adtm.ADTMClassifier(epochs=9).fit(frame.astype("category"), y).save("m.st")
    if form == "csv":
        frame.to_csv("t", index=False)
    else:
        pytest.importorskip("polars", reason="needs polars: pip install '.[parquet]'").DataFrame(
            {"code": codes}
        ).write_parquet("t")
    answered = run("predict", "m.st", "t")
    assert [int(row["prediction"]) for row in answers(answered.stdout)] == y
    assert answered.stderr == ""


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_columns_that_a_model_of_labels_does_not_use_are_not_looked_at(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    columns = {"x": [0, 1, 2, 3] * 9, "d": [date(2020, 1, 1)] * 36, "a": [0, 1, 0, 1] * 9, "b": [0, 0, 1, 1] * 9}
    if form == "csv":
        rows = zip(columns["x"], columns["a"], columns["b"], strict=True)
        Path("t").write_text("x,d,a,b\n" + "".join(f"{x},inf,{a},{b}\n" for x, a, b in rows))
    else:
        polars = pytest.importorskip("polars", reason="needs polars: pip install '.[parquet]'")
        polars.DataFrame(columns).write_parquet("t")
    targets = ("--target", "a", "--target", "b")
    run("train", "t", *targets, "--ignore", "d", "--out", "m.st", "--no-choice", "--epochs", "2", "--clauses", "10")
    told = run("rules", "m.st", "--data", "t", *targets)
    assert told.exit_code == 0, told.output
    assert run("inspect", "m.st", "--data", "t", *targets, "--out", "page.html").exit_code == 0


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "0"),
        (0.5, "0.5"),
        (12.345, "12.35"),
        (-3.0, "-3"),
        (1234.5, "1,234"),
        (312400.2, "312,400"),
        (1e-9, "1e-09"),
        (float("-inf"), "-inf"),
    ],
)
def test_numbers_are_written_as_people_write_them(value: float, words: str) -> None:
    assert number(value) == words


# ---- answering and judging -------------------------------------------------------------------------------------------


def test_predict_answers_with_values(there: Path) -> None:
    X, _ = houses()
    found = [float(row["prediction"]) for row in answers(run("predict", "price.st", "houses.csv").stdout)]
    assert found == adtm.load("price.st").predict(X).tolist()
    ranges = answers(run("predict", "price.st", "houses.csv", "--interval", "0.5").stdout)
    held = [[float(row["at least"]), float(row["at most"])] for row in ranges]
    assert held == adtm.load("price.st").predict_interval(X, 0.5).tolist()


def test_predict_has_a_column_for_each_label(there: Path) -> None:
    X, _ = days()
    machine = adtm.load("days.st")
    rows = answers(run("predict", "days.st", "days.csv", "--votes", "--probabilities").stdout)
    assert list(rows[0])[:4] == [*LABELS, "vote for cold"]
    assert [[int(row[label]) for label in LABELS] for row in rows] == machine.predict(X).tolist()
    assert [float(row["vote for wet"]) for row in rows] == machine.decision_function(X)[:, 2].round().tolist()
    assert [float(row["probability of wet"]) for row in rows] == machine.predict_proba(X)[:, 2].tolist()


@pytest.mark.parametrize(("prefix", "option"), [("vote for ", "--votes"), ("probability of ", "--probabilities")])
def test_votes_never_take_the_place_of_the_answers_about_a_label(prefix: str, option: str, tmp_path: Path) -> None:
    table, model, other = str(tmp_path / "t.csv"), str(tmp_path / "m.st"), f"{prefix}a"
    rows = "".join(f"{k % 7},{k % 2},{k // 2 % 2}\n" for k in range(40))
    Path(table).write_text(f"x,a,{other}\n{rows}")
    learned = run("train", table, "--target", "a", "--target", other, "--out", model, "--epochs", "1", "--no-choice")
    assert learned.exit_code == 0, learned.output
    assert refusal("predict", model, table, option) == (
        f"adtm predict: columns of the answers must have different names, got {other!r} twice: "
        "a label is called so, too"
    )
    assert list(answers(run("predict", model, table).stdout)[0]) == ["a", other]


def test_evaluate_compares_a_value_with_a_mean_a_line_a_tree_and_a_forest(there: Path) -> None:
    options = ("evaluate", "houses.csv", "--target", "price", "--folds", "3", *SMALL)
    told = json.loads(run(*options, "--json").stdout)
    assert told["kind"] == "value"
    results = told["results"]
    assert list(results) == ["adtm", "mean", "linear", "tree", "forest"]
    assert results["mean"]["r2"] < 0.01
    assert results["linear"]["r2"] > 0.95
    assert results["adtm"]["mean_absolute_error"] < results["mean"]["mean_absolute_error"] / 2
    assert results["adtm"]["r2"] == pytest.approx(np.mean(results["adtm"]["folds"]))
    assert "MAE" in run(*options).stdout


def test_numbers_that_others_cannot_hold_are_no_obstacle_to_a_comparison(there: Path) -> None:
    rows = [f"{k},{k % 7 - 3}e307,{k}e298" for k in range(60)]
    Path("wide.csv").write_text("\n".join(["x,far,y", *rows]))
    done = run("evaluate", "wide.csv", "--target", "y", "--value", "--folds", "2", "--json", *SMALL)
    assert done.stderr == ""
    results = json.loads(done.stdout)["results"]
    assert results["linear"]["r2"] > 0.95
    assert 1e298 < results["mean"]["mean_absolute_error"] < 2e299


def test_evaluate_compares_labels_with_a_majority_a_tree_and_a_forest(there: Path) -> None:
    options = ("evaluate", "days.csv", *TARGETS, "--folds", "3", *SMALL)
    results = json.loads(run(*options, "--json").stdout)["results"]
    assert list(results) == ["adtm", "majority", "tree", "forest"]
    _, y = days()
    usual = (y == (y.mean(axis=0) > 0.5)).mean()
    assert results["majority"]["accuracy"] == pytest.approx(usual, abs=0.05)
    assert results["adtm"]["all_right"] <= results["adtm"]["accuracy"]
    assert results["adtm"]["f1"] > 0.9 > results["majority"]["f1"]
    shown = run(*options).stdout
    assert "all right" in shown
    assert f"{results['adtm']['f1']:.3f}" in shown


@pytest.mark.parametrize(
    ("arguments", "measure"), [(("houses.csv", "--target", "price"), "R²"), (("days.csv", *TARGETS), "all right")]
)
def test_tune_searches_for_values_and_labels(arguments: tuple[str, ...], measure: str, there: Path) -> None:
    options = ("tune", *arguments, "--candidates", "3", "--epochs", "2", "--jobs", "1")
    told = json.loads(run(*options, "--out", "tuned.st", "--json").stdout)
    assert told["measure"] == measure
    assert told["score"] == max(trial["score"] for trial in told["trials"] if trial["epochs"] == 2)
    assert adtm.load("tuned.st").get_params()["n_clauses"] == told["best"]["n_clauses"]
    assert adtm.load("tuned.st").ledger_.draws == 0
    assert measure in run(*options).stdout


# ---- rules, reasons, pages, programs ---------------------------------------------------------------------------------


def test_rules_of_a_value_say_what_it_is_where_they_fire(there: Path) -> None:
    X, y = houses()
    rules = adtm.load("price.st").rules()
    assert run("rules", "price.st", "-n", "3").stdout == rules.to_text(3) + "\n"
    first = run("rules", "price.st", "-n", "1", "--data", "houses.csv", "--target", "price").stdout.splitlines()[1]
    fires, mean = measure(rules, X, y)[0].fires, mean_values(rules, X, y)[0]
    assert first.endswith(f"[on {fires} rows, mean {mean:.1f} (of all rows {y.mean():.1f})]")
    Path("one.csv").write_text("".join(Path("houses.csv").read_text().splitlines(keepends=True)[:2]))
    said = run("rules", "price.st", "--all", "--data", "one.csv", "--target", "price").stdout
    notes = {line.split("  [")[1] for line in said.splitlines() if "  [" in line}
    assert notes == {f"on 1 row, mean {y[0]:.1f} (of all rows {y[0]:.1f})]", "on 0 rows]"}


def test_rules_of_labels_are_all_or_those_of_one(there: Path) -> None:
    X, y = days()
    rules = adtm.load("days.st").rules()
    table = ("--data", "days.csv", *reversed(["wet", "--target", "windy", "--target", "cold", "--target"]))
    notes = [str(each) for each in measure(rules, X, y)]
    assert run("rules", "days.st", "--all", *table).stdout == rules.to_text(None, notes) + "\n"
    wet = rules.about("wet")
    assert run("rules", "days.st", "-n", "3", "--label", "wet").stdout == wet.to_text(3) + "\n"
    few = small(wet, X, np.where(y[:, 2], "wet", "not wet"), n_rules=3, n_conditions=2)
    result = run("rules", "days.st", *table, "--label", "wet", "--small", "-n", "3", "--conditions", "2", "--json")
    assert RuleSet.from_json(result.stdout) == few.rules


@pytest.mark.parametrize(("classes", "written"), [([-1, 1], "-1,1"), ([False, True], "false,true")])
def test_classes_of_any_kind_are_measured_as_they_were_learned(
    classes: list[Any], written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("x,y\n" + "".join(f"{k},{written.split(',')[k > 3]}\n" for k in range(8)))
    X, y = np.arange(8)[:, None], np.array(classes)[(np.arange(8) > 3).astype(int)]
    machine = adtm.ADTMClassifier(n_clauses=4, epochs=9, choose=False).fit(X, y)
    machine.save("m.st")
    Path("named.csv").write_text(Path("t.csv").read_text().replace("x,y", "x0,y"))
    said = run("rules", "m.st", "--data", "named.csv", "--target", "y", "--all")
    notes = [str(each) for each in measure(machine.rules(), X, y)]
    assert said.stdout == machine.rules().to_text(None, notes) + "\n"
    run("train", "t.csv", "--target", "y", "--out", "c.st", "--epochs", "1", "--no-choice", "--clauses", "4")
    assert adtm.load("c.st").classes_.tolist() == classes


def test_a_fraction_is_no_class_that_a_rule_could_be_right_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("x0,y\n" + "".join(f"{k},{1.5 if k == 7 else k // 4}\n" for k in range(8)))
    adtm.ADTMClassifier(n_clauses=4, epochs=1, choose=False).fit(np.arange(8)[:, None], np.arange(8) // 4).save("m.st")
    why = "y must hold classes, got numbers with fractions such as 1.5: a regressor learns these"
    line = refusal("rules", "m.st", "--data", "t.csv", "--target", "y", "--all")
    assert line == f"adtm rules: Unknown label type: continuous. {why}"


def test_labels_may_be_named_in_any_order(there: Path) -> None:
    options = ("rules", "days.st", "--data", "days.csv", "--label", "wet")
    turned = [word for label in reversed(LABELS) for word in ("--target", label)]
    assert run(*options, *turned).stdout == run(*options, *TARGETS).stdout != ""


def test_few_short_rules_of_a_value_say_what_each_adds(there: Path) -> None:
    X, y = houses()
    few = adtm.load("price.st").small_rules(X, y, n_rules=4, n_conditions=2, loss=0.02)
    table = ("--data", "houses.csv", "--target", "price")
    options = ("rules", "price.st", *table, "--small", "-n", "4", "--conditions", "2")
    result = run(*options, "--folds", "2")
    lines = result.stdout.splitlines()
    assert [line.split("  [")[0] for line in lines] == [*str(few.rules).splitlines(), few.otherwise]
    assert f"(of all rows {number(y.mean())})" in lines[1]
    assert result.stderr.splitlines()[0] == few.statement
    assert result.stderr.splitlines()[1].startswith("R² 0.")
    assert RuleSet.from_json(run(*options, "--json").stdout) == few.rules


def test_few_short_rules_of_all_labels(there: Path) -> None:
    X, y = days()
    few = adtm.load("days.st").small_rules(X, y, n_rules=2, loss=0.02)
    result = run("rules", "days.st", "--data", "days.csv", *TARGETS, "--small", "-n", "2", "--json")
    assert RuleSet.from_json(result.stdout) == few.rules
    assert result.stderr == f"{few.statement}\n"


@pytest.mark.parametrize(
    "arguments",
    [("price.st", "--data", "houses.csv", "--target", "price"), ("days.st", "--data", "days.csv", *TARGETS)],
)
def test_inspect_shows_few_short_rules(arguments: tuple[str, ...], there: Path) -> None:
    result = run("inspect", *arguments, "--small", "--out", "few.html")
    assert "instead of" in result.stderr
    X, y = houses() if "price.st" in arguments else days()
    page = Path("few.html").read_text(encoding="utf-8")
    for rule in json.loads(small(adtm.load(arguments[0]).rules(), X, y).rules.to_json())["rules"]:
        assert json.dumps(rule["if"]).replace("<", "\\u003c") in page


def test_a_value_is_explained_with_what_each_column_could_make_of_it(there: Path) -> None:
    X, _ = houses()
    rules, one = adtm.load("price.st").rules(), X.take(slice(2, 3))
    text = run("explain", "price.st", "houses.csv", "--row", "3", "-n", "2").stdout
    assert text.startswith(explain(rules, one).to_text(2))
    for span in spans(rules, one):
        (line,) = [line for line in text.splitlines() if line.startswith(f"│ {span.column} ")]
        assert span.high_text in line
    told = json.loads(run("explain", "price.st", "houses.csv", "--row", "3", "--fixed", "area", "--json").stdout)
    assert told["answer"] == adtm.load("price.st").predict(one)[0]
    assert told["spans"] == [asdict(span) for span in spans(rules, one, fixed=["area"])]
    assert "area" in json.loads(run("explain", "price.st", "houses.csv", "--json").stdout)


def test_each_label_is_explained_or_one(there: Path) -> None:
    X, _ = days()
    rules, one = adtm.load("days.st").rules(), X.take(slice(2, 3))
    told = json.loads(run("explain", "days.st", "days.csv", "--row", "3", "--json").stdout)
    assert list(told) == list(LABELS)
    wet = rules.about("wet")
    expected = {**asdict(explain(wet, one)), "flips": [asdict(each) for each in flips(wet, one)]}
    assert told["wet"] == json.loads(json.dumps(expected))
    assert (
        json.loads(run("explain", "days.st", "days.csv", "--row", "3", "--label", "wet", "--json").stdout)
        == told["wet"]
    )
    alone = run("explain", "days.st", "days.csv", "--row", "3", "--label", "wet").stdout
    assert alone.startswith(explain(wet, one).to_text(20))
    assert "and not" not in alone
    assert alone in run("explain", "days.st", "days.csv", "--row", "3").stdout


@pytest.mark.parametrize(
    ("arguments", "measured"),
    [
        (("price.st", "--data", "houses.csv", "--target", "price"), ["support", "mean"]),
        (("days.st", "--data", "days.csv", *TARGETS), ["support", "precision", "recall", "lift"]),
    ],
)
def test_inspect_writes_pages_of_values_and_labels(
    arguments: tuple[str, ...], measured: list[str], there: Path
) -> None:
    assert run("inspect", *arguments, "--out", "page.html").stdout == "page.html written\n"
    page = Path("page.html").read_text(encoding="utf-8")
    rules = adtm.load(arguments[0]).rules()
    assert json.dumps(rules.describe(rules.rules[0])).replace("<", "\\u003c") in page
    assert f'"measured": {json.dumps(measured)}' in page


@pytest.mark.parametrize("model", ["price.st", "days.st"])
def test_energy_is_estimated_for_every_model(model: str, there: Path) -> None:
    assert json.loads(run("energy", model, "--json").stdout)["coins_per_update"] == 0
    assert ("--gates measures this model." in run("energy", model).stdout) == (model == "days.st")


@pytest.mark.parametrize(("model", "table"), [("price.st", houses), ("days.st", days)])
def test_json_and_python_take_every_model(model: str, table: Any, there: Path) -> None:
    rules, X = adtm.load(model).rules(), table()[0].take(slice(20))
    assert RuleSet.from_json(run("export", "json", model).stdout) == rules
    space: dict[str, Any] = {}
    exec(run("export", "python", model).stdout, space)
    plain = [
        [v.categories[code] for code in v.data] if v.categories else [None if x != x else x for x in v.data.tolist()]
        for v in X.columns
    ]
    assert [space["votes"](row) for row in zip(*plain, strict=True)] == rules.votes(X).tolist()


@pytest.mark.parametrize(
    ("model", "options", "said"),
    [
        ("price.st", (), "Answers: "),
        ("days.st", (), "2: wet"),
        ("days.st", ("--label", "wet"), "1: wet"),
    ],
)
@pytest.mark.parametrize(("form", "export"), [("c", c.inference), ("verilog", verilog.inference)])
def test_programs_and_circuits_take_every_model_and_one_label(
    form: str, export: Any, model: str, options: tuple[str, ...], said: str, there: Path
) -> None:
    result = run("export", form, model, *options, "--name", "machine", "--features")
    assert result.exit_code == 0, result.output
    rules = adtm.load(model).rules()
    rules = rules.about("wet") if options else rules
    assert result.stdout == export(rules, name="machine", thresholds=False)
    assert said in result.stdout


@pytest.mark.parametrize("model", ["price.st", "days.st"])
def test_values_and_labels_go_on_learning_in_c(model: str, there: Path) -> None:
    result = run("export", "c", model, "--learn", "--trained", "--name", "machine")
    assert result.exit_code == 0, result.output
    assert "bytes of RAM" in result.stderr
    assert result.stdout == c.learner(adtm.load(model), name="machine", trained=True)


@pytest.mark.parametrize(
    ("model", "options"), [("price.st", ()), ("days.st", ("--trained",)), ("days.st", ("--features",))]
)
def test_values_and_labels_learn_in_a_circuit_too(model: str, options: tuple[str, ...], there: Path) -> None:
    result = run("export", "verilog", model, "--learn", "--name", "machine", *options)
    assert result.exit_code == 0, result.output
    machine, asked = adtm.load(model), {"thresholds": "--features" not in options, "trained": "--trained" in options}
    assert result.stdout == verilog.learner(machine, name="machine", **asked)
    assert ("module machine_table" in result.stdout) == asked["thresholds"]
    assert f"{verilog.memory(machine)} bits" in result.stderr
