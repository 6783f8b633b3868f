"""The mean over repeats with its 95 % interval, and numbers as tables and sentences have them. No record is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

FEWEST = 3  # repeats for an interval: with two, Student's t makes it 12.7 standard errors wide, more than the scale
ROUNDING = 0.0005  # of a score that the paper prints; of a difference of two, twice that
TEST_TO_TRAINING = 0.25  # rows of a test part to those of its training part, in splits 80/20
MEASURES = {"f1": "F1", "accuracy": "accuracy"}
NORMAL = 1.959964  # the 97.5 % quantile of the normal distribution


class Estimate(NamedTuple):
    """A mean over n repeats and the half width of its 95 % interval (NaN where there are too few)."""

    mean: float
    half: float
    n: int

    @property
    def has_interval(self) -> bool:
        """Whether there was enough for an interval that tells something."""
        return not math.isnan(self.half)

    def for_new_rows(self) -> Estimate:
        """The same mean with an interval for new rows: repeats are overlapping splits (Nadeau and Bengio, 2003).

        Examples
        --------
        >>> Estimate(0.1, 0.01, 20).for_new_rows().half / 0.01  # doctest: +ELLIPSIS
        2.449...
        """
        return Estimate(self.mean, self.half * math.sqrt(1 + self.n * TEST_TO_TRAINING), self.n)

    def excludes(self, value: float, rounding: float = ROUNDING) -> bool:
        """Whether a printed value lies outside the interval, its own rounding granted."""
        return bool(abs(value - self.mean) > self.half + rounding)  # False for NaN: no interval, no claim


def estimate(values: Sequence[float]) -> Estimate:
    """Mean and 95 % interval over repeats.

    >>> e = estimate([0.70, 0.72, 0.74])
    >>> round(e.mean, 3), round(e.half, 3), e.excludes(0.78)
    (0.72, 0.05, True)
    """
    from scipy.special import stdtrit  # the quantile of Student's t, without loading scipy.stats

    n = len(values)
    if n == 0:
        raise ValueError("values must hold at least one score, got none")
    if n < FEWEST:
        return Estimate(float(np.mean(values)), float("nan"), n)
    half = float(stdtrit(n - 1, 0.975)) * float(np.std(values, ddof=1)) / n**0.5
    return Estimate(float(np.mean(values)), half, n)


def on_rows(share: float, rows: int, n: int = 1) -> Estimate:
    """A share of test rows with its binomial 95 % interval: what other rows of the same kind would change.

    >>> e = on_rows(0.9, rows=10_000)
    >>> e.mean, round(e.half, 4), e.has_interval
    (0.9, 0.0059, True)
    """
    return Estimate(share, NORMAL * math.sqrt(share * (1 - share) / rows), n)


def minus(number: str) -> str:
    """A number with the sign that typesetters use.

    Examples
    --------
    >>> minus("-0.25")
    '−0.25'
    """
    return number.replace("-", "−")


def percent(share: float) -> str:
    """Whole percents, or two digits of a small share.

    >>> percent(0.5), percent(0.0123)
    ('50 %', '1.2 %')
    """
    return f"{100 * share:.0f} %" if share >= 0.0995 else f"{100 * share:.2g} %"


def percents(shares: Sequence[float]) -> str:
    """The range of some shares."""
    low, high = (percent(share) for share in (min(shares), max(shares)))
    return low if low == high else f"{low.removesuffix(' %')} to {high}"


def few_digits(rate: float) -> str:
    """A rate with three digits at most, or whole.

    >>> few_digits(0.034567), few_digits(99.96), few_digits(999.7), few_digits(12_345.6)
    ('0.0346', '100', '1,000', '12,346')
    """
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def span(numbers: Iterable[int]) -> str:
    """Equal numbers as one, others as a range."""
    distinct = sorted(set(numbers)) or [0]
    return str(distinct[0]) if len(distinct) == 1 else f"{distinct[0]}–{distinct[-1]}"


def between(values: Sequence[float], shown: Callable[[float], str]) -> str:
    """The range of some values."""
    low, high = shown(min(values)), shown(max(values))
    return low if low == high else f"{low} to {high}"
