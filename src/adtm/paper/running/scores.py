"""Scores of one run: counts of right answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.paper.running.splits import Split

DIGITS = 6  # scores are counts over a few hundred rows; more digits only make files longer
# What a record holds besides scores, where no more is known of what learned.
UNKNOWN = dict.fromkeys(("silence", "clauses", "literals", "ledger", "backend", "instruction_set"))


def rounded(score: float) -> float:
    """A score as a record has it."""
    return round(float(score), DIGITS)


def last_scores(model: Any, data: Split) -> dict[str, Any]:
    """The scores of a fitted model as a record has them, of one epoch."""
    n_classes, predicted = int(data.y_train.max()) + 1, model.predict(data.X_test)
    return {
        "train_accuracy": [rounded(accuracy(data.y_train, model.predict(data.X_train)))],
        "test_accuracy": [rounded(accuracy(data.y_test, predicted))],
        "test_f1": [rounded(f1(data.y_test, predicted, n_classes))],
    }


def accuracy(y: NDArray[Any], predicted: NDArray[Any]) -> float:
    """Share of correct answers.

    >>> accuracy(np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]))
    0.75
    """
    return float(np.count_nonzero(y == predicted)) / len(y)


def f1(y: NDArray[Any], predicted: NDArray[Any], n_classes: int = 2) -> float:
    """F1 of class 1 for two classes, the mean over the classes for more; 0 for a class never there nor predicted.

    The same number as scikit-learn's ``f1_score`` (average "binary" or "macro", ``zero_division=0``), a hundred times
    faster: it is called after every epoch.

    >>> f1(np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]))
    0.6666666666666666
    """
    if n_classes == 2:
        return _f1_of(y == 1, predicted == 1)
    return float(np.mean([_f1_of(y == c, predicted == c) for c in range(n_classes)]))


def _f1_of(is_class: NDArray[np.bool_], predicted: NDArray[np.bool_]) -> float:
    mentioned = np.count_nonzero(is_class) + np.count_nonzero(predicted)
    return float(2 * np.count_nonzero(is_class & predicted) / mentioned) if mentioned else 0.0
