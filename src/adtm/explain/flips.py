"""What would have to be different: the smallest changes of one or two columns that change an answer.

All states of the columns are tried, so the result is the smallest change. States that all rules treat alike are tried
once, and pairs of columns only where no single change is enough. A change costs the share of the column's thresholds
that lie between, or 1 for another category. No change asks for a category that was not seen, or for a missing value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.explain.sample import one_row
from adtm.explain.states import miss_table, require_columns, require_rules, states_of, states_text, used_columns
from adtm.machine.heads import Label
from adtm.rules import RuleSet
from adtm.rules.text import label_text
from adtm.tables.columns import Column
from adtm.tables.values import Category

#: Pairs of changes times rules that are tried before the search is called too large.
_MOST_TRIED = 500_000_000


@dataclass(frozen=True)
class Change:
    """Another value for one column.

    Attributes
    ----------
    column : str
    value : number, category or bool
        A value that is enough, the nearest interval's.
    text : str
        All neighbouring values that do the same.
    """

    column: str
    value: Category
    text: str


@dataclass(frozen=True)
class Flip:
    """Changes that, together, give another answer; and what they cost."""

    changes: tuple[Change, ...]
    answer: Label
    cost: float

    def __str__(self) -> str:
        return f"{label_text(self.answer)} if {' and '.join(change.text for change in self.changes)}"


@dataclass(frozen=True)
class _Option:
    """States of one column that act alike: how far the nearest is, and the misses they add to each rule."""

    column: int
    state: int
    run: tuple[int, int]
    cost: float
    added: NDArray[np.int64]


_Case = tuple[_Option, ...]
_Runs = tuple[tuple[int, int], ...]


def flips(rules: RuleSet, X: Any, *, n: int = 5, fixed: Collection[str] = ()) -> list[Flip]:
    """The smallest changes of one column that change the answer; of two columns where one is not enough.

    Parameters
    ----------
    rules : RuleSet
    X : table or Literals with one row
    n : int, default 5
        How many to return at most.
    fixed : collection of str
        Columns that must stay as they are.

    Returns
    -------
    list of Flip
        The cheapest first; empty if no change of one or two columns is enough.

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.explain import flips
    >>> X, y = [[20], [30], [50], [60]], ["young", "young", "old", "old"]
    >>> rules = ADTMClassifier(n_clauses=4, epochs=20, random_state=0).fit(X, y).rules()
    >>> print(*flips(rules, [[18]]), sep="\\n")
    old if x0 > 30
    """
    require_rules(rules)
    rules.outputs.require_classes("changes of the answer")
    require_columns(rules, fixed)
    states = states_of(rules, one_row(rules, X))[0]
    misses = np.zeros(len(rules), np.int64)
    options: list[list[_Option]] = []
    for index in used_columns(rules):
        table = miss_table(rules.rules, index, rules.columns[index].n_states)
        misses += table[:, states[index]]
        if rules.columns[index].name not in fixed:
            options.append(_options(rules.columns[index], index, int(states[index]), table))
    votes = np.array([rule.votes for rule in rules.rules], np.int64)
    now = _answers(rules, votes - misses[None, :])[0]
    changes = _tried(rules, votes - misses, [(option,) for own in options for option in own], now)
    if changes:
        return _flips(rules, changes, n)
    n_pairs = sum(len(a) * len(b) for a, b in combinations(options, 2))
    if n_pairs * max(1, len(rules)) > _MOST_TRIED:
        raise ValueError(f"no single change is enough, and there are too many pairs to try them all: {n_pairs}")
    pairs = [(a, b) for first, second in combinations(options, 2) for a in first for b in second]
    return _flips(rules, _tried(rules, votes - misses, pairs, now), n)


def _options(column: Column, index: int, state: int, table: NDArray[np.int64]) -> list[_Option]:
    """Runs of states that act alike and differently from the present one, each with its nearest state."""
    last = column.n_values - (column.kind == "category")  # not a category that nobody has seen
    options, first = [], 0
    for after in range(1, last + 1):
        alike = after < last and column.kind == "numeric" and np.array_equal(table[:, after], table[:, first])
        if alike:
            continue
        if not first <= state < after and not np.array_equal(table[:, first], table[:, state]):
            nearest = min(max(state, first), after - 1)
            distance = abs(nearest - state) / max(1, column.n_values - 1)
            cost = distance if column.kind == "numeric" and state < column.n_values else 1.0
            options.append(_Option(index, nearest, (first, after), cost, table[:, first] - table[:, state]))
        first = after
    return options


def _answers(rules: RuleSet, left: NDArray[np.int64]) -> NDArray[np.intp]:
    """Answers from the votes that are left to each rule: (cases, rules)."""
    return rules.outputs.answer(np.maximum(left, 0) @ rules.weights)


def _tried(rules: RuleSet, left: NDArray[np.int64], cases: Sequence[_Case], now: int) -> list[tuple[_Case, int]]:
    """Those cases that change the answer, and the answer."""
    changes: list[tuple[_Case, int]] = []
    step = max(1, (1 << 22) // max(1, len(rules)))
    for start in range(0, len(cases), step):
        some = cases[start : start + step]
        added = np.array([sum((option.added for option in case), np.zeros_like(left)) for case in some])
        answers = _answers(rules, left - added)
        changes += [(some[k], int(answers[k])) for k in np.flatnonzero(answers != now).tolist()]
    return changes


def _flips(rules: RuleSet, changes: list[tuple[_Case, int]], n: int) -> list[Flip]:
    """The cheapest cases, each with the neighbouring intervals that give the same answer and are not another's yet."""
    free: dict[tuple[int, ...], set[_Runs]] = defaultdict(set)
    for case, answer in changes:
        free[_place(case, answer)].add(_runs(case))
    cheapest: list[Flip] = []
    for case, answer in sorted(changes, key=lambda each: sum(option.cost for option in each[0])):
        if len(cheapest) == n:
            break
        left = free[_place(case, answer)]
        if _runs(case) in left:
            grows = [rules.columns[option.column].kind == "numeric" for option in case]
            wide = _widened(_runs(case), left, grows)
            cheapest.append(
                _flip(rules, tuple(replace(option, run=run) for option, run in zip(case, wide, strict=True)), answer)
            )
    return cheapest


