"""Rules as the source text of a plain Python function, which needs no library.

The function takes one row, a mapping by column name or a sequence, and returns the machine's votes. It refuses the
values that a predictor refuses, but it reads numbers that are texts, as rows of a CSV file are. Every name and category
is a quoted literal in the text, so that no name of a column can run as code.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from keyword import iskeyword
from unicodedata import normalize

from adtm.machine.heads import Outputs
from adtm.rules.form import Rule, Test, runs
from adtm.rules.patch import patch_offsets
from adtm.rules.text import rule_text, vote_text
from adtm.tables.columns import Column
from adtm.tables.patches import Patches

#: Terms of a sum on one line: Python compiles each by calling itself, and not without end.
_MOST_TERMS = 200
#: A function within the function: a value as tests compare it, None where it is missing; else it is refused.
_READ = """
    def read(column, expected, value):
        if value is None or type(value).__name__ == 'NAType' or value != value:
            return None
        try:
            x = float(value) if expected in ('finite numbers', '0 or 1') else value
        except (TypeError, ValueError, OverflowError):
            x, expected = None, 'a number'
        if x != x:
            return None
        if (
            expected == 'a category'
            or (expected == 'a text' and isinstance(x, str))
            or (expected == '0 or 1' and x in (0, 1))
            or (expected == 'finite numbers' and x not in (float('inf'), -float('inf')))
        ):
            return x
        raise ValueError(f'column {column!r} must hold {expected}, got {value!r:.80}')
"""


def to_python(
    columns: Sequence[Column],
    outputs: Outputs,
    rules: Sequence[Rule],
    *,
    name: str = "votes",
    patch: Patches | None = None,
) -> str:
    """The source text of ``name(row)``, which returns a list of ``outputs.n_votes`` whole numbers.

    With a patch a row is a flat image: pixel after pixel, row by row, each with its channels.
    """
    read = normalize("NFKC", name)  # as Python reads names: another letter may be that of a built-in one
    if not read.isidentifier() or iskeyword(read) or hasattr(builtins, read):
        raise ValueError(f"name must be a Python identifier, no keyword and nothing built in, got {name!r}")
    used = sorted({condition.column for rule in rules for condition in rule.conditions})
    what = "a mapping by column name or a sequence" if patch is None else "the pixels of an image, row by row"
    lines = [
        f"def {name}(row):",
        f'    """The votes of one row, {what}: {_votes_text(outputs)}."""',
        f"    total = [0] * {outputs.n_votes}",
    ]
    lines += _READ.strip("\n").splitlines() if used else []
    if patch is not None:
        return "\n".join([*lines, *_sliding(columns, outputs, rules, used, patch), "    return total", ""])
    for index in used:
        lines += _reading(
            columns[index], index, f"row[{columns[index].name!a}] if hasattr(row, 'keys') else row[{index}]"
        )
    for rule in rules:
        lines += [*_casting(columns, outputs, rule), "    if cast > 0:", *_adding(outputs, rule)]
    return "\n".join([*lines, "    return total", ""])


def _sliding(
    columns: Sequence[Column], outputs: Outputs, rules: Sequence[Rule], used: Sequence[int], patch: Patches
) -> list[str]:
    """The best place of every rule, then the votes."""
    (_, width, n_channels), offsets = patch.image, patch_offsets(patch)
    lines = [f"    best = [0] * {len(rules)}", f"    for place in range({patch.n_patches}):"]
    lines += [f"        at, beside = divmod(place, {patch.columns})"]
    lines += [f"        corner = (at * {patch.stride[0] * width} + beside * {patch.stride[1]}) * {n_channels}"]
    for index in used:
        if index >= len(offsets):
            lines.append(f"        x{index} = {'at' if index == len(offsets) else 'beside'}")
            continue
        value = f"row[corner + {offsets[index]}]"
        lines += ["    " + line for line in _reading(columns[index], index, value)]
    for k, rule in enumerate(rules):
        lines += ["    " + line for line in _casting(columns, outputs, rule)]
        lines += [f"        best[{k}] = max(best[{k}], cast)"]
    for k, rule in enumerate(rules):
        lines += [f"    cast = best[{k}]", "    if cast > 0:", *_adding(outputs, rule)]
    return lines


def _votes_text(outputs: Outputs) -> str:
    return {
        "two": "above 0 for the second label, below 0 for the first",
        "classes": "one for each label, the largest wins",
        "labels": "one for each label, which is there above 0",
        "value": "the value, counted in votes",
    }[outputs.kind]


def _reading(column: Column, index: int, source: str) -> list[str]:
    line = f"    x{index} = read({column.name!a}, {_expected(column)!a}, {source})"
    if column.may_miss:
        return [line]
    refused = f"column {column.name!r} must hold no missing value"
    return [line, f"    if x{index} is None:", f"        raise ValueError({refused!a})"]


def _expected(column: Column) -> str:
    if column.kind == "category":
        return "a text" if column.holds_only_texts else "a category"
    return {"numeric": "finite numbers", "boolean": "0 or 1"}[column.kind]


def _casting(columns: Sequence[Column], outputs: Outputs, rule: Rule) -> list[str]:
    """What a rule casts, with its words above."""
    said = f"{vote_text(outputs, rule)}: {rule_text(columns, rule)}"
    comment = "    # " + "".join(letter if letter.isprintable() else " " for letter in said)
    tests = [(_test(columns[test.column], test), test.misses) for test in rule.tests]
    if rule.votes == 1:
        return [comment, "    cast = " + (" and ".join(words for words, _ in tests) or "True")]
    taken = [f" - {f'{misses} * ' if misses > 1 else ''}(not {words})" for words, misses in tests]
    parts = ["".join(taken[k : k + _MOST_TERMS]) for k in range(0, len(taken), _MOST_TERMS)] or [""]
    return [comment, *(f"    cast = {'cast' if k else rule.votes}{part}" for k, part in enumerate(parts))]


def _adding(outputs: Outputs, rule: Rule) -> list[str]:
    first, times = rule.bank * outputs.n_outputs, "" if rule.votes == 1 else " * cast"
    return [f"        total[{first + k}] += {weight}{times}" for k, weight in enumerate(rule.weights) if weight]


def _test(column: Column, test: Test) -> str:
    x = f"x{test.column}"
    allowed = test.allowed[: column.n_values]
    missing = column.may_miss and test.allowed[-1]
    if all(allowed):
        return f"({x} is not None)"
    if not any(allowed):
        return f"({x} is None)"
    words = {"numeric": _intervals, "category": _set, "boolean": _flag}[column.kind](column, allowed, x)
    if not column.may_miss:
        return f"({words})"
    return f"({x} is None or {words})" if missing else f"({x} is not None and ({words}))"


def _intervals(column: Column, allowed: Sequence[bool], x: str) -> str:
    parts = []
    for _, first, last in (run for run in runs(allowed) if run[0]):
        low = f"{column.thresholds[first - 1]!r} < " if first > 0 else ""
        high = f" <= {column.thresholds[last]!r}" if last < len(column.thresholds) else ""
        parts.append(f"{low}{x}{high}")
    return " or ".join(parts)


def _set(column: Column, allowed: Sequence[bool], x: str) -> str:
    new = allowed[-1]
    named = [ascii(category) for category, ok in zip(column.categories, allowed, strict=False) if ok != new]
    return f"{x} {'not in' if new else 'in'} ({''.join(f'{each}, ' for each in named)})"


def _flag(column: Column, allowed: Sequence[bool], x: str) -> str:
    del column
    return x if allowed[1] else f"not {x}"
