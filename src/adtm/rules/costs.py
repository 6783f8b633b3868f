"""What a few short rules cost on rows left out of training, by cross-validation.

Making them is left to ``shorten``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier

from adtm.rules.shorten import Rows, check_sizes, measure_of, small
from adtm.tables.answers import indicator, is_indicator, numbers, plain_labels
from adtm.tables.pieces import rows_in
from adtm.tables.table import take_rows
from adtm.validation import check_folds, check_machine


@dataclass(frozen=True)
class Cost:
    """What ``small`` costs at one size, on rows left out of training: means over the folds.

    Attributes
    ----------
    n_rules, n_conditions : int
        The size that was asked for.
    rules, conditions : float
        Rules, and conditions of a rule, that there were.
    before, after : float
        Accuracy of whole machines and of their few short rules; of a value R².
    measure : {"accuracy", "R²"}
    """

    n_rules: int
    n_conditions: int
    rules: float
    conditions: float
    before: float
    after: float
    measure: str = "accuracy"

    def __str__(self) -> str:
        return (
            f"{self.measure} {self.after:.3f} instead of {self.before:.3f} with all rules, on rows left out of training"
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
    estimator : classifier or regressor
        Cloned and trained once for each fold.
    X, y
        All data, as in ``fit``.
    sizes : sequence of (n_rules, n_conditions)
    loss : float or None, default 0.02
        Both as in ``small``. The loss is kept on the training rows, since ``small`` gets no others.
    folds : int, default 5

    Returns
    -------
    list of Cost
        One for each size.

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.datasets import load_bankruptcy
    >>> from adtm.rules import small_costs
    >>> X, y = load_bankruptcy(return_X_y=True)
    >>> [cost] = small_costs(ADTMClassifier(epochs=5), X, y, sizes=[(5, 2)], folds=2)
    >>> cost.rules <= 5, cost.measure
    (True, 'accuracy')
    """
    from sklearn.model_selection import KFold, StratifiedKFold  # takes a quarter of a second to import

    check_machine(estimator)
    for n_rules, n_conditions in sizes:
        check_sizes(n_rules, n_conditions, loss)
    wanted = _plain(estimator, y, rows_in(X))
    parts = StratifiedKFold if check_cost_folds(estimator, wanted, folds) else KFold
    sums = np.zeros((len(sizes), 4))
    for train, test in parts(folds, shuffle=True, random_state=0).split(np.zeros(len(wanted)), wanted):
        rules = clone(estimator).fit(take_rows(X, train), wanted[train]).rules()
        literals, left_out = rules.literals(take_rows(X, train)), Rows.of(rules, take_rows(X, test), wanted[test])
        before = left_out.score(rules)
        for k, (n_rules, n_conditions) in enumerate(sizes):
            few = small(rules, literals, wanted[train], n_rules=n_rules, n_conditions=n_conditions, loss=loss).rules
            sums[k] += len(few.conditional), few.conditional.n_conditions, before, left_out.score(few)
    cost = partial(Cost, measure=measure_of(rules.outputs))
    return [cost(*size, *means) for size, means in zip(sizes, (sums / folds).tolist(), strict=True)]


def _plain(estimator: Any, y: Any, n_rows: int) -> NDArray[Any]:
    """y as an array: labels, 0 and 1 for each of several, or numbers."""
    if not is_classifier(estimator):
        return numbers(y, n_rows)
    return indicator(y, n_rows) if is_indicator(y) else plain_labels(y, n_rows)


def check_cost_folds(estimator: Any, y: Any, folds: int) -> bool:
    """Refuse more folds than y has rows for; whether they are stratified by class."""
    classes = is_classifier(estimator) and np.ndim(y) == 1
    check_folds(folds, y, classes=classes)
    return classes
