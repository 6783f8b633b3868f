"""Numbers as sentences and tables have them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

MEASURES = {"f1": "F1", "accuracy": "accuracy"}


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
    """A rate with three digits at most, or whole."""
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def span(numbers: Iterable[int]) -> str:
    """Equal numbers as one, others as a range."""
    distinct = sorted(set(numbers)) or [0]
    return str(distinct[0]) if len(distinct) == 1 else f"{distinct[0]}–{distinct[-1]}"


def between(values: Sequence[float], shown: Callable[[float], str]) -> str:
    """The range of some values."""
    low, high = shown(min(values)), shown(max(values))
    return low if low == high else f"{low} to {high}"
