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


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("format",), "other"),
        (("version",), 2),
        (("named",), 1),
        (("columns",), []),
        (("columns", 0, "kind"), "date"),
        (("columns", 0, "name"), 3),
        (("columns", 0, "categories"), ["only one"]),
        (("columns", 0, "thresholds"), [1.0]),
        (("columns", 0, "missing"), True),
        (("outputs", "labels"), [0]),
        (("outputs", "preference"), [0, 0]),
        (("outputs", "n_banks"), 2),
        (("outputs", "kind"), "many"),
        (("outputs", "T"), 0),
        (("outputs", "T"), 2**63),
        (("rules", 0, "bank"), 1),
        (("rules", 0, "weights"), [1, 2]),
        (("rules", 0, "weights"), [0]),
        (("rules", 0, "weights"), [2**31 - 2]),
        (("rules", 0, "literals"), [10**6]),
        (("rules", 0, "literals"), []),
        (("rules", 0, "limit"), 0),
        (("rules", 0, "votes"), 2),
        (("rules", 0, "tests", 0, "misses"), 1.0),
        (("version",), True),
        (("rules", 0, "tests"), []),
        (("rules", 0, "if"), "true"),
        (("rules", 0, "side"), "+1 for nobody"),
        (("rules", 0, "more"), 1),
        (("rules",), {}),
    ],
)
def test_altered_json_is_refused(plain: dict[str, Any], path: tuple[Any, ...], value: Any) -> None:
    altered = json.loads(json.dumps(plain))
    inner = altered
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    with pytest.raises(ValueError, match="must"):
        RuleSet.from_json(json.dumps(altered))


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
