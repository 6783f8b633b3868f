"""From votes to probabilities and intervals, by rows that the machine did not learn from.

A class's probability is exp(vote / temperature) over the sum of all classes', so larger votes are larger probabilities
and the answer keeps the largest. Each of several labels has a temperature of its own, as there and not there are two
classes. An interval is a value and the error that a share of the rows did not exceed (split conformal prediction).
Which rows are asked is decided in ``adtm.learning.calibrating``; what a vote is, in ``heads``.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: One number, of several labels one for each, and of a value the errors of ``error_quantiles``.
Temperature: TypeAlias = float | NDArray[np.float64]

_COLDEST, _HOTTEST = 2.0**-10, 2.0**30  # beyond any vote's scale: one vote decides; no vote says anything


def softmax(scores: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """Probabilities (samples, classes) of scores.

    >>> softmax(np.array([[0.0, 2.0]]), 2.0).round(3)
    array([[0.269, 0.731]])
    """
    powers = np.exp((scores - scores.max(axis=1, keepdims=True)) / temperature)
    shares: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    return shares


def largest_at(winners: NDArray[np.intp], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values (samples, classes), the winner's one unit in the last place larger where another was no smaller.

    >>> largest_at(np.array([1, 1]), np.array([[0.5, 0.5], [0.25, 0.75]])).argmax(axis=1).tolist()
    [1, 1]
    """
    rows = np.arange(len(values))
    others = values.copy()
    others[rows, winners] = -np.inf
    tied = values[rows, winners] <= others.max(axis=1, initial=-np.inf)
    values[rows[tied], winners[tied]] = np.nextafter(values[rows[tied], winners[tied]], np.inf)
    return values


def two_sides(votes: NDArray[Any]) -> NDArray[np.float64]:
    """The scores of two classes (samples, 2) of one vote: above 0 it is for the second."""
    halves = votes / 2
    return np.column_stack([-halves, halves])


def fit_temperature(
    scores: NDArray[np.float64], y: NDArray[np.intp], weights: NDArray[np.float64] | None = None
) -> float:
    """The temperature with the least log loss of these rows, to six digits.

    As if one more row of each class had been seen with every score (Platt's targets, the rule of succession), so that
    rows without an error do not make anything certain. Without any row no vote says anything.

    >>> scores = np.array([[0.0, 4.0]] * 10)
    >>> certain, half = (fit_temperature(scores, np.array([1] * n + [0] * (10 - n))) for n in (10, 6))
    >>> certain < half
    True
    """
    n, n_classes = scores.shape
    if n == 0:
        return _HOTTEST
    each = np.ones(n) if weights is None else weights
    centred = np.ascontiguousarray((scores - scores.mean(axis=1, keepdims=True)).T)  # sums of few classes are quick so
    behind = centred - centred.max(axis=0)
    total = float(each.sum())
    sure = total / (total + n_classes)  # the share of the target that is the label's, the rest is everybody's
    wanted = sure * float(each @ centred[y, np.arange(n)])  # everybody's share of centred scores is 0
    low, high = np.log(_COLDEST), np.log(_HOTTEST)
    for _ in range(50):  # the loss is convex in 1 / temperature: its slope changes sign once
        if _six_digits(low) == _six_digits(high):
            break
        middle = (low + high) / 2
        powers = np.exp(behind / np.exp(middle))
        given = float(each @ ((powers * centred).sum(axis=0) / powers.sum(axis=0)))
        low, high = (middle, high) if given > wanted else (low, middle)
    return _six_digits(high)


def _six_digits(log: float) -> float:
    return float(f"{np.exp(log):.6g}")


def error_quantiles(left: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """The error that each percent of the rows does not exceed, 1 to 99 %, as far as so few rows can say it.

    Number k is the least error that k % of the rows and one more do not exceed: of rows like these, a further one stays
    within it with a probability of at least k %.

    >>> error_quantiles(np.array([-1.0, 2.0, 3.0, -4.0]))[[19, 49, 79]].tolist()
    [1.0, 3.0, 4.0]
    """
    sizes = np.abs(left)
    order = np.argsort(sizes, kind="stable")
    reached = np.cumsum(np.ones(len(left)) if weights is None else weights[order])
    places = np.searchsorted(100 * reached, np.arange(1, 100) * (reached.max(initial=0) + 1))
    found = sizes[order][places[places < len(left)]]
    return np.asarray(found[np.isfinite(found)])  # those of numbers at the end of their range may be infinite
