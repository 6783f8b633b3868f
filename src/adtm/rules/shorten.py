"""Rules so few and short that a person reads them all, and what they cost in accuracy.

Literals and rules are dropped and weights set anew: what comes out is a rule set like any other. Which rules is left to
``choosing``, dropping what never matters to ``pruning``, machines with short clauses in the first place to the budget
(``max_literals``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from adtm.literals import Literals
from adtm.rules.choosing import Search
from adtm.rules.measures import label_indices, spread_rows
from adtm.rules.ruleset import RuleSet
from adtm.rules.text import label_text
from adtm.rules.votes import total_votes

__all__ = ["Cost", "Small", "small", "small_costs"]

#: Rows that choosing looks at; beyond them it only becomes slower.
_MOST_ROWS = 10_000
#: The rules to begin with, in all or for each label if that is more: as many as people read without effort.
_FEW, _FEW_EACH = 10, 5


@dataclass(frozen=True)
class Small:
    """A few short rules, and what they cost.

    Attributes
    ----------
    rules : RuleSet
    before, after : float
        Accuracy of all rules and of these.
    judged_on : {"evaluation rows", "training rows"}
    loss : float or None
        The loss that was aimed at.
    path : tuple of (int, float)
        How many rules were tried on the way, and their accuracy; the last are these.
    """

    rules: RuleSet
    before: float
    after: float
    judged_on: str
    loss: float | None = None
    path: tuple[tuple[int, float], ...] = ()

    @property
    def cost(self) -> float:
        """Accuracy lost; below 0 where the few rules are better."""
        return self.before - self.after

    @property
    def kept(self) -> bool:
        """Whether they lose no more than was aimed at."""
        return self.loss is None or self.cost <= self.loss

    @property
    def otherwise(self) -> str:
        """The answer where no rule holds or the votes are equal, as a line."""
        [label] = self.rules.outputs.answer(np.zeros((1, self.rules.outputs.n_votes)))
        return f"without any rule, or with equal votes: {label_text(self.rules.outputs.labels[label])}"

    @property
    def statement(self) -> str:
        """What they cost, as a line: exact on the rows named there."""
        told = f"accuracy {self.after:.3f} instead of {self.before:.3f} with all rules, on {self.judged_on}"
        if not self.kept:
            told += f"; more than {self.loss:g} is lost"
        elif len(self.path) > 1:
            told += "; {} rules had {:.3f}".format(*self.path[0])
        return told

    def __str__(self) -> str:
        return f"{self.rules}\n{self.otherwise}\n{self.statement}"


def small(
    rules: RuleSet,
    X: Any,
    y: Any,
    *,
    n_rules: int = 50,
    n_conditions: int = 4,
    loss: float | None = 0.02,
    eval_set: tuple[Any, Any] | None = None,
) -> Small:
    """Choose a few short rules that answer nearly as all of them do.

    They are parts of the machine's rules: the AND of some of their literals. One part is taken after the other, each
    the one that lowers the logistic loss of the votes most; then all votes are weighed anew, at most 9 for a rule, and
    parts exchanged for better ones. The loss is against half the truth and half what all rules say. A part that is
    hardly more often right than any row would be, or that holds on nearly the same rows as another, is left out.
    Choosing looks at X and y only, at 10,000 evenly spread rows where there are more.

    Parameters
    ----------
    rules : RuleSet
    X, y
        The training data.
    n_rules : int, default 50
        The most rules.
    n_conditions : int, default 4
        The most conditions of a rule.
    loss : float or None, default 0.02
        The accuracy that may be lost, on the rows that the cost is judged by. There are 10 rules (with many labels 5
        for each), and where these lose more, as many more as it takes, up to ``n_rules``. None asks for ``n_rules`` in
        any case. Where it cannot be kept, ``kept`` is False, and the text says so.
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
    3 rules, 2.0 conditions on average
      1. -9 for 0: credibility != P and competitiveness = N
      2. +9 for 1: credibility != N and competitiveness != N
      3. +9 for 1: financial_flexibility != N and competitiveness != N
    without any rule, or with equal votes: 1
    accuracy 0.972 instead of 1.000 with all rules, on training rows; more than 0.02 is lost
    """
    _check_aims(n_rules, n_conditions, loss)
    rules.outputs.require_classes("a few short rules")
    rules.require_table("a few short rules")
    literals = rules.literals(X)
    wanted = label_indices(rules.outputs, y, len(literals))
    if eval_set is None:
        judged, on = (literals, wanted), "training rows"
    else:
        seen = rules.literals(eval_set[0])
        judged, on = (seen, label_indices(rules.outputs, eval_set[1], len(seen))), "evaluation rows"
    before = _accuracy(rules, *judged)
    few = spread_rows(len(literals), _MOST_ROWS)
    search = Search(rules, literals.take(few), wanted[few], n_conditions)
    search.reach(n_rules if loss is None else min(max(_FEW, _FEW_EACH * len(rules.outputs.labels)), n_rules))
    path = []
    while True:
        chosen = rules.with_rules(search.rules())
        path.append((len(chosen), _accuracy(chosen, *judged)))
        found = Small(chosen, before, path[-1][1], on, loss, tuple(path))
        if found.kept or len(search) >= n_rules or not search.add():
            return found


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

    def __str__(self) -> str:
        return (
            f"accuracy {self.after:.3f} instead of {self.before:.3f} with all rules, on rows left out of training"
            f" ({self.rules:.0f} rules on average)"
        )


def small_costs(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sizes: Sequence[tuple[int, int]] = ((50, 4),),
    loss: float | None = 0.02,
    folds: int = 5,
) -> list[Cost]:
    """What ``small`` costs, by cross-validation; with several sizes, accuracy against the length of rules.

    Parameters
    ----------
    estimator : classifier
        Cloned and trained once for each fold.
    X, y
        All data.
    sizes : sequence of (n_rules, n_conditions)
    loss : float or None, default 0.02
        Both as in ``small``; the loss that is aimed at is that on the rows trained on, as it is without other rows.
    folds : int, default 5

    Returns
    -------
    list of Cost
        One for each size.
    """
    from sklearn.model_selection import StratifiedKFold  # takes a quarter of a second to import

    for n_rules, n_conditions in sizes:
        _check_aims(n_rules, n_conditions, loss)
    labels = np.asarray(y)
    found = np.zeros((len(sizes), 4))
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(np.zeros(len(labels)), labels):
        rules = clone(estimator).fit(_take(X, train), labels[train]).rules()
        given = (rules.literals(_take(X, train)), labels[train])
        left_out = (rules.literals(_take(X, test)), label_indices(rules.outputs, labels[test], len(test)))
        before = _accuracy(rules, *left_out)
        for k, (n_rules, n_conditions) in enumerate(sizes):
            few = small(rules, *given, n_rules=n_rules, n_conditions=n_conditions, loss=loss).rules
            found[k] += len(few), few.n_conditions, before, _accuracy(few, *left_out)
    return [Cost(*size, *means) for size, means in zip(sizes, (found / folds).tolist(), strict=True)]


def _check_aims(n_rules: int, n_conditions: int, loss: float | None) -> None:
    for name, value in (("n_rules", n_rules), ("n_conditions", n_conditions)):
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
            raise ValueError(f"{name} must be a whole number >= 1, got {value!r}")
    if loss is not None and not (isinstance(loss, (int, float, np.number)) and 0 <= loss <= 1):
        raise ValueError(f"loss must be a share of the rows, 0 to 1, or None, got {loss!r}")


def _take(X: Any, rows: NDArray[np.intp]) -> Any:
    if isinstance(X, Literals):
        return X.take(rows)
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows] if hasattr(X, "shape") else [X[k] for k in rows]


def _accuracy(rules: RuleSet, literals: Literals, wanted: NDArray[np.intp]) -> float:
    votes = total_votes(rules.outputs, rules.rules, literals)
    return float(np.mean(rules.outputs.answer(votes) == wanted))
