"""The page of one model: its rules to search and sort, a form that answers a sample, importance, history, ledger.

One HTML file without any network: this file gathers what it shows as JSON, and the scripts beside it draw it, one for
each part of the page: ``machine.js`` answers samples with the rules alone, ``image.js`` does so for images, over which
rules slide, and ``page.js`` puts the parts together. All texts of a model reach the page as JSON and are set as text,
never as HTML.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from adtm.explain import importance
from adtm.machine.ledger import DRAWS
from adtm.rules import RuleSet, mean_values, measure, rules_of
from adtm.rules.measures import answers_wanted, mean_value
from adtm.rules.patch import patch_offsets
from adtm.rules.text import threshold_texts
from adtm.tables.arrays import unmasked
from adtm.tables.booleanizer import Booleanizer
from adtm.tables.columns import Column, as_kind_of
from adtm.tables.literals import Literals
from adtm.tables.packed import Packed
from adtm.tables.pieces import as_pieces, rows_in
from adtm.tables.table import columns_of, is_sparse, read_table, take_rows
from adtm.tables.values import EXACT, Values
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
    X : array, frame, sparse matrix, Pieces, Packed or Literals, optional
        Rows to choose samples from, and to count on how many each rule fires, as the machine takes them; for a machine
        with patches an array of images. Packed rows hold no values to choose, unless the machine learned from Boolean
        features; of pieces those of the first can be chosen.
    y : array, optional
        Their labels, for precision, recall and lift; or values, for the mean where a rule fires; as ``fit`` takes them.
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
    literals = None if X is None else rules.literals(X)
    wanted = None if literals is None or y is None else answers_wanted(rules.outputs, y, len(literals))
    rows = [] if literals is None else _rows(rules, X)
    measured, measures = _measures(rules, literals, y)
    return {
        "title": title,
        "patch": _patch(rules),
        "columns": [_column(column) for column in plain["columns"]],
        "outputs": {**plain["outputs"], "labels": _exact(plain["outputs"]["labels"])},
        "rules": plain["rules"],
        "conditions": rules.n_conditions,
        "measured": measured,
        "measures": measures,
        "mean": mean_value(wanted) if wanted is not None and "mean" in measured else None,
        "rows": rows,
        "n_rows": 0 if literals is None else len(literals),
        "truth": [] if wanted is None else wanted[: len(rows)].tolist(),
        "start": rows[0] if rows else _start(rules),
        "importance": _importance(rules, literals),
        "history": _history(machine),
        "ledger": _ledger(machine),
        "settings": _settings(machine),
        "epochs": machine.model_.epochs,
    }


def _measures(
    rules: RuleSet, literals: Literals | None, y: Any
) -> tuple[tuple[str, ...], list[list[float | None]] | None]:
    """What is measured, and that for each rule: support, with y precision, recall and lift, or the mean of values."""
    if literals is None:
        return (), None
    if y is None:
        return MEASURED[:1], [[float(share)] for share in (rules.cast(literals) > 0).mean(axis=0)]
    measured = measure(rules, literals, y)
    if rules.outputs.kind == "value":
        means = mean_values(rules, literals, y).tolist()
        return ("support", "mean"), [[each.support, _known(mean)] for each, mean in zip(measured, means, strict=True)]
    return MEASURED, [[_known(getattr(each, name)) for name in MEASURED] for each in measured]


def _known(value: float | None) -> float | None:
    """None also for an error that is too large for a number: JSON has no word for it."""
    return None if value is None or not math.isfinite(value) else value


def _rows(rules: RuleSet, X: Any) -> list[list[Any]]:
    """The first rows, of images pixel after pixel, each with its channels; None for missing.

    There are none of packed rows, unless their bits are what the columns hold.
    """
    pieces = as_pieces(X)
    if pieces is not None:
        return _rows(rules, next(iter(pieces.like(rules.channels))).X)
    packed = X.literals if isinstance(X, Packed) else X
    n_values = len(rules.columns) if rules.patch is None else math.prod(rules.patch.image)
    first = take_rows(packed, np.arange(min(rows_in(packed), max(1, MOST_VALUES // n_values))))
    if isinstance(first, Literals):
        return [] if rules.booleanized else _bits(rules, first)
    if rules.patch is not None:
        flat = np.asarray(unmasked(first)).reshape(len(first), n_values)
        return [[None if value != value else value for value in row] for row in flat.tolist()]
    table = read_table(first.toarray() if is_sparse(first) else first, estimator=None)
    return [list(row) for row in zip(*map(_plain, rules.columns, columns_of(table)), strict=True)]


def _bits(rules: RuleSet, literals: Literals) -> list[list[bool]]:
    """Boolean features as they came; those of images lie channel after channel."""
    bits = literals.unpack()[:, : literals.n_features]
    if rules.patch is not None:
        bits = bits.reshape(len(bits), rules.patch.image[2], -1).transpose(0, 2, 1).reshape(len(bits), -1)
    plain: list[list[bool]] = bits.tolist()
    return plain


def _plain(column: Column, values: Values) -> list[Any]:
    """The values of a column; categories by their number, as others may hold what JavaScript rounds."""
    known = as_kind_of(column, values) if column.n_bits else values
    data: list[Any] = known.data.tolist()
    if known.kind == "category":
        data = [len(column.categories) if code < 0 else code for code in data]
    if known.missing is None:
        return data
    return [None if gone else value for value, gone in zip(data, known.missing.tolist(), strict=True)]


def _patch(rules: RuleSet) -> dict[str, Any] | None:
    """The patches and where they lie, in a flat image."""
    patch = rules.patch
    if patch is None:
        return None
    return {**asdict(patch), "rows": patch.rows, "columns": patch.columns, "offsets": patch_offsets(patch)}


def _start(rules: RuleSet) -> list[Any]:
    """A sample to start with, where there are no rows."""
    return [_middle(column) for column in rules.columns] if rules.patch is None else [0] * math.prod(rules.patch.image)


def _middle(column: Column) -> Any:
    """A value to start with, where there are no rows."""
    if column.kind == "boolean":
        return False
    if column.kind == "category":
        return len(column.categories) // 2
    return column.thresholds[len(column.thresholds) // 2] if column.thresholds else 0


def _column(plain: dict[str, Any]) -> dict[str, Any]:
    """A column with its thresholds in words."""
    written = threshold_texts(tuple(plain["thresholds"]))
    return {**plain, "categories": _exact(plain["categories"]), "written": written}


def _exact(labels: list[Any]) -> list[Any]:
    """Labels or categories to be read; whole numbers that JavaScript would round as texts."""
    return [str(label) if type(label) is int and abs(label) > EXACT else label for label in labels]


def _importance(rules: RuleSet, literals: Literals | None) -> list[list[Any]]:
    """For each column the share of all votes that hangs on it, largest first; without rows every rule votes once."""
    return [[name, share] for name, share in importance(rules, literals).items() if share > 0]


def _history(machine: Any) -> list[list[float | None]]:
    """Epoch, and accuracy on the rows learned and held out; of a value the error."""
    what = "error" if hasattr(machine, "y_range_") else "accuracy"
    names = (f"train_{what}", f"eval_{what}")
    return [[each.epoch, *(_known(getattr(each, name)) for name in names)] for each in machine.history_]


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