def _place(case: _Case, answer: int) -> tuple[int, ...]:
    """The answer and the columns of a case: only such cases can be neighbours."""
    return answer, *(option.column for option in case)


def _runs(case: _Case) -> _Runs:
    return tuple(option.run for option in case)


def _widened(runs: _Runs, free: set[_Runs], grows: Sequence[bool]) -> _Runs:
    """Runs as far as they reach in those that are free, which are then taken."""
    box = [[run] for run in runs]
    widest = False
    while not widest:
        widest = True
        for axis in (axis for axis, grow in enumerate(grows) if grow):
            for run in sorted({cell[axis] for cell in free}):
                touches = run[1] == box[axis][0][0] or run[0] == box[axis][-1][1]
                if touches and all(cell in free for cell in product(*box[:axis], [run], *box[axis + 1 :])):
                    box[axis] = sorted([*box[axis], run])
                    widest = False
    free.difference_update(product(*box))
    return tuple((own[0][0], own[-1][1]) for own in box)


def _flip(rules: RuleSet, case: _Case, answer: int) -> Flip:
    changes = []
    for option in case:
        column = rules.columns[option.column]
        changes.append(Change(column.name, _value(column, option.state), states_text(column, option.run)))
    return Flip(tuple(changes), rules.outputs.labels[answer], sum(option.cost for option in case))


def _value(column: Column, state: int) -> Category:
    """A value in that state: the interval's upper end, or beyond the last threshold by the last step."""
    if column.kind == "category":
        return column.categories[state]
    if column.kind == "boolean":
        return bool(state)
    cuts = column.thresholds
    if state < len(cuts):
        return cuts[state]
    beyond = cuts[-1] + (cuts[-1] - cuts[-2] if len(cuts) > 1 else 1.0)
    return beyond if cuts[-1] < beyond < np.inf else float(np.nextafter(cuts[-1], np.inf))
