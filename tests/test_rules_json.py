"""Rules as JSON: by the schema, and nothing that says something else is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adtm import ADTMClassifier, ADTMRegressor
from adtm.inspection import write_page
from adtm.rules import Outputs, RuleSet, TableColumn
from adtm.rules.simplify import Features, simplified
from made_rules import fitted, table


@pytest.fixture(scope="module")
def plain() -> dict[str, Any]:
    X, y = table("breast_cancer")
    loaded: dict[str, Any] = json.loads(fitted(X, y).rules().to_json())
    return loaded


def test_json_follows_its_schema(plain: dict[str, Any]) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="needs jsonschema, which altair brings")
    from importlib.resources import files

    jsonschema.validate(plain, json.loads(files("adtm.rules").joinpath("rules.schema.json").read_text()))


def test_json_is_indented_where_it_is_asked_for(plain: dict[str, Any]) -> None:
    rules = RuleSet.from_json(json.dumps(plain))
    assert "\n" not in rules.to_json()
    lines = rules.to_json(indent=3).splitlines()
    assert json.loads("".join(lines)) == plain
    assert {len(line) - len(line.lstrip()) for line in lines} >= {0, 3, 6, 9}


@pytest.mark.parametrize(("unit", "got"), [("D", "datetime.date"), ("ns", "np.datetime64")])
def test_labels_that_json_does_not_know_are_refused(unit: str, got: str, tmp_path: Path) -> None:
    X, y = np.arange(20)[:, None] % 2, np.array(["2020-01-01", "2021-01-01"], f"M8[{unit}]")[np.arange(20) % 2]
    machine = ADTMClassifier(n_clauses=4, epochs=1).fit(X, y)
    assert (machine.rules().predict(X) == machine.predict(X)).all()
    assert "2020-01-01" in machine.rules().to_text()
    why = f"JSON must be asked of labels that are texts, numbers or Booleans, got {got}"
    with pytest.raises(ValueError, match=why):
        machine.rules().to_json()
    with pytest.raises(ValueError, match=why):
        write_page(machine, tmp_path / "page.html")


FOLLOWS = "rule 1 must have the votes, tests and texts that follow from its literals and weights"
OF_KIND = "outputs must have the labels and votes of their kind, one of two, classes, labels, value"


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        (("format",), "other", "format and version must be 'adtm rules' 1, got 'other' 1"),
        (("version",), 2, "format and version must be 'adtm rules' 1, got 'adtm rules' 2"),
        (("version",), True, "format and version must be 'adtm rules' 1, got 'adtm rules' True"),
        (("named",), 1, "named must be true or false, got 1"),
        (("booleanized",), "no", "booleanized must be true or false, got 'no'"),
        (("booleanized",), False, "columns must be Boolean and without missing values where nothing is booleanized"),
        (("columns",), [], "columns must be at least one, and missing values allowed in all or in none"),
        (("columns", 0, "may_miss"), False, "columns must be at least one, and missing values allowed in all or in"),
        (("columns", 0, "kind"), "date", "column 0 must have a name and a kind out of .* got 'age' 'date'"),
        (("columns", 0, "name"), 3, "column 0 must have a name and a kind out of .* got 3 'category'"),
        (("columns", 0, "categories"), ["only one"], "column 0 must have .* no category or several different ones"),
        (("columns", 0, "categories"), ["a", "b", "a"], "column 0 must have .* no category or several different ones"),
        (("columns", 5, "thresholds"), [2.0, 1.0], "column 5 must have ascending thresholds"),
        (("columns", 5, "thresholds"), [1.0, 1.0], "column 5 must have ascending thresholds"),
        (("columns", 5, "thresholds"), ["1"], "column 5 must hold finite numbers, got '1'"),
        (("columns", 5, "categories"), ["a", "b"], "column 5 must have what its kind has"),
        (("columns", 0, "thresholds"), [1.0], "column 0 must have what its kind has"),
        (("columns", 0, "categories"), [None, 1], "column 0 must hold strings, Booleans or finite numbers, got None"),
        (("columns", 0, "missing"), True, FOLLOWS),
        (("outputs", "labels"), [0], OF_KIND),
        (("outputs", "labels"), [0, 0], OF_KIND),
        (("outputs", "n_banks"), 2, OF_KIND),
        (("outputs", "kind"), "many", OF_KIND),
        (("outputs", "preference"), [0, 0], r"preference must name each label once, or 0 or 1 for each, got \(0, 0\)"),
        (("outputs", "preference"), [0, 2], "preference must be a whole number in 0..1, got 2"),
        (("outputs", "T"), 0, "T must be a whole number in 1..9223372036854775807, got 0"),
        (("outputs", "T"), 2**63, "T must be a whole number in 1..9223372036854775807, got 9223372036854775808"),
        (("outputs", "low"), 0.5, "low must not lie above high, got 0.5 and 0.0"),
        (("rules", 0, "bank"), 1, "rule 1: bank must be a whole number in 0..0, got 1"),
        (("rules", 0, "weights"), [1, 2], "rule 1 must have 1 weight and ascending literals"),
        (("rules", 0, "weights"), [0], "rule 1 must cast votes on some row and have no literal that others imply"),
        (("rules", 0, "weights"), [2**31 - 2], FOLLOWS),
        (
            ("rules", 0, "weights"),
            [2**31 - 1],
            "rule 1: weights must be a whole number in -2147483647..2147483646",
        ),
        (("rules", 0, "weights"), [-(2**31)], "rule 1: weights must be a whole number in -2147483647..2147483646"),
        (("rules", 0, "clauses"), [-1], "rule 1: clauses must be a whole number in 0..2147483646, got -1"),
        (("rules", 0, "literals"), [80], "rule 1: literals must be a whole number in 0..79, got 80"),
        (("rules", 0, "literals"), [20, 10], "rule 1 must have 1 weight and ascending literals"),
        (("rules", 0, "literals"), [], FOLLOWS),
        (("rules", 0, "limit"), 0, "rule 1: limit must be a whole number in 1..2147483646, got 0"),
        (("rules", 0, "votes"), 2, FOLLOWS),
        (("rules", 0, "tests", 0, "misses"), 1.0, FOLLOWS),
        (("rules", 0, "tests"), [], FOLLOWS),
        (("rules", 0, "if"), "true", FOLLOWS),
        (("rules", 0, "side"), "+1 for nobody", FOLLOWS),
        (("rules", 0, "more"), 1, "rule 1 must have the keys .* 'literals', 'more', 'side'"),
        (("rules",), {}, "rules must be a list, got {}"),
    ],
)
def test_altered_json_is_refused(plain: dict[str, Any], path: tuple[Any, ...], value: Any, why: str) -> None:
    with pytest.raises(ValueError, match=f"^{why}"):
        RuleSet.from_json(json.dumps(altered(plain, path, value)))


def altered(plain: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """A copy with another value at one place."""
    copy: dict[str, Any] = json.loads(json.dumps(plain))
    inner: Any = copy
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return copy


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("outputs", "T"), 1),
        (("outputs", "T"), 2**63 - 1),
        (("outputs", "low"), -1e308),
        (("outputs", "labels"), [False, 2.5]),
        (("rules", 0, "clauses"), [0, 2**31 - 2]),
        (("rules", 0, "weights"), [1 - 2**27]),
        (("columns", 8, "name"), ""),
    ],
)
def test_json_is_read_up_to_the_ends_of_its_ranges(plain: dict[str, Any], path: tuple[Any, ...], value: Any) -> None:
    changed = altered(altered(plain, ("rules",), []) if path[0] != "rules" else plain, path, value)
    assert json.loads(RuleSet.from_json(json.dumps(changed)).to_json()) == changed


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_votes_for_each_output_may_be_as_large_as_32_bits_hold(n_outputs: int) -> None:
    columns = tuple(TableColumn(name, "boolean") for name in "ab")
    outputs = Outputs("classes", ("no", "yes"), (1, 0), n_banks=2 // n_outputs, n_outputs=n_outputs, T=1)

    def rule(literal: int, weight: int) -> Any:
        weights = (0, weight)[2 - n_outputs :]
        return simplified(Features(columns), bank=0, clauses=[0], weights=weights, limit=1, literals=[literal])

    largest = RuleSet(columns, outputs, (rule(0, 2 - 2**31), rule(1, 1)))
    assert RuleSet.from_json(largest.to_json()) == largest
    with pytest.raises(ValueError, match=r"votes must stay below 2\*\*31, got rules with larger weights"):
        RuleSet.from_json(largest.with_rules((rule(0, 2 - 2**31), rule(1, 2))).to_json())


def test_votes_are_bounded_with_all_that_a_rule_may_cast() -> None:
    columns = tuple(TableColumn(name, "boolean") for name in "abcd")
    rule = simplified(Features(columns), bank=0, clauses=[0], weights=[2**29], limit=4, literals=[0, 1, 2, 3])
    assert rule is not None
    rules = RuleSet(columns, Outputs("two", ("no", "yes"), (1, 0), n_banks=1, n_outputs=1, T=1), (rule,))
    with pytest.raises(ValueError, match=r"votes must stay below 2\*\*31"):
        RuleSet.from_json(rules.to_json())


@pytest.mark.filterwarnings("ignore::adtm.AdviceWarning")
def test_a_committee_may_aim_beyond_32_bits() -> None:
    X = np.arange(20.0)[:, None]
    machine = ADTMRegressor(n_clauses=4, T=2**30, n_members=3, epochs=1).fit(X, X[:, 0])
    rules = RuleSet.from_json(machine.rules().to_json())
    assert (rules.outputs.T, rules.predict(X).tolist()) == (3 * 2**30, machine.predict(X).tolist())


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, '{"format": NaN}', b"\xff\xfe", "null"])
def test_other_text_is_refused(text: str | bytes) -> None:
    with pytest.raises(ValueError, match="must"):
        RuleSet.from_json(text)


@pytest.mark.parametrize(
    ("kind", "n_labels", "sound"),
    [
        ("two", 1, False),
        ("two", 2, True),
        ("two", 3, False),
        ("classes", 1, False),
        ("classes", 2, True),
        ("labels", 0, False),
        ("labels", 1, True),
        ("value", 0, True),
        ("value", 1, False),
    ],
)
def test_every_kind_has_its_number_of_labels(kind: str, n_labels: int, sound: bool) -> None:
    n_votes = n_labels if kind in ("classes", "labels") else 1
    plain = json.loads(
        RuleSet((TableColumn("age", "numeric", thresholds=(40.0,)),), Outputs("value", (), (), 1, 1, 4), ()).to_json()
    )
    preference = [0] * n_labels if kind == "labels" else list(range(n_labels))
    labels = [f"label {k}" for k in range(n_labels)]
    plain["outputs"] |= {"kind": kind, "labels": labels, "preference": preference, "n_banks": max(1, n_votes)}
    if sound:
        assert RuleSet.from_json(json.dumps(plain)).outputs.labels == tuple(labels)
        return
    with pytest.raises(ValueError, match="outputs must have the labels and votes of their kind"):
        RuleSet.from_json(json.dumps(plain))
