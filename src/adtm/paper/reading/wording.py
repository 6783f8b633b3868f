"""Numbers and names as sentences have them."""

from __future__ import annotations

from collections.abc import Sequence

from adtm.paper.running.scores import Estimate

__all__ = ["MEASURES", "listed", "percent", "percents", "plus", "signed"]

MEASURES = {"f1": "F1", "accuracy": "accuracy"}


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them.

    Examples
    --------
    >>> listed(["one", "two", "three"])
    'one, two and three'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def plus(difference: float, digits: int = 3) -> str:
    """A difference with its sign.

    Examples
    --------
    >>> plus(-0.25)
    '−0.250'
    """
    return f"{difference:+.{digits}f}".replace("-", "−")


def signed(e: Estimate, digits: int = 3) -> str:
    """A difference with its sign and interval."""
    mean = plus(e.mean, digits)
    return f"{mean}\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{e.half:.{digits}f}" if e.has_interval else mean


def percent(share: float) -> str:
    """Whole percents, or two digits of a small share.

    Examples
    --------
    >>> percent(0.5), percent(0.0123)
    ('50 %', '1.2 %')
    """
    return f"{100 * share:.0f} %" if share >= 0.0995 else f"{100 * share:.2g} %"


def percents(shares: Sequence[float]) -> str:
    """The range of some shares."""
    low, high = (percent(share) for share in (min(shares), max(shares)))
    return low if low == high else f"{low.removesuffix(' %')} to {high}"
