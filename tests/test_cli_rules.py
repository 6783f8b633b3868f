"""rules, explain, export: what the library says, on the command line."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adtm
from adtm.cli.output import counted
from adtm.explain import explain, flips, importance
from adtm.rules import RuleSet, measure, prune, small, small_costs
from adtm.tables.csvfile import read_csv
from adtm.tables.table import Frame
from commands import refusal, run, there, trained

__all__ = ["there", "trained"]
TABLE = ("--data", "heart.csv", "--target", "class")


def known() -> tuple[RuleSet, Frame, Any]:
    """The rules of the model, its table and the labels."""
    y = read_csv("heart.csv", kinds={"class": "numeric"})["class"].data.astype(int)
    return adtm.load("model.safetensors").rules(), read_csv("heart.csv", leave_out=["class"]), y


def test_rules_are_printed_as_the_library_prints_them(there: Path) -> None:
    rules, X, y = known()
    assert run("rules", "model.safetensors", "-n", "3").stdout == rules.to_text(3) + "\n"
    assert run("rules", "model.safetensors", "--all").stdout == rules.to_text() + "\n"
    notes = [str(each) for each in measure(rules, X, y)]
    assert run("rules", "model.safetensors", *TABLE, "-n", "10").stdout == rules.to_text(10, notes) + "\n"
    counts = [f"on {each.fires} row{'s' * (each.fires != 1)}" for each in measure(rules, X, y)]
    assert run("rules", "model.safetensors", "--data", "heart.csv").stdout == rules.to_text(10, counts) + "\n"
    first = rules.with_rules(rules.rules[:2])
    assert run("rules", "model.safetensors", "-n", "2", "--markdown").stdout == first.to_markdown() + "\n"
    assert RuleSet.from_json(run("rules", "model.safetensors", "-n", "2", "--json").stdout) == first


def test_few_short_rules_come_with_their_cost(there: Path) -> None:
    rules, X, y = known()
    few = adtm.load("model.safetensors").small_rules(X, y, n_rules=4, n_conditions=2, loss=0.02)
    assert few.rules == small(rules, X, y, n_rules=4, n_conditions=2).rules
    result = run("rules", "model.safetensors", *TABLE, "--small", "-n", "4", "--conditions", "2", "--json")
    assert RuleSet.from_json(result.stdout) == few.rules
    assert result.stderr == f"{few.statement}\n"
    assert "on rows held out" in result.stderr


def test_with_a_table_few_short_rules_come_first(there: Path) -> None:
    result = run("rules", "model.safetensors", *TABLE)
    assert result.stderr.startswith("accuracy 0.")
    assert "with all rules, on rows held out" in result.stderr
    head, *lines, last = result.stdout.splitlines()
    assert head.startswith("10 rules, ")
    assert last.startswith("without any rule, or with equal votes: ")
    assert len(lines) == 10
    assert max(line.count(" and ") for line in lines) < 4
    assert run("rules", "model.safetensors", *TABLE, "--small", "-n", "10").stdout == result.stdout


def test_small_takes_as_many_rules_as_the_loss_asks_for(there: Path) -> None:
    _, X, y = known()
    run("train", "heart.csv", "--target", "class", "--out", "plain.st", "--ands", "--jobs", "1")
    few = adtm.load("plain.st").small_rules(X, y, n_rules=50, loss=0.01)
    result = run("rules", "plain.st", *TABLE, "--small", "--loss", "0.01")
    assert len(few.rules) > 10
    assert (
        result.stdout
        == f"{few.rules.to_text(None, [str(each) for each in measure(few.rules, X, y)])}\n{few.otherwise}\n"
    )
    assert result.stderr == f"{few.statement}\n"


def test_small_says_its_cost_on_rows_left_out(there: Path) -> None:
    _, X, y = known()
    machine = adtm.load("model.safetensors")
    [cost] = small_costs(machine, X, y, sizes=[(4, 2)], folds=2)
    result = run("rules", "model.safetensors", *TABLE, "--small", "-n", "4", "--conditions", "2", "--folds", "2")
    assert result.stderr.splitlines()[1] == str(cost)


def test_every_choice_of_short_rules_reaches_those_who_find_and_measure_them(
    there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def costs(*given: Any, **how: Any) -> list[str]:
        asked.append(how)
        return ["the cost"]

    def few(self: Any, X: Any, y: Any, **how: Any) -> Any:
        asked.append(how)
        return small(self.rules(), X, y, **how)

    monkeypatch.setattr("adtm.rules.small_costs", costs)
    monkeypatch.setattr(adtm.ADTMClassifier, "small_rules", few)
    options = ("-n", "7", "--conditions", "3", "--loss", "0.25", "--folds", "3")
    assert run("rules", "model.safetensors", *TABLE, "--small", *options).stderr.endswith("the cost\n")
    assert asked == [
        {"n_rules": 7, "n_conditions": 3, "loss": 0.25},
        {"sizes": [(7, 3)], "loss": 0.25, "folds": 3},
    ]
    asked.clear()
    assert run("inspect", "model.safetensors", *TABLE, "--small", "--out", "page.html").exit_code == 0
    assert run("rules", "model.safetensors", *TABLE, "--small").exit_code == 0
    assert asked == [{"n_rules": 50, "n_conditions": 4, "loss": 0.02}] * 2


def test_rules_that_are_few_and_short_are_printed_as_they_are(there: Path) -> None:
    _, X, y = known()
    machine = adtm.ADTMClassifier(n_clauses=4, epochs=5, tolerance=0, max_literals=2, choose=False).fit(X, y)
    machine.save("short.st")
    rules = machine.rules()
    assert rules.is_short
    notes = [str(each) for each in measure(rules, X, y)]
    for table, expected in ((TABLE, rules.to_text(None, notes)), ((), rules.to_text())):
        result = run("rules", "short.st", *table)
        assert (result.stdout, result.stderr) == (expected + "\n", "")


def test_what_never_matters_can_be_dropped(there: Path) -> None:
    rules, X, y = known()
    found = run("rules", "model.safetensors", "--data", "heart.csv", "--prune", "--all", "--json").stdout
    assert RuleSet.from_json(found) == prune(rules, X)
    left = prune(rules, X)
    said = run("rules", "model.safetensors", *TABLE, "--prune").stdout  # not the few that a table leads with
    assert said == left.to_text(10, [str(each) for each in measure(left, X, y)]) + "\n"


def test_a_row_is_explained_with_what_would_change_its_answer(there: Path) -> None:
    rules, X, _ = known()
    one = X.take(slice(4, 5))
    text = run("explain", "model.safetensors", "heart.csv", "--row", "5").stdout
    assert text.startswith(explain(rules, one).to_text(20))
    whole = run("explain", "model.safetensors", "heart.csv", "--row", "5", "-n", "1000").stdout
    assert whole.startswith(str(explain(rules, one)))
    row, changes = next((k, found) for k in range(9) if len(found := flips(rules, X.take(slice(k, k + 1)))) > 2)
    text = run("explain", "model.safetensors", "heart.csv", "--row", str(row + 1)).stdout
    assert text.endswith("It would be " + "\n         or ".join(map(str, changes)) + "\n")
    every = [option for column in rules.columns for option in ("--fixed", column.name)]
    text = run("explain", "model.safetensors", "heart.csv", "--row", "5", *every).stdout
    assert text.endswith("\nNo change of one or two columns gives another answer.\n")
    told = json.loads(run("explain", "model.safetensors", "heart.csv", "--row", "5", "--fixed", "age", "--json").stdout)
    expected = {**asdict(explain(rules, one)), "flips": [asdict(each) for each in flips(rules, one, fixed=["age"])]}
    assert told == json.loads(json.dumps(expected))


def test_without_a_row_the_columns_are_weighed(there: Path) -> None:
    rules, X, _ = known()
    shares = importance(rules, X)
    assert json.loads(run("explain", "model.safetensors", "heart.csv", "--json").stdout) == shares
    text = run("explain", "model.safetensors", "heart.csv").stdout
    for name, share in shares.items():
        (line,) = [line for line in text.splitlines() if f"│ {name} " in line]
        assert f"{share:.1%}" in line
    Path("one.csv").write_text("".join(Path("heart.csv").read_text().splitlines(keepends=True)[:2]))
    title = run("explain", "model.safetensors", "one.csv").stdout.splitlines()[0]
    assert title == "Share of all votes on 1 row that hangs on each column"


def test_json_and_python_give_the_votes_of_the_machine(there: Path) -> None:
    rules, X, _ = known()
    assert run("export", "json", "model.safetensors", "--out", "rules.json").stderr == "rules.json written\n"
    assert RuleSet.load("rules.json") == rules
    space: dict[str, Any] = {}
    exec(run("export", "python", "model.safetensors", "--name", "vote").stdout, space)
    rows = zip(*(values.data.tolist() for values in X.columns), strict=True)
    assert [space["vote"](row) for row in rows] == rules.votes(X).tolist()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("rules", "model.safetensors", "--small"), "rules: small needs the table that the model was trained on"),
        (("rules", "model.safetensors", "--folds", "5"), "rules: folds are of --small, which is missing"),
        (("rules", "model.safetensors", *TABLE, "--all", "--folds", "5"), "rules: folds are of --small, which is"),
        (
            ("rules", "model.safetensors", *TABLE, "--small", "--folds", "151"),  # one line: no rules were found before
            "rules: folds must be at most 150, the rows of the most frequent class, got 151",
        ),
        (("rules", "model.safetensors", "--prune"), "rules: prune needs the table that the model was trained on"),
        (
            ("rules", "model.safetensors", "--target", "class"),
            "rules: target names a column of --data, which is missing",
        ),
        (("rules", "heart.csv"), "rules: 'heart.csv' is not a model file that can be read"),
        (
            ("explain", "model.safetensors", "heart.csv", "--row", "271"),
            "explain: heart.csv: row must be 1 to 270, got 271",
        ),
        (
            ("explain", "model.safetensors", "heart.csv", "--row", "1", "--fixed", "x"),
            "explain: fixed must name columns of the",
        ),
        (
            ("explain", "model.safetensors", "heart.csv", "--fixed", "age"),
            "explain: --fixed is about one row, and --row is missing",
        ),
        (("export", "yaml", "model.safetensors"), "export: No such command 'yaml'."),
        (
            ("export", "python", "model.safetensors", "--name", "1"),
            "export python: name must be a Python identifier, no keyword and nothing built in, got '1'",
        ),
        (("export", "json", "no.st"), "export json: no model file at 'no.st'"),
    ],
)
def test_what_cannot_be_told_is_one_line(arguments: tuple[str, ...], line: str, there: Path) -> None:
    assert refusal(*arguments).startswith(f"adtm {line}")


# ---- machines that did not learn from columns ------------------------------------------------------------------------


@pytest.fixture
def images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    """Some images as a table with a column for each pixel, and the models images.st of them and bits.st of Booleans."""
    monkeypatch.chdir(tmp_path)
    images = np.random.default_rng(0).integers(0, 9, (40, 3, 3))
    rows = [",".join(map(str, [*image.ravel(), int(image[0, 0] > 4)])) for image in images]
    Path("images.csv").write_text("\n".join([",".join([*(f"p{k}" for k in range(9)), "y"]), *rows]) + "\n")
    adtm.ADTMClassifier(patch=(2, 2), n_clauses=6, epochs=2).fit(images, images[:, 0, 0] > 4).save("images.st")
    flat = images.reshape(40, 9) > 4
    adtm.ADTMClassifier(booleanizer=None, n_clauses=6, epochs=2).fit(flat, flat[:, 0]).save("bits.st")
    return images


def test_rules_of_images_are_measured_on_images(images: np.ndarray) -> None:
    rules = adtm.load("images.st").rules()
    notes = [str(each) for each in measure(rules, images, images[:, 0, 0] > 4)]
    said = run("rules", "images.st", "--data", "images.csv", "--target", "y", "--all").stdout
    assert said == rules.to_text(None, notes) + "\n"


def test_pixels_may_be_true_and_false_but_no_texts(images: np.ndarray) -> None:
    bits = images > 4
    adtm.ADTMClassifier(patch=(2, 2), n_clauses=6, epochs=2).fit(bits, bits[:, 0, 0]).save("bits.st")
    rows = [",".join(map(str, image.ravel())) for image in bits]
    names = ",".join(f"p{k}" for k in range(9))
    Path("bits.csv").write_text("\n".join([names, *rows]).lower() + "\n")
    rules = adtm.load("bits.st").rules()
    notes = [f"on {counted(n, 'row')}" for n in (rules.cast(bits) > 0).sum(axis=0).tolist()]
    assert run("rules", "bits.st", "--data", "bits.csv", "--all").stdout == rules.to_text(None, notes) + "\n"
    Path("bits.csv").write_text("\n".join([names, "bright" + ",1" * 8]) + "\n")
    line = "adtm rules: bits.csv, column 'p0': expected pixels, got texts"
    assert refusal("rules", "bits.st", "--data", "bits.csv") == line


@pytest.mark.parametrize(("model", "what"), [("images.st", "images"), ("bits.st", "Boolean features")])
@pytest.mark.parametrize("command", ["predict", "explain"])
def test_a_model_that_learned_no_columns_reads_no_table(
    command: str, model: str, what: str, images: np.ndarray
) -> None:
    line = f"adtm {command}: images.csv: expected a model that learned from the columns of a table, got one of {what}"
    assert refusal(command, model, "images.csv") == line


def test_long_rules_alone_say_what_to_call_for(there: Path) -> None:
    result = run("rules", "model.safetensors")
    assert len(result.stdout.splitlines()) == 1
    assert "conditions on average" in result.stdout
    assert result.stderr.startswith("a few short rules, and what they cost: --data FILE --target COLUMN; as they are:")
