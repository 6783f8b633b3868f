"""What would have to be different: the smallest changes of one or two columns that change an answer.

All states of the columns are tried, so the result is the smallest change. States that all rules treat alike are tried
once, and pairs of columns only where no single change is enough: those that act alike once, and none where the most
votes that both could move are too few. A change costs the share of the column's thresholds that lie between, or 1 for
another category. No change asks for a category that was not seen, or for a missing value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import product
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from adtm.explain.sample import one_row
from adtm.explain.states import asked_columns, miss_table, require_columns, require_rules, states_of, states_text
from adtm.machine.heads import Label, Outputs
from adtm.rules import RuleSet
from adtm.rules.text import label_text
from adtm.tables.columns import Column
from adtm.tables.values import Category
from adtm.validation import check_whole

#: Pairs of changes that act differently, times rules, that are tried before the search is called too large.
_MOST_TRIED = 500_000_000
#: Numbers that are held at a time while cases are tried.
_AT_ONCE = 1 << 22


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

    Raises
    ------
    ValueError
        Where no change of one column is enough, and too many pairs are left to try them all.

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
    check_whole("n", n, low=0)
    states = states_of(rules, one_row(rules, X))[0]
    left = np.array([rule.votes for rule in rules.rules], np.int64)
    options: list[_Option] = []
    for index, asked in asked_columns(rules).items():
        column, state = rules.columns[index], int(states[index])
        table = miss_table(asked, len(rules), column.n_states)
        left -= table[:, state]
        if column.name not in fixed:
            options += _options(column, index, state, table)
    if not options:
        return []
    added = np.array([option.added for option in options])
    tried = _Tried.of(rules, left)
    singles = _Singles(options, tried.answers(added), tried.now)
    if not singles.is_empty:
        return _flips(rules, singles, n)
    tried, added = tried.moving(added)
    hopeful = tried.hopeful(added)
    return _flips(rules, _Pairs.of(tried, [options[k] for k in hopeful], added[hopeful]), n)


def _options(column: Column, index: int, state: int, table: NDArray[np.int64]) -> list[_Option]:
    """Runs of states that act alike and differently from the present one, each with its nearest state."""
    last = column.n_known  # not a category that nobody has seen
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


@dataclass(frozen=True)
class _Tried:
    """The row, to which misses are added: rules that they move, and the votes of all others."""

    outputs: Outputs
    left: NDArray[np.int64]  # the votes of each rule less its misses; below 0 it casts none
    weights: NDArray[np.float64]  # whole numbers, (rules, votes)
    others: NDArray[np.float64]
    now: int  # the answer

    @classmethod
    def of(cls, rules: RuleSet, left: NDArray[np.int64]) -> _Tried:
        """All rules."""
        row = cls(rules.outputs, left, rules.weights.astype(np.float64), np.zeros(rules.outputs.n_votes), 0)
        return replace(row, now=int(row.answers(np.zeros((1, len(left)), np.int64))[0]))

    def answers(self, added: NDArray[np.int64]) -> NDArray[np.intp]:
        """The answers with these misses: (cases, rules)."""
        step = max(1, _AT_ONCE // max(1, len(self.left)))
        parts = (np.maximum(self.left - added[k : k + step], 0) @ self.weights for k in range(0, len(added), step))
        return np.concatenate([self.outputs.answer((votes + self.others).astype(np.int64)) for votes in parts])

    def moving(self, added: NDArray[np.int64]) -> tuple[_Tried, NDArray[np.int64]]:
        """Those rules alone that a pair of options can move, and what the options add to these.

        Two options give back at most twice the most misses of one: a rule that casts no vote even then has no say.
        """
        moves = added.any(axis=0) & (self.left + 2 * np.maximum(-added, 0).max(axis=0) > 0)
        others = np.maximum(self.left[~moves], 0) @ self.weights[~moves]
        return replace(self, left=self.left[moves], weights=self.weights[moves], others=others), added[:, moves]

    def hopeful(self, added: NDArray[np.int64]) -> NDArray[np.intp]:
        """The options that might be enough together with another one.

        A rule moves by at most as many votes as its misses change, and loses no more than it casts. What all rules
        together could move towards a class, by an option and by the best other one, must reach how far it lies behind.
        """
        weights, others, cast = self.weights, self.others, np.maximum(self.left, 0)
        if self.outputs.kind == "two":  # the vote for the second class, against none for the first
            weights, others = np.column_stack([0 * weights, weights]), np.array([0, *others])
        behind = others[self.now] - others + cast @ (weights[:, [self.now]] - weights)
        towards = weights - weights[:, [self.now]]
        gained, lost = np.maximum(-added, 0), np.minimum(np.maximum(added, 0), cast)
        most = gained @ np.maximum(towards, 0) + lost @ np.maximum(-towards, 0)  # (options, classes)
        enough = most + most.max(axis=0) >= behind
        enough[:, self.now] = False
        return np.flatnonzero(enough.any(axis=1))


class _Found(Protocol):
    """Cases that change the answer."""

    def cheapest_first(self) -> Iterator[tuple[_Case, int]]:
        """Cases and their answers; of equal costs those of the first columns and states first."""

    def alike(self, case: _Case, answer: int) -> set[_Runs]:
        """The states of all cases of the same columns with this answer."""


class _Singles:
    """Changes of one column that change the answer."""

    def __init__(self, options: Sequence[_Option], answers: NDArray[np.intp], now: int) -> None:
        self._cases = [((options[k],), int(answers[k])) for k in np.flatnonzero(answers != now).tolist()]

    @property
    def is_empty(self) -> bool:
        return not self._cases

    def cheapest_first(self) -> Iterator[tuple[_Case, int]]:
        yield from sorted(self._cases, key=lambda each: each[0][0].cost)

    def alike(self, case: _Case, answer: int) -> set[_Runs]:
        return {_runs(each) for each, given in self._cases if _place(each, given) == _place(case, answer)}


@dataclass(frozen=True)
class _Pairs:
    """Changes of two columns that change the answer: what each pair of effects gives, and the effect of each option."""

    options: Sequence[_Option]  # in the order of the columns
    effects: NDArray[np.intp]
    answers: NDArray[np.uint16]  # (effects, effects)
    now: int

    @classmethod
    def of(cls, tried: _Tried, options: Sequence[_Option], added: NDArray[np.int64]) -> _Pairs:
        """Try all pairs of effects."""
        own, effects = np.unique(added, axis=0, return_inverse=True)
        n_pairs = len(own) * (len(own) + 1) // 2
        if n_pairs * len(tried.left) > _MOST_TRIED:
            raise ValueError(f"no single change is enough, and there are too many pairs to try them all: {n_pairs}")
        answers = np.empty((len(own), len(own)), np.uint16)  # at most 65536 classes
        for k, effect in enumerate(own):
            answers[k, k:] = answers[k:, k] = tried.answers(own[k:] + effect)
        return cls(options, effects.ravel(), answers, tried.now)

    def cheapest_first(self) -> Iterator[tuple[_Case, int]]:
        columns = np.array([option.column for option in self.options], np.intp)
        costs, after = np.array([option.cost for option in self.options]), np.searchsorted(columns, columns, "right")
        changes = self.answers != self.now

        def partners(k: int) -> NDArray[np.intp]:
            return np.flatnonzero(changes[self.effects[k]][self.effects[after[k] :]]) + int(after[k])

        # First the cheapest pair of each option alone, whose other pairs are looked for when it is their turn.
        queue: list[tuple[Any, ...]] = []
        for k in np.flatnonzero(changes.any(axis=1)[self.effects]).tolist():
            if len(others := partners(k)):
                queue.append((costs[k] + costs[others].min(), -1, k, None))
        heapify(queue)
        while queue:
            *_, k, other = heappop(queue)
            if other is None:
                for each in partners(k).tolist():
                    heappush(queue, (costs[k] + costs[each], columns[k], columns[each], k, each))
                continue
            case = self.options[k], self.options[other]
            yield case, int(self.answers[self.effects[k], self.effects[other]])

    def alike(self, case: _Case, answer: int) -> set[_Runs]:
        first, second = ([k for k, option in enumerate(self.options) if option.column == each.column] for each in case)
        return {
            (self.options[a].run, self.options[b].run)
            for a, b in product(first, second)
            if self.answers[self.effects[a], self.effects[b]] == answer
        }


def _flips(rules: RuleSet, found: _Found, n: int) -> list[Flip]:
    """The cheapest cases, each with the neighbouring intervals that give the same answer and are not another's yet."""
    free: dict[tuple[int, ...], set[_Runs]] = {}
    cheapest: list[Flip] = []
    for case, answer in found.cheapest_first():
        if len(cheapest) == n:
            break
        place = _place(case, answer)
        left = free[place] if place in free else free.setdefault(place, found.alike(case, answer))
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
    """A value in that state: the interval's upper end, or beyond the last threshold by the last step.

    Of a column whose values are not told apart, any value.
    """
    if column.kind == "category":
        return column.categories[state] if column.categories else "any"
    if column.kind == "boolean":
        return bool(state)
    cuts = column.thresholds or (0.0,)
    if state < len(cuts):
        return cuts[state]
    beyond = cuts[-1] + (cuts[-1] - cuts[-2] if len(cuts) > 1 else 1.0)
    return beyond if cuts[-1] < beyond < np.inf else float(np.nextafter(cuts[-1], np.inf))
