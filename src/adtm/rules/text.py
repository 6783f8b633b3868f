"""Rules in words: ``40 < age <= 57 and workclass not in {A, B}``.

Only the words are made here; what they say comes from ``form``. "or missing" is said of columns that had missing
values in training; elsewhere a missing value, where one is allowed, counts as above every threshold, as another
category, or as false. "new" is a category that training did not see. Thresholds of many digits are rounded; the forms
for programs (JSON, Python, C, Verilog) have them whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise

from adtm.machine.heads import Label, Outputs
from adtm.rules.form import Condition, Rule, Test, runs
from adtm.tables.columns import Column, format_number, format_numbers
from adtm.tables.values import Category

#: Characters of a threshold that is written whole.
_SHORT = 7
_SIDES = {True: "for", False: "against"}


def label_text(label: Label | Category) -> str:
    """A label or a category as people write it."""
    return format_number(label) if type(label) is float else str(label)


def test_text(column: Column, test: Test) -> str:
    """One test of one column.

    >>> from adtm.rules import TableColumn, Test
    >>> age = TableColumn("age", "numeric", thresholds=(40.0, 57.0))
    >>> test_text(age, Test(0, (False, True, False), 1))
    '40 < age <= 57'
    >>> colour = TableColumn("colour", "category", categories=("blue", "green", "red"))
    >>> test_text(colour, Test(0, (True, True, False, True), 1))
    'colour != red'
    """
    allowed = test.allowed[: column.n_values]
    missing = column.missing and test.allowed[-1]
    if all(allowed):
        return f"{column.name} is not missing"
    if not any(allowed):
        return f"{column.name} is missing"
    words = {"numeric": _intervals_text, "category": _set_text, "boolean": _flag_text}[column.kind](column, allowed)
    return f"{words} or missing" if missing else words


test_text.__test__ = False  # type: ignore[attr-defined]  # pytest collects what is called so


def condition_text(column: Column, condition: Condition) -> str:
    """All tests of a condition; thresholds of one side together, with how many tests they are.

    Examples
    --------
    >>> from adtm.rules import Condition, TableColumn
    >>> from adtm.rules.text import condition_text
    >>> age = TableColumn("age", "numeric", thresholds=(18.0, 20.0, 24.0))
    >>> condition_text(age, Condition(0, (0, 1, 2, 3)))
    'age <= 18 to 24 (counts 3)'
    """
    told = []
    for side, group in groupby(condition.tests, key=lambda test: _side(column, test)):
        tests = list(group)
        words = [_weighed(column, test) for test in tests]
        if side is None or len(tests) == 1:
            told += words
            continue
        ends = [each.removeprefix(f"{column.name} {side} ") for each in (words[0], words[-1])]
        low, high = ends if side == "<=" else ends[::-1]
        told.append(f"{column.name} {side} {low} to {high} (counts {len(tests)})")
    return ", ".join(told)


def _side(column: Column, test: Test) -> str | None:
    """The sign of a test against one threshold that takes one vote; None for any other."""
    values = test.allowed[: column.n_values]
    if column.kind != "numeric" or test.misses != 1 or (column.missing and test.allowed[-1]) or values[0] == values[-1]:
        return None
    if sum(a != b for a, b in pairwise(values)) != 1:
        return None
    return "<=" if values[0] else ">"


def rule_text(columns: Sequence[Column], rule: Rule) -> str:
    """The conditions of a rule, without what it votes for.

    A rule of one vote is an AND. One of several votes fires where enough of its tests hold, with one vote where just
    enough do, and one more for each further.
    """
    tests = rule.tests
    if not tests:
        return "always" if rule.votes == 1 else f"always {rule.votes} votes"
    if rule.votes == 1:
        return " and ".join(_bracketed(test_text(columns[test.column], test), len(tests)) for test in tests)
    told = "; ".join(condition_text(columns[each.column], each) for each in rule.conditions)
    n = sum(test.misses for test in tests)
    if n < rule.votes:
        return f"{rule.votes - n} {'vote' if rule.votes - n == 1 else 'votes'}, 1 more for each that holds: {told}"
    return f"at least {n - rule.votes + 1} of these {n} (up to {rule.votes} votes): {told}"


def side_text(outputs: Outputs, rule: Rule) -> str:
    """What a rule speaks for and against: ``for yes``, ``against 3``."""
    sides: dict[bool, list[str]] = {True: [], False: []}
    for speaks_for, label, _ in _said(outputs, rule):
        sides[speaks_for].append(label)
    return ", ".join(f"{_SIDES[side]} {' '.join(labels)}" for side, labels in sides.items() if labels)


def vote_text(outputs: Outputs, rule: Rule) -> str:
    """What a rule does where it holds: ``3 for ill``, ``1 against C``; of a value what it adds, ``+25``."""
    if outputs.kind == "value":
        return strength_text(outputs, rule) + ("" if rule.votes == 1 else " a vote")
    return ", ".join(f"{weight} {_SIDES[side]} {label}" for side, label, weight in _said(outputs, rule))


def strength_text(outputs: Outputs, rule: Rule) -> str:
    """How strongly one vote of a rule speaks for or against what it does; what it adds to a value."""
    if outputs.kind == "value":
        return " ".join(("+" if weight > 0 else "") + number_text(weight * outputs.step) for weight in rule.weights)
    return " ".join(str(weight) for *_, weight in _said(outputs, rule))


def _said(outputs: Outputs, rule: Rule) -> Iterator[tuple[bool, str, int]]:
    """For each weight whether it speaks for or against a label, which, and how strongly."""
    for output, weight in enumerate(rule.weights):
        if weight:
            speaks_for, label = outputs.asks_for(rule.bank * outputs.n_outputs + output, weight)
            yield speaks_for, label_text(label), abs(weight)


def number_text(value: float) -> str:
    """A number as people write it, with four digits or all before the point: 12.35, 312,400."""
    return _rounded(value + 0.0, 4, ",")  # no number is -0


def _rounded(value: float, digits: int, separator: str = "") -> str:
    """With so many digits, or all before the point."""
    finite = math.isfinite(value)
    size = math.floor(math.log10(abs(value))) if value and finite else 0
    if not finite or not -5 < size < 15:
        return f"{value:.{digits}g}"
    decimals = max(0, digits - 1 - size)
    written = f"{value:{separator}.{decimals}f}"
    return written.rstrip("0").rstrip(".") if decimals else written


def _weighed(column: Column, test: Test) -> str:
    words = test_text(column, test)
    return words if test.misses == 1 else f"{words} (counts {test.misses})"


def _bracketed(words: str, n_tests: int) -> str:
    return f"({words})" if n_tests > 1 and " or " in words else words


def _intervals_text(column: Column, allowed: Sequence[bool]) -> str:
    thresholds = threshold_texts(column.thresholds)

    def between(first: int, last: int) -> str:
        low = thresholds[first - 1] if first > 0 else ""
        high = thresholds[last] if last < len(thresholds) else ""
        if low and high:
            return f"{low} < {column.name} <= {high}"
        return f"{column.name} <= {high}" if high else f"{column.name} > {low}"

    intervals = runs(allowed)
    inside = [between(first, last) for flag, first, last in intervals if flag]
    outside = [between(first, last) for flag, first, last in intervals if not flag]
    if len(outside) < len(inside):
        return " and ".join(f"not ({words})" for words in outside)
    return " or ".join(inside)


@lru_cache(maxsize=1024)
def threshold_texts(thresholds: tuple[float, ...]) -> tuple[str, ...]:
    """Whole where they are short, else with as many digits as tell the thresholds of a column apart, at least four."""
    whole = tuple(format_numbers(thresholds))
    if all(len(each.lstrip("-")) <= _SHORT for each in whole):
        return whole
    rounded = (tuple(_rounded(each, digits) for each in thresholds) for digits in range(4, 17))
    return next((each for each in rounded if len(set(each)) == len(each)), whole)


def _set_text(column: Column, allowed: Sequence[bool]) -> str:
    named = [label_text(category) for category, ok in zip(column.categories, allowed, strict=False) if ok]
    others = [label_text(category) for category, ok in zip(column.categories, allowed, strict=False) if not ok]
    new = allowed[-1]
    if new and len(others) <= len(named) + 1:
        return f"{column.name} != {others[0]}" if len(others) == 1 else f"{column.name} not in {{{', '.join(others)}}}"
    if not named:
        return f"{column.name} is new"
    words = f"{column.name} = {named[0]}" if len(named) == 1 else f"{column.name} in {{{', '.join(named)}}}"
    return f"{words} or new" if new else words


def _flag_text(column: Column, allowed: Sequence[bool]) -> str:
    return column.name if allowed[1] else f"not {column.name}"
