"""Rules as JSON, and back: written for programs in any language, read without trust.

A rule is written on both levels. Only the raw one is read; the simplified one is computed again and must equal the one
in the text, so that the conditions in the text are always those of the votes. ``rules.schema.json`` is the JSON Schema
of this form. Words are left to ``text``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any, get_args

from adtm.machine.heads import Label, Outputs
from adtm.markdown import counted
from adtm.rules.form import Rule, runs
from adtm.rules.patch import patch_columns
from adtm.rules.simplify import Features, simplified
from adtm.rules.text import rule_text, side_text, test_text
from adtm.tables.columns import Column
from adtm.tables.patches import Patches
from adtm.tables.values import Kind
from adtm.validation import check_keys
from adtm.writing import json_text

FORMAT, VERSION = "adtm rules", 1
_LARGEST = 2**31 - 1
_LARGEST_T = 2**63  # the members of a committee add up what they aim at; no vote need reach it
Parts = tuple[tuple[Column, ...], Outputs, tuple[Rule, ...], bool, bool, Patches | None]


def to_json(
    columns: Sequence[Column],
    outputs: Outputs,
    rules: Sequence[Rule],
    named: bool,
    booleanized: bool,
    patch: Patches | None = None,
    *,
    indent: int | None = None,
) -> str:
    """All parts of a rule set as JSON."""
    plain = {
        "format": FORMAT,
        "version": VERSION,
        "named": named,
        "booleanized": booleanized,
        "patch": None if patch is None else asdict(patch),
        "columns": [asdict(column) for column in columns],
        "outputs": vars(outputs),
        "rules": [_rule_to_plain(columns, outputs, rule) for rule in rules],
    }
    return json_text(plain, indent=indent)


def _rule_to_plain(columns: Sequence[Column], outputs: Outputs, rule: Rule) -> dict[str, Any]:
    return {
        "bank": rule.bank,
        "clauses": rule.clauses,
        "weights": rule.weights,
        "limit": rule.limit,
        "literals": rule.literals,
        "votes": rule.votes,
        "tests": _tests_to_plain(columns, rule),
        "side": side_text(outputs, rule),
        "if": rule_text(columns, rule),
    }


def _tests_to_plain(columns: Sequence[Column], rule: Rule) -> list[dict[str, Any]]:
    return [
        {
            "column": test.column,
            "allowed": _allowed(test.allowed),
            "misses": test.misses,
            "text": test_text(columns[test.column], test),
        }
        for test in rule.tests
    ]


@lru_cache(maxsize=4096)
def _allowed(flags: tuple[bool, ...]) -> list[list[int]]:
    """The states that are allowed, as [first, last] of each run."""
    return [[first, last] for flag, first, last in runs(flags) if flag]


# ---- reading ---------------------------------------------------------------------------------------------------------


def from_json(text: str | bytes) -> Parts:
    """The parts of a rule set; a ValueError names what was expected."""
    try:
        return _read(json.loads(text, parse_constant=_no_constant))
    except (RecursionError, UnicodeDecodeError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise ValueError(f"the text must be the JSON of a rule set: {error}") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"the text must be JSON: {error}") from error


def _no_constant(name: str) -> Any:
    raise ValueError(f"numbers must be finite, got {name}")


def _read(plain: Any) -> Parts:
    keys = {"format", "version", "named", "booleanized", "patch", "columns", "outputs", "rules"}
    check_keys(plain, keys, "the rule set")
    if not _same([plain["format"], plain["version"]], [FORMAT, VERSION]):
        got = f"{plain['format']!r:.40} {plain['version']!r:.40}"
        raise ValueError(f"format and version must be {FORMAT!r} {VERSION}, got {got}")
    columns = tuple(_column(each, k) for k, each in enumerate(_list(plain["columns"], "columns")))
    if len({column.may_miss for column in columns}) != 1:
        raise ValueError("columns must be at least one, and missing values allowed in all or in none")
    booleanized = _flag(plain["booleanized"], "booleanized")
    patch = _patch(plain["patch"], columns)
    channels = columns if patch is None else columns[: patch.image[2]]
    if not booleanized and any(column != Column(column.name, "boolean") for column in channels):
        raise ValueError("columns must be Boolean and without missing values where nothing is booleanized")
    outputs = _outputs(plain["outputs"])
    features = Features(columns, patch)
    rules = tuple(
        _rule(each, f"rule {k + 1}", features, outputs) for k, each in enumerate(_list(plain["rules"], "rules"))
    )
    if any(sum(abs(rule.weights[k]) * rule.limit for rule in rules) > _LARGEST for k in range(outputs.n_outputs)):
        raise ValueError("votes must stay below 2**31, got rules with larger weights")
    return columns, outputs, rules, _flag(plain["named"], "named"), booleanized, patch


def _patch(plain: Any, columns: tuple[Column, ...]) -> Patches | None:
    if plain is None:
        return None
    check_keys(plain, {"image", "size", "stride"}, "patch")
    numbers = [
        tuple(_whole(each, name, low=1) for each in _list(plain[name], name)) for name in ("image", "size", "stride")
    ]
    if [len(each) for each in numbers] != [3, 2, 2]:
        raise ValueError(f"patch must have three numbers for its image and two for size and stride, got {plain!r:.80}")
    patch = Patches(*numbers)  # type: ignore[arg-type]  # their lengths were counted
    n_columns = patch.image[2] * patch.size[0] * patch.size[1] + 2
    sizes = (len(columns), *(len(column.thresholds) + 1 for column in columns[-2:]))  # before any is made
    if sizes != (n_columns, patch.rows, patch.columns) or patch_columns(patch, columns[: patch.image[2]]) != columns:
        raise ValueError(f"columns must be those of the patch, {n_columns} of them, got {len(columns)}")
    return patch


def _column(plain: Any, index: int) -> Column:
    what = f"column {index}"
    check_keys(plain, {"name", "kind", "thresholds", "categories", "missing", "may_miss"}, what)
    name, kind = plain["name"], plain["kind"]
    if type(name) is not str or kind not in get_args(Kind):
        raise ValueError(f"{what} must have a name and a kind out of {get_args(Kind)}, got {name!r:.40} {kind!r:.40}")
    thresholds = [float(_number(each, what)) for each in _list(plain["thresholds"], what)]
    categories = [_label(each, what) for each in _list(plain["categories"], what)]
    missing, may_miss = _flag(plain["missing"], what), _flag(plain["may_miss"], what)
    if (thresholds and kind != "numeric") or (categories and kind != "category") or (missing and not may_miss):
        raise ValueError(f"{what} must have what its kind has, and a bit for missing values only if they are allowed")
    if sorted(set(thresholds)) != thresholds or len(set(categories)) != len(categories) or len(categories) == 1:
        raise ValueError(f"{what} must have ascending thresholds, and no category or several different ones")
    return Column(name, kind, tuple(thresholds), tuple(categories), missing, may_miss)


def _outputs(plain: Any) -> Outputs:
    check_keys(plain, {"kind", "labels", "preference", "n_banks", "n_outputs", "T", "low", "high"}, "outputs")
    labels = tuple(_label(each, "labels") for each in _list(plain["labels"], "labels"))
    preference = tuple(
        _whole(each, "preference", high=max(2, len(labels))) for each in _list(plain["preference"], "preference")
    )
    n_banks, n_outputs = (_whole(plain[name], name, low=1) for name in ("n_banks", "n_outputs"))
    T = _whole(plain["T"], "T", low=1, high=_LARGEST_T)
    low, high = (_number(plain[name], name) for name in ("low", "high"))
    expected = {
        "two": (2, 2, 1),
        "classes": (2, math.inf, len(labels)),
        "labels": (1, math.inf, len(labels)),
        "value": (0, 0, 1),
    }
    fewest, most, n_votes = expected.get(plain["kind"], (1, 0, 0))
    if not fewest <= len(labels) <= most or n_banks * n_outputs != n_votes or len(set(labels)) != len(labels):
        raise ValueError(f"outputs must have the labels and votes of their kind, one of {', '.join(expected)}")
    if low > high:
        raise ValueError(f"low must not lie above high, got {low} and {high}")
    sound = len(preference) == len(labels) if plain["kind"] == "labels" else sorted(preference) == [*range(len(labels))]
    if not sound or (plain["kind"] == "labels" and not {*preference} <= {0, 1}):
        raise ValueError(f"preference must name each label once, or 0 or 1 for each, got {preference!r:.80}")
    return Outputs(plain["kind"], labels, preference, n_banks, n_outputs, T, low, high)


def _rule(plain: Any, what: str, features: Features, outputs: Outputs) -> Rule:
    check_keys(plain, {"bank", "clauses", "weights", "limit", "literals", "votes", "tests", "side", "if"}, what)
    ranges = {"clauses": (0, _LARGEST), "weights": (-_LARGEST, _LARGEST), "literals": (0, 2 * features.n_features)}
    numbers = {
        name: [_whole(each, f"{what}: {name}", low=low, high=high) for each in _list(plain[name], f"{what}: {name}")]
        for name, (low, high) in ranges.items()
    }
    if len(numbers["weights"]) != outputs.n_outputs or sorted(set(numbers["literals"])) != numbers["literals"]:
        raise ValueError(f"{what} must have {counted(outputs.n_outputs, 'weight')} and ascending literals")
    bank = _whole(plain["bank"], f"{what}: bank", high=outputs.n_banks)
    limit = _whole(plain["limit"], f"{what}: limit", low=1)
    rule = simplified(features, bank=bank, limit=limit, **numbers)
    if rule is None or list(rule.literals) != numbers["literals"]:
        raise ValueError(f"{what} must cast votes on some row and have no literal that others imply")
    written = _rule_to_plain(features.columns, outputs, rule)
    if not all(_same(plain[name], written[name]) for name in ("votes", "tests", "side", "if")):
        raise ValueError(f"{what} must have the votes, tests and texts that follow from its literals and weights")
    return rule


def _same(plain: Any, expected: Any) -> bool:
    """Whether both are the same JSON, where 1, 1.0 and true are three things."""
    return json.dumps(plain, sort_keys=True) == json.dumps(expected, sort_keys=True)


def _list(plain: Any, what: str) -> list[Any]:
    if not isinstance(plain, list):
        raise ValueError(f"{what} must be a list, got {plain!r:.80}")
    return plain


def _flag(plain: Any, what: str) -> bool:
    if type(plain) is not bool:
        raise ValueError(f"{what} must be true or false, got {plain!r:.80}")
    return plain


def _whole(plain: Any, what: str, *, low: int = 0, high: int = _LARGEST) -> int:
    """A whole number in low..high - 1."""
    if type(plain) is not int or not low <= plain < high:
        raise ValueError(f"{what} must be a whole number in {low}..{high - 1}, got {plain!r:.80}")
    return plain


def _number(plain: Any, what: str) -> float:
    if type(plain) not in (int, float) or not math.isfinite(plain):
        raise ValueError(f"{what} must hold finite numbers, got {plain!r:.80}")
    return float(plain)


def _label(plain: Any, what: str) -> Label:
    if type(plain) not in (str, bool, int, float) or (type(plain) is float and not math.isfinite(plain)):
        raise ValueError(f"{what} must hold strings, Booleans or finite numbers, got {plain!r:.80}")
    label: Label = plain
    return label
