"""The machine as a whole: which columns its votes depend on, how the vote runs over a column, how stable rules are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor
from sklearn.metrics import accuracy_score, r2_score

from adtm.explain.states import asked_columns, miss_table, require_rules, states_of, states_text
from adtm.rules import RuleSet
from adtm.rules.measures import speaks_for, spread_rows
from adtm.validation import check_machine

#: Rows that the response and the comparison of rules look at, evenly spread over those given.
_MOST_ROWS = 2_000


def importance(rules: RuleSet, X: Any = None) -> dict[str, float]:
    """The share of all votes on these rows that hangs on each column; without rows, were every rule to hold once.

    The votes that a rule casts, times its weight, are divided evenly among the columns that it has conditions on.

    Parameters
    ----------
    rules : RuleSet
    X : table as in training, or Literals, optional

    Returns
    -------
    dict
        Column to share, the largest first. They add up to 1, unless no rule with a condition fires. Columns of the same
        name are told together.

    Examples
    --------
    >>> from adtm import PAPER, ADTMClassifier
    >>> from adtm.explain import importance
    >>> X, y = [[20, 1], [30, 1], [50, 1], [60, 2]], ["young", "young", "old", "old"]
    >>> rules = ADTMClassifier(**PAPER, T=10, s=3, d=100, n_clauses=10, epochs=20, random_state=0).fit(X, y).rules()
    >>> list(importance(rules, X))
    ['x0', 'x1']
    """
    shares = column_shares(rules, X)
    names = [column.name for column in rules.columns]
    told = dict.fromkeys(names, 0.0)
    for name, share in zip(names, shares.tolist(), strict=True):
        told[name] += share
    return dict(sorted(told.items(), key=lambda each: -each[1]))


def column_shares(rules: RuleSet, X: Any = None) -> NDArray[np.float64]:
    """The same for each column, in their order."""
    require_rules(rules)
    held = [rule.votes for rule in rules.rules] if X is None else rules.cast(X).sum(axis=0, dtype=np.int64)
    cast = np.abs(rules.weights).sum(axis=1) * np.asarray(held, np.int64)
    worth = np.zeros(len(rules.columns))
    for votes, rule in zip(cast.tolist(), rules.rules, strict=True):
        for condition in rule.conditions:
            worth[condition.column] += votes / len(rule.conditions)
    return worth / worth.sum() if worth.any() else worth


@dataclass(frozen=True)
class Response:
    """The mean votes as one column takes each of its values and the others stay as they are.

    Attributes
    ----------
    column : str
    texts : tuple of str
        The values, those alike to every rule together: ``age <= 40``, ``40 < age <= 57``, ...
    upto : tuple of float
        For a numeric column the upper end of each interval, infinity for the last; else empty.
    votes : ndarray, (values, n_votes)
        The mean over the rows.
    share : tuple of float
        The share of the rows that have these values.
    """

    column: str
    texts: tuple[str, ...]
    upto: tuple[float, ...]
    votes: NDArray[np.float64]
    share: tuple[float, ...]


def response(rules: RuleSet, X: Any, column: str) -> Response:
    """How the votes change over the values of a column, with all other columns of these rows as they are.

    Parameters
    ----------
    rules : RuleSet
    X : table as in training, or Literals
        Of more than 2,000 rows, 2,000 are used, evenly spread.
    column : str

    Returns
    -------
    Response

    Examples
    --------
    >>> from adtm import PAPER, ADTMClassifier
    >>> from adtm.explain import response
    >>> X, y = [[20], [30], [50], [60]], ["young", "young", "old", "old"]
    >>> rules = ADTMClassifier(**PAPER, T=10, s=3, d=100, n_clauses=4, epochs=20, random_state=0).fit(X, y).rules()
    >>> curve = response(rules, X, "x0")
    >>> curve.texts, curve.votes[:, 0].tolist()
    (('x0 <= 20', '20 < x0 <= 30', '30 < x0 <= 50', 'x0 > 50', 'x0 is missing'), [2.0, 0.0, -1.0, -1.0, -1.0])
    """
    require_rules(rules)
    names = [each.name for each in rules.columns]
    if column not in names:
        raise ValueError(f"column must be one of {names!r:.200}, got {column!r}")
    return next(responses(rules, X, [names.index(column)]))


def responses(rules: RuleSet, X: Any, columns: Sequence[int]) -> Iterator[Response]:
    """The ``response`` over each of these columns, by their numbers."""
    literals = rules.literals(X)
    literals = literals.take(spread_rows(len(literals), _MOST_ROWS))
    states, asked, weights = states_of(rules, literals, also=columns), asked_columns(rules), rules.weights
    left = np.tile(np.array([rule.votes for rule in rules.rules], np.int64), (len(states), 1))  # (rows, rules)
    for index, own in asked.items():
        left -= miss_table(own, len(rules), rules.columns[index].n_states).T[states[:, index]]
    for index in columns:
        column, here = rules.columns[index], states[:, index]
        table = miss_table(asked.get(index, []), len(rules), column.n_states)
        without = left + table.T[here]
        runs = _runs(table, column.n_states, numeric=column.kind == "numeric", n_values=column.n_values)
        votes = [np.maximum(without - table[:, first], 0).mean(axis=0) @ weights for first, _ in runs]
        yield Response(
            column.name,
            tuple(_run_text(rules, index, run) for run in runs),
            tuple(
                column.thresholds[after - 1] if after <= len(column.thresholds) else math.inf
                for _, after in runs
                if column.kind == "numeric" and after <= column.n_values
            ),
            np.array(votes),
            tuple(float(np.mean((here >= first) & (here < after))) for first, after in runs),
        )


def _runs(table: NDArray[np.int64], n_states: int, *, numeric: bool, n_values: int) -> list[tuple[int, int]]:
    """Neighbouring states that are alike to every rule, as (first, after the last); the missing value alone."""
    starts = [0]
    for state in range(1, n_states):
        if not numeric or state >= n_values or not np.array_equal(table[:, state], table[:, state - 1]):
            starts.append(state)
    return list(zip(starts, [*starts[1:], n_states], strict=True))


def _run_text(rules: RuleSet, index: int, run: tuple[int, int]) -> str:
    column = rules.columns[index]
    if run[0] == column.n_values:
        return f"{column.name} is missing"
    if run == (0, column.n_values) == (0, column.n_states):
        return f"any {column.name}"
    return states_text(column, run)


# ---- stability -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stability:
    """How much machines of the same kind, trained anew, are alike. Every entry is a pair of them.

    Attributes
    ----------
    runs : tuple of str
        What each machine was trained with.
    answers : ndarray, (runs, runs)
        The share of rows with the same answer; of a value R², the answers of one (row) being the truth for the other
        (column): 1 where all are the same, 0 or less where they say nothing about each other.
    rules : ndarray, (runs, runs)
        How well the rules of one (row) are found again in the other (column): for every rule the best share of rows in
        common, of those on which either fires, among the rules for the same; the mean weighed by votes.
    columns : ndarray, (runs, runs)
        How much of the importance of the columns is shared.
    scores : tuple of float
        The estimator's own ``score`` on the given rows: accuracy, or of a value R².
    of_values : bool
        Whether the answers are values.
    """

    runs: tuple[str, ...]
    answers: NDArray[np.float64]
    rules: NDArray[np.float64]
    columns: NDArray[np.float64]
    scores: tuple[float, ...]
    of_values: bool = False

    def __str__(self) -> str:
        others = ~np.eye(len(self.runs), dtype=np.bool_)
        answers, rules, columns = (float(each[others].mean()) for each in (self.answers, self.rules, self.columns))
        alike = f"answers with R² {answers:.2f}" if self.of_values else f"{answers:.0%} of the answers"
        return (
            f"{len(self.runs)} machines: {alike}, {rules:.0%} of the rules and {columns:.0%} of the columns' "
            "importance in common"
        )


def stability(
    estimator: Any, X: Any, y: Any, *, seeds: Sequence[int] = (0, 1, 2), d: Sequence[float] | None = None
) -> Stability:
    """Train the machine anew with other seeds, or other d, and compare what it says.

    Parameters
    ----------
    estimator : classifier or regressor
        Cloned for each run.
    X, y
        Training data, on which the machines are compared, too.
    seeds : sequence of int
        Values of ``random_state``.
    d : sequence, optional
        Values of ``d``; each is trained with every seed. None keeps the estimator's.

    Returns
    -------
    Stability

    Examples
    --------
    >>> from adtm import PAPER, ADTMClassifier
    >>> from adtm.datasets import load_bankruptcy
    >>> from adtm.explain import stability
    >>> X, y = load_bankruptcy(return_X_y=True)
    >>> compared = stability(ADTMClassifier(**PAPER, T=10, s=3, d=100, n_clauses=20, epochs=10), X, y, seeds=(0, 1))
    >>> compared.runs
    ('seed 0', 'seed 1')
    """
    check_machine(estimator)
    cases = [
        {"random_state": seed} | ({} if d is None else {"d": each})
        for each in ((0,) if d is None else d)
        for seed in seeds
    ]
    if len(cases) < 2:
        raise ValueError(f"seeds and d must give at least two machines to compare, got {len(cases)}")
    machines = [clone(estimator).set_params(**case).fit(X, y) for case in cases]
    sets = [machine.rules() for machine in machines]
    of_values = is_regressor(estimator)
    return Stability(
        tuple(map(_run_name, cases)),
        answers=_pairs([machine.predict(X) for machine in machines], r2_score if of_values else accuracy_score),
        rules=_pairs([_fired(each, X) for each in sets], _found_again),
        columns=_pairs([importance(each, X) for each in sets], _importance_in_common),
        scores=tuple(float(machine.score(X, y)) for machine in machines),
        of_values=of_values,
    )


def _run_name(case: dict[str, Any]) -> str:
    return " ".join(f"{'seed' if name == 'random_state' else name} {value}" for name, value in reversed(case.items()))


def _pairs(runs: Sequence[Any], compare: Callable[[Any, Any], float]) -> NDArray[np.float64]:
    """Every run compared with every other, and 1 with itself."""
    return np.array([[1.0 if ours is theirs else compare(ours, theirs) for theirs in runs] for ours in runs])


def _importance_in_common(ours: dict[str, float], theirs: dict[str, float]) -> float:
    return sum(min(share, theirs[name]) for name, share in ours.items())


_Fired = tuple[NDArray[np.float32], NDArray[np.float64], list[tuple[int, int]]]


def _fired(rules: RuleSet, X: Any) -> _Fired:
    """Where each rule fires (rules, rows), how many votes it casts there, and what it speaks for."""
    literals = rules.literals(X)
    cast = rules.cast(literals.take(spread_rows(len(literals), _MOST_ROWS))).T
    votes = np.abs(rules.weights).max(axis=1, initial=0) * cast.sum(axis=1, dtype=np.float64)
    return (cast > 0).astype(np.float32), votes, [speaks_for(rules.outputs, rule) for rule in rules.rules]


def _found_again(ours: _Fired, theirs: _Fired) -> float:
    both = ours[0] @ theirs[0].T
    either = ours[0].sum(axis=1)[:, None] + theirs[0].sum(axis=1) - both
    alike = np.array([[a == b for b in theirs[2]] for a in ours[2]], np.bool_).reshape(both.shape)
    shared = np.where(alike & (either > 0), both / np.maximum(either, 1), 0)
    total = ours[1].sum()
    return float((shared.max(axis=1, initial=0) * ours[1]).sum() / total) if total else 1.0
