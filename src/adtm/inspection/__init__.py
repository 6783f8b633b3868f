"""The page of one model: its rules to search and sort, a form that answers a sample, importance, history, ledger.

One HTML file without any network: this file gathers what it shows as JSON, and the scripts beside it draw it, one for
each part of the page: ``machine.js`` answers samples with the rules alone, ``image.js`` does so for images, over which
rules slide, and ``page.js`` puts the parts together. All texts of a model reach the page as JSON and are set as text,
never as HTML.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from adtm.explain import importance
from adtm.machine.ledger import DRAWS
from adtm.rules import RuleSet, mean_values, measure, rules_of
from adtm.rules.patch import patch_offsets
from adtm.rules.text import threshold_texts
from adtm.tables.arrays import as_array, listed_labels
from adtm.tables.booleanizer import Booleanizer
from adtm.tables.table import columns_of, read_table
from adtm.tables.values import Values
from adtm.templating import Markup, fill_html
from adtm.writing import json_text, write

__all__ = ["write_page"]

MEASURED = ("support", "precision", "recall", "lift")
SCRIPTS = ("words", "machine", "image", "table", "sample", "history", "page")  # each uses what is before it
MOST_VALUES = 200_000  # of the rows to choose a sample from, all together
UPDATES = {
    "type_ia_strong": "Type Ia, literal true: towards the clause",
    "type_ia_weak": "Type Ia, literal false: away from it",
    "type_ib": "Type Ib, silent clause: away from it",
    "type_ii": "Type II, false alarm: towards the clause",
}


def write_page(
    machine: Any,
    path: str | Path,
    *,
    X: Any = None,
    y: Any = None,
    title: str = "A model",
    rules: RuleSet | None = None,
) -> Path:
    """Write the page of a fitted machine.

    Parameters
    ----------
    machine : ADTMClassifier, TMClassifier or ADTMRegressor
        Fitted, or read by ``adtm.load``.
    path : path
        The HTML file to write.
    X : array or frame, optional
        Rows to choose samples from, and to count on how many each rule fires, as the machine takes them; for a machine
        with patches an array of images.
    y : array, optional
        Their labels, for precision, recall and lift; or values, for the mean where a rule fires.
    title : str
    rules : RuleSet, optional
        The rules to show and to answer with: a few short ones (``adtm.rules.small``) in the place of all.

    Returns
    -------
    Path

    Examples
    --------
    >>> import tempfile
    >>> from adtm import ADTMClassifier
    >>> from adtm.inspection import write_page
    >>> machine = ADTMClassifier(n_clauses=4, epochs=20, random_state=0).fit([[20], [30], [50], [60]], list("aabb"))
    >>> page = write_page(machine, tempfile.mkdtemp() + "/page.html")
    >>> "Try a sample" in page.read_text()
    True
    """
    here = Path(__file__).parent
    shown = _contents(machine, rules_of(machine) if rules is None else rules, X, y, title)
    parts = {
        "style": (here / "page.css").read_text(encoding="utf-8"),
        "script": "".join((here / f"{part}.js").read_text(encoding="utf-8") for part in SCRIPTS),
        "contents": json_text(shown).replace("<", "\\u003c"),  # no text can end the script
    }
    target = Path(path)
    page = fill_html(here / "page.html", {name: Markup(part) for name, part in parts.items()})
    write(target, page + "\n")
    return target


def _contents(machine: Any, rules: RuleSet, X: Any, y: Any, title: str) -> dict[str, Any]:
    plain = json.loads(rules.to_json())
    for rule in plain["rules"]:
        del rule["literals"], rule["limit"]  # the page answers with the tests
    rows = [] if X is None else _rows(X) if rules.patch is None else _images(rules, X)
    measured, measures = _measures(rules, X, y)
    return {
        "title": title,
        "patch": _patch(rules),
        "columns": [{**column, "written": threshold_texts(tuple(column["thresholds"]))} for column in plain["columns"]],
        "outputs": plain["outputs"],
        "rules": plain["rules"],
        "conditions": rules.n_conditions,
        "measured": measured,
        "measures": measures,
        "mean": float(np.mean(y)) if "mean" in measured else None,
        "rows": rows,
        "n_rows": 0 if X is None else len(X),
        "truth": [] if y is None else listed_labels(as_array(y))[: len(rows)],
        "start": rows[0] if rows else _start(rules, plain["columns"]),
        "importance": _importance(rules, X),
        "history": _history(machine),
        "ledger": _ledger(machine),
        "settings": _settings(machine),
        "epochs": machine.model_.epochs,
    }


def _measures(rules: RuleSet, X: Any, y: Any) -> tuple[tuple[str, ...], list[list[float | None]] | None]:
    """What is measured, and that for each rule: support, with y precision, recall and lift, or the mean of values."""
    if X is None:
        return (), None
    if y is None:
        return MEASURED[:1], [[float(share)] for share in (rules.cast(X) > 0).mean(axis=0)]
    measured = measure(rules, X, y)
    if rules.outputs.kind == "value":
        means = mean_values(rules, X, y).tolist()
        return ("support", "mean"), [[each.support, _known(mean)] for each, mean in zip(measured, means, strict=True)]
    return MEASURED, [[_known(getattr(each, name)) for name in MEASURED] for each in measured]


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _rows(X: Any) -> list[list[Any]]:
    """The first rows as plain values, None for missing."""
    columns = list(columns_of(read_table(X, estimator=None)))
    most = max(1, MOST_VALUES // len(columns))
    return [list(row) for row in zip(*(_plain(values.take(slice(most))) for values in columns), strict=True)]


def _images(rules: RuleSet, X: Any) -> list[list[Any]]:
    """The first images, flat: pixel after pixel, row by row, each with its channels; None for missing."""
    assert rules.patch is not None
    size = math.prod(rules.patch.image)
    first = np.asarray(X)[: max(1, MOST_VALUES // size)]
    return [[None if value != value else value for value in row] for row in first.reshape(len(first), size).tolist()]


def _patch(rules: RuleSet) -> dict[str, Any] | None:
    """The patches and where they lie, in a flat image."""
    patch = rules.patch
    if patch is None:
        return None
    return {**asdict(patch), "rows": patch.rows, "columns": patch.columns, "offsets": patch_offsets(patch)}


def _start(rules: RuleSet, columns: Sequence[dict[str, Any]]) -> list[Any]:
    """A sample to start with, where there are no rows."""
    return [_middle(column) for column in columns] if rules.patch is None else [0] * math.prod(rules.patch.image)


def _plain(values: Values) -> list[Any]:
    data: list[Any] = values.data.tolist()
    if values.kind == "category":
        return [None if code < 0 else values.categories[code] for code in data]
    if values.missing is None:
        return data
    return [None if gone else value for value, gone in zip(data, values.missing.tolist(), strict=True)]


def _middle(column: dict[str, Any]) -> Any:
    """A value to start with, where there are no rows."""
    if column["kind"] == "boolean":
        return False
    choices: Sequence[Any] = column["thresholds"] or column["categories"] or [0 if column["kind"] == "numeric" else ""]
    return choices[len(choices) // 2]


def _importance(rules: RuleSet, X: Any) -> list[list[Any]]:
    """For each column the share of all votes that hangs on it, largest first; without rows every rule votes once."""
    return [[name, share] for name, share in importance(rules, X).items() if share > 0]


def _history(machine: Any) -> list[list[float | None]]:
    """Epoch, and accuracy on the rows learned and held out; of a value the error."""
    what = "error" if hasattr(machine, "y_range_") else "accuracy"
    return [[each.epoch, getattr(each, f"train_{what}"), getattr(each, f"eval_{what}")] for each in machine.history_]


def _ledger(machine: Any) -> dict[str, Any]:
    counts = machine.ledger_.as_dict()
    return {
        "updates": [[said, counts[f"{name}_offered"], counts[f"{name}_skipped"]] for name, said in UPDATES.items()],
        "draws": [[said, counts[name]] for name, said in DRAWS.items()],
        "total": machine.ledger_.draws,
    }


def _settings(machine: Any) -> dict[str, str]:
    """Every parameter by the name that sets it, those of a Booleanizer, too."""
    return {name: _word(value) for name, value in machine.get_params().items() if not isinstance(value, Booleanizer)}


def _word(value: Any) -> str:
    return "∞" if isinstance(value, float) and math.isinf(value) else str(value)
