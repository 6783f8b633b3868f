"""Shorter rules: without what never matters on given rows, or so few and short that a person reads them all.

``prune`` changes no vote on the rows it is given. ``small`` chooses a few short rules anew and says what that costs.
Both only drop literals and rules and, ``small`` alone, set new weights: what comes out is a rule set like any other.
Training machines that have short clauses in the first place is left to the literal budget (``max_literals``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from adtm.literals import Literals
from adtm.rules.form import Rule
from adtm.rules.measures import label_indices, speaks_for
from adtm.rules.ruleset import RuleSet
from adtm.rules.simplify import Features, merged, simplified
from adtm.rules.votes import rule_outputs, rule_weights, total_votes

__all__ = ["Cost", "Small", "prune", "small", "small_costs"]

#: Rows that choosing looks at; beyond them it only becomes slower.
_MOST_ROWS = 10_000
#: What one vote counts in the logistic loss.
_SCALE = 0.25
#: How far one step must lower the loss, summed over the rows: for a rule more, and for one vote more of a rule. What
#: gains less is chance (a rule that is right on two rows of one label), and would be learned by heart.
_NEW_RULE, _NEW_VOTE = 0.1, 0.05
#: The most votes of one rule: weights that a reader can compare.
_MOST_VOTES = 9
#: How often every rule is exchanged for a better one before it is good enough.
_PASSES = 2


@dataclass(frozen=True)
class Small:
    """A few short rules, and what they cost.

    Attributes
    ----------
    rules : RuleSet
    before, after : float
        Accuracy of all rules and of these.
    judged_on : {"evaluation rows", "training rows"}
    """

    rules: RuleSet
    before: float
    after: float
    judged_on: str

    @property
    def cost(self) -> float:
        """Accuracy lost; below 0 where the few rules are better."""
        return self.before - self.after

    def __str__(self) -> str:
        return (
            f"{self.rules}\naccuracy {self.after:.3f} instead of {self.before:.3f} with all rules, on {self.judged_on}"
        )


# ---- exact on the given rows -----------------------------------------------------------------------------------------


def prune(rules: RuleSet, X: Any) -> RuleSet:
    """Drop the rules that never fire on these rows, and the literals that never decide there. No vote on them changes.

    Parameters
    ----------
    rules : RuleSet
    X : table as in training, or Literals

    Returns
    -------
    RuleSet
        With the same votes on X; elsewhere it may fire more often.

    Examples
    --------
    >>> from adtm import PAPER, ADTMClassifier
    >>> from adtm.datasets import load_heart
    >>> from adtm.rules import prune
    >>> X, y = load_heart(return_X_y=True)
    >>> rules = ADTMClassifier(**PAPER, T=10, s=3, d=100, epochs=5, random_state=0).fit(X, y).rules()
    >>> short = prune(rules, X)
    >>> bool((short.votes(X) == rules.votes(X)).all()), short.n_conditions < rules.n_conditions
    (True, True)
    """
    literals = rules.literals(X)
    columns = _Failed(literals)
    kept = []
    for rule in rules.rules:
        failed = columns.of(rule.literals)
        misses = failed.sum(axis=0, dtype=np.int64)
        if misses.min(initial=rule.limit) >= rule.limit:
            continue
        own = list(rule.literals)
        for literal in _longest_first(rules.features, rule):
            row = failed[own.index(literal)]
            # Without this literal a row that fails it has one miss less: a vote more, unless that is still too many.
            if not np.any(row & (misses <= rule.limit)):
                misses -= row
                failed = np.delete(failed, own.index(literal), axis=0)
                own.remove(literal)
        kept.append(_with_literals(rules.features, rule, own, limit=rule.limit))
    return rules.with_rules(merged(rule for rule in kept if rule is not None))


def _longest_first(features: Features, rule: Rule) -> list[int]:
    """Literals in the order in which a reader would like them gone: those of columns with the fewest literals first."""
    return [literal for own in sorted(features.by_column(rule.literals).values(), key=len) for literal in own]


def _with_literals(features: Features, rule: Rule, literals: Iterable[int], *, limit: int) -> Rule | None:
    return simplified(
        features, bank=rule.bank, clauses=rule.clauses, weights=rule.weights, limit=limit, literals=literals
    )


class _Failed:
    """Which literals fail on which rows, unpacked once for each literal that is asked for."""

    def __init__(self, literals: Literals) -> None:
        self._words = np.ascontiguousarray(literals.words.T)
        self._rows: dict[int, NDArray[np.uint8]] = {}

    def of(self, literals: Iterable[int]) -> NDArray[np.uint8]:
        """(literals, rows) of 0 and 1."""
        asked = list(literals)
        for literal in asked:
            if literal not in self._rows:
                word = self._words[literal // 64] >> np.uint64(literal % 64)
                self._rows[literal] = ~word.astype(np.uint8) & 1
        return np.array([self._rows[literal] for literal in asked], np.uint8).reshape(len(asked), -1)


# ---- a few short rules -----------------------------------------------------------------------------------------------


def small(
    rules: RuleSet,
    X: Any,
    y: Any,
    *,
    n_rules: int = 20,
    n_conditions: int = 3,
    eval_set: tuple[Any, Any] | None = None,
) -> Small:
    """Choose a few short rules that answer nearly as all of them do.

    Every rule is first cut down, condition after condition, keeping what tells its label best. Of all the short rules
    that come by, those are then taken one at a time that lower the logistic loss of the votes most, each time with one
    vote more. The loss is against half the truth and half what all rules say. Both look at X and y only.

    Parameters
    ----------
    rules : RuleSet
    X, y
        The training data.
    n_rules : int, default 20
        The most rules.
    n_conditions : int, default 3
        The most conditions of a rule.
    eval_set : (X, y), optional
        Rows that were not trained on, to judge the cost by. Without them it is judged on X, where the full machine
        looks better than it is. ``small_costs`` judges by cross-validation.

    Returns
    -------
    Small

    Examples
    --------
    >>> from adtm import PAPER, ADTMClassifier
    >>> from adtm.datasets import load_bankruptcy
    >>> from adtm.rules import small
    >>> data = load_bankruptcy(as_frame=True)
    >>> machine = ADTMClassifier(**PAPER, T=10, s=3, d=100, epochs=20, random_state=0).fit(data.data, data.target)
    >>> print(small(machine.rules(), data.data, data.target, n_rules=3, n_conditions=2))
    3 rules, 1.7 conditions on average
      1. +9 for 1: financial_flexibility != N and competitiveness != N
      2. -9 for 0: competitiveness = N
      3. +9 for 1: credibility != N and competitiveness != N
    accuracy 0.984 instead of 1.000 with all rules, on training rows
    """
    _check_sizes(n_rules, n_conditions)
    rules.outputs.require_classes("a few short rules")
    literals = rules.literals(X)
    wanted = label_indices(rules.outputs, y, len(literals))
    few = _spread_rows(len(literals))
    chosen = _choose(rules, literals.take(few), wanted[few], n_rules, n_conditions)
    if eval_set is None:
        judged, on = (literals, wanted), "training rows"
    else:
        seen = rules.literals(eval_set[0])
        judged, on = (seen, label_indices(rules.outputs, eval_set[1], len(seen))), "evaluation rows"
    return Small(chosen, _accuracy(rules, *judged), _accuracy(chosen, *judged), on)


@dataclass(frozen=True)
class Cost:
    """What a size of ``small`` costs, on rows left out of training: means over the folds.

    Attributes
    ----------
    n_rules, n_conditions : int
        The size that was asked for.
    rules, conditions : float
        Rules, and conditions of a rule, that there were.
    before, after : float
        Accuracy of whole machines and of their few short rules.
    """

    n_rules: int
    n_conditions: int
    rules: float
    conditions: float
    before: float
    after: float


def small_costs(
    estimator: Any, X: Any, y: Any, *, sizes: Sequence[tuple[int, int]] = ((20, 3),), folds: int = 5
) -> list[Cost]:
    """What ``small`` costs, by cross-validation; with several sizes, accuracy against the length of rules.

    Parameters
    ----------
    estimator : classifier
        Cloned and trained once for each fold.
    X, y
        All data.
    sizes : sequence of (n_rules, n_conditions)
        As in ``small``.
    folds : int, default 5

    Returns
    -------
    list of Cost
        One for each size.
    """
    from sklearn.model_selection import StratifiedKFold  # takes a quarter of a second to import

    for n_rules, n_conditions in sizes:
        _check_sizes(n_rules, n_conditions)
    labels = np.asarray(y)
    found = np.zeros((len(sizes), 4))
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(np.zeros(len(labels)), labels):
        rules = clone(estimator).fit(_take(X, train), labels[train]).rules()
        given = (rules.literals(_take(X, train)), labels[train])
        left_out = (rules.literals(_take(X, test)), labels[test])
        for k, (n_rules, n_conditions) in enumerate(sizes):
            few = small(rules, *given, n_rules=n_rules, n_conditions=n_conditions, eval_set=left_out)
            found[k] += len(few.rules), few.rules.n_conditions, few.before, few.after
    return [Cost(*size, *means) for size, means in zip(sizes, (found / folds).tolist(), strict=True)]


def _check_sizes(n_rules: int, n_conditions: int) -> None:
    for name, value in (("n_rules", n_rules), ("n_conditions", n_conditions)):
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
            raise ValueError(f"{name} must be a whole number >= 1, got {value!r}")


def _take(X: Any, rows: NDArray[np.intp]) -> Any:
    if isinstance(X, Literals):
        return X.take(rows)
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows] if hasattr(X, "shape") else [X[k] for k in rows]


def _spread_rows(n_rows: int) -> NDArray[np.intp]:
    """All rows, or as many as choosing looks at, evenly spread."""
    return np.unique(np.linspace(0, n_rows - 1, min(n_rows, _MOST_ROWS)).astype(np.intp))


def _accuracy(rules: RuleSet, literals: Literals, wanted: NDArray[np.intp]) -> float:
    votes = total_votes(rules.outputs, rules.rules, literals)
    return float(np.mean(rules.outputs.answer(votes) == wanted))


def _choose(rules: RuleSet, literals: Literals, wanted: NDArray[np.intp], n_rules: int, n_conditions: int) -> RuleSet:
    failed = _Failed(literals)
    pool = [
        replace(short, weights=tuple(int(np.sign(weight)) for weight in short.weights))
        for rule in rules.rules
        for short in _shortened(rules, rule, failed, wanted, n_conditions)
    ]
    pool = list({(rule.bank, rule.conditions, rule.weights): rule for rule in pool}.values())
    taken = _taken(rules, pool, rule_outputs(pool, literals), _targets(rules, literals, wanted), n_rules)
    chosen = [
        replace(pool[j], weights=tuple(count * weight for weight in pool[j].weights)) for j, count in taken.items()
    ]
    order = sorted(merged(chosen), key=lambda rule: -max(map(abs, rule.weights)))
    return rules.with_rules(order)


def _shortened(
    rules: RuleSet, rule: Rule, failed: _Failed, wanted: NDArray[np.intp], n_conditions: int
) -> Iterator[Rule]:
    """The AND of a rule's literals, cut down one literal at a time: what has few enough conditions on the way.

    The literal goes whose absence leaves the largest weighted relative accuracy: rows that the rule fires on, times
    how much more often it is right there than everywhere.
    """
    label, side = speaks_for(rules.outputs, rule)
    gain = (wanted == label) == bool(side)
    gain = gain - gain.mean()  # the sum over the rows that fire is the accuracy above, times the number of all rows
    own, fails = list(rule.literals), failed.of(rule.literals)
    misses = fails.sum(axis=0, dtype=np.int64)
    while own:
        short = _with_literals(rules.features, rule, own, limit=1)
        if short is not None and short.n_conditions <= n_conditions:
            yield short
        worth = (misses == fails) @ gain  # (literals,): without literal l a row fires if no other fails
        gone = int(np.argmax(worth))
        misses = misses - fails[gone]
        fails = np.delete(fails, gone, axis=0)
        del own[gone]


def _targets(rules: RuleSet, literals: Literals, wanted: NDArray[np.intp]) -> NDArray[np.float64]:
    """What the few rules should say of each row: half the truth, half what all rules say. (rows, labels), adding to 1.

    The votes of all rules tell rows that are clear from rows that are not, which the truth alone does not.
    """
    outputs = rules.outputs
    votes = np.clip(total_votes(outputs, rules.rules, literals), -outputs.T, outputs.T)
    share = (votes + outputs.T) / (2 * outputs.T)
    said = np.hstack([1 - share, share]) if outputs.kind == "two" else share
    said = said / np.maximum(said.sum(axis=1, keepdims=True), 1e-9)
    targets: NDArray[np.float64] = (np.eye(len(outputs.labels))[wanted] + said) / 2
    return targets


def _taken(
    rules: RuleSet, pool: list[Rule], cast: NDArray[np.int32], wanted: NDArray[np.float64], n_rules: int
) -> dict[int, int]:
    """Which rules of the pool, and how many votes each: greedy steps of one vote while the loss falls."""
    search = _Search(cast.astype(np.float64), rule_weights(rules.outputs, pool).astype(np.float64), wanted)
    search.add(n_rules)
    for _ in range(_PASSES):
        if not search.exchange():
            break
        search.add(n_rules)
    return search.taken


class _Search:
    """Votes that a few rules of a pool cast, changed one step at a time for less loss."""

    def __init__(self, cast: NDArray[np.float64], weights: NDArray[np.float64], wanted: NDArray[np.float64]) -> None:
        self._cast, self._weights, self._wanted = cast, weights, wanted  # (rows, rules), (rules, n_votes), targets
        kinds, inverse = np.unique(weights, axis=0, return_inverse=True)
        places = [np.flatnonzero(inverse.ravel() == k) for k in range(len(kinds))]
        # Rules of equal weights gain by one product: (weights, which rules, their columns of `cast`).
        self._alike = [
            (weight, own, np.ascontiguousarray(cast[:, own].T)) for weight, own in zip(kinds, places, strict=True)
        ]
        self._votes = np.zeros((len(cast), weights.shape[1]))
        self.taken: dict[int, int] = {}

    def add(self, n_rules: int) -> None:
        """One vote more where the loss falls most, and so on, until no vote is worth it."""
        while True:
            known = np.isin(np.arange(len(self._weights)), list(self.taken))
            gains = self._gains(1) - np.where(known, _NEW_VOTE, _NEW_RULE)
            gains[~known & (len(self.taken) >= n_rules)] = -np.inf
            gains[[j for j, count in self.taken.items() if count == _MOST_VOTES]] = -np.inf
            best = int(np.argmax(gains))
            if gains[best] <= 0:
                return
            self._move(best, 1)

    def exchange(self) -> bool:
        """Every rule for the one that does best in its place; whether any changed."""
        changed = False
        for j, count in list(self.taken.items()):
            self._move(j, -count)
            gains = self._gains(count)
            gains[list(self.taken)] = -np.inf
            best = int(np.argmax(gains))
            chosen = best if gains[best] > gains[j] + _NEW_VOTE else j
            self._move(chosen, count)
            changed |= chosen != j
        return changed

    def _move(self, j: int, count: int) -> None:
        self._votes += count * self._cast[:, j : j + 1] * self._weights[j]
        self.taken[j] = self.taken.get(j, 0) + count
        if self.taken[j] == 0:
            del self.taken[j]

    def _gains(self, count: int) -> NDArray[np.float64]:
        """How far so many votes more of each rule lower the loss, over all rows; only rows it fires on change."""
        before = _loss(self._votes, self._wanted)
        gains = np.empty(len(self._weights))
        for weight, own, cast in self._alike:
            gains[own] = cast @ (before - _loss(self._votes + count * weight, self._wanted))
        return gains


def _loss(votes: NDArray[np.float64], wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logistic loss of each row."""
    scaled = _SCALE * (np.hstack([np.zeros_like(votes), votes]) if votes.shape[1] == 1 else votes)
    return np.asarray(np.logaddexp.reduce(scaled, axis=1) - (wanted * scaled).sum(axis=1))
