"""A claim, the parts it is judged by, and the rules that turn a measured part into a verdict.

Which claims there are is left to `claims`. A part holds (True), does not (False) or stays open (None); a claim holds if
all its parts do. Every rule is said in words beside its program, and the report prints these words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from adtm.paper.reading.differences import beside_paper
from adtm.paper.reading.estimates import ROUNDING, Estimate

HOLDS, IN_PART, FAILS, OPEN = "holds", "holds in part", "does not hold", "cannot be judged"
MARGIN = 0.02  # a loss up to this is called none

# The letters that the table shows, with their rules.
RULES = {
    "A": "A change is claimed. It holds where the 95 % interval of the paired difference lies wholly on the claimed "
    "side of 0. It does not hold where the interval lies wholly on the other side or, reaching over 0, excludes the "
    "paper's own difference. Else it is open.",
    "B": f"No loss is claimed. It holds where the interval of the paired difference excludes a loss larger than "
    f"{MARGIN}. It does not hold where the interval lies wholly below 0 and reaches beyond that. Else it is open.",
    "C": f"Sameness is claimed. It holds where the whole interval of the paired difference lies within {MARGIN} of 0. "
    "It does not hold where the interval lies wholly on one side of 0 and reaches beyond that. Else it is open.",
    "D": "A rank is claimed. It holds where the interval of the paired difference to the best of the other learners "
    "(by mean F1) lies wholly above 0, does not hold where it lies wholly below 0, and is open else. Learners with "
    "fewer than three repeats are left out.",
    "E": "A level is claimed. It holds where the whole interval lies on the claimed side, does not hold where it lies "
    "on the other, and is open else.",
    "F": "A number is claimed. It holds where ours, counted by the ledger or computed from the paper's own constants, "
    "rounds to it; no chip was measured.",
}
COMBINED = (
    f"A claim “{HOLDS}” where all its parts hold, “{FAILS}” where none holds and at least one does not, and “{OPEN}” "
    f"where all are open; anything between “{IN_PART}”."
)


@dataclass(frozen=True)
class Part:
    """One measured part of a claim, in words, and whether it holds; None where that stays open."""

    text: str
    holds: bool | None


@dataclass(frozen=True)
class Claim:
    """A claim of the paper in its own sense, and what was measured of it."""

    name: str  # short, for links and files
    rule: str  # a letter of `RULES`
    evidence: tuple[str, ...]  # names of the tables and figures that show it
    says: str
    parts: tuple[Part, ...]
    note: str = ""  # what else a reader should know

    @property
    def verdict(self) -> str:
        """The verdict on the whole claim, as `COMBINED` says.

        >>> Claim("demo", "A", (), "It rises.", (Part("", True), Part("", None))).verdict
        'holds in part'
        """
        marks = [part.holds for part in self.parts]
        if all(mark is None for mark in marks):
            return OPEN
        if all(marks):
            return HOLDS
        return IN_PART if any(marks) else FAILS


def changes(label: str, e: Estimate | None, printed: float | None, *, up: bool, digits: int = 3) -> Part:
    """Rule A, for a claimed rise (`up`) or fall.

    >>> changes("Heart F1", Estimate(0.001, 0.014, 20), 0.072, up=True).holds
    False
    """
    return _part(label, e, printed, lambda known: _changes(known if up else _turned(known), printed, up=up), digits)


def _changes(e: Estimate, printed: float | None, *, up: bool) -> bool | None:
    if e.mean - e.half > 0:
        return True
    claimed = None if printed is None else (printed if up else -printed)
    refuted = e.mean + e.half < 0 or (claimed is not None and e.excludes(claimed, 2 * ROUNDING))
    return False if refuted else None


def _turned(e: Estimate) -> Estimate:
    return Estimate(-e.mean, e.half, e.n)


def keeps(label: str, e: Estimate | None, printed: float | None) -> Part:
    """Rule B: no loss larger than the margin.

    >>> keeps("Heart F1", Estimate(-0.009, 0.021, 20), 0.008).holds is None
    True
    """
    return _part(label, e, printed, _keeps)


def _keeps(e: Estimate) -> bool | None:
    if e.mean - e.half >= -MARGIN:
        return True
    return False if e.mean + e.half < 0 else None


def stays(label: str, e: Estimate | None, printed: float | None) -> Part:
    """Rule C: neither loss nor gain larger than the margin.

    >>> stays("Heart F1", Estimate(0.015, 0.01, 20), 0.0).holds
    False
    """
    return _part(label, e, printed, _stays)


def _stays(e: Estimate) -> bool | None:
    if abs(e.mean) + e.half <= MARGIN:
        return True
    return False if abs(e.mean) > e.half else None


def leads(label: str, e: Estimate | None) -> Part:
    """Rule D: the difference to the best of the others."""
    return _part(label, e, None, lambda known: _beyond(known, 0.0))


def below(label: str, e: Estimate | None, level: float) -> Part:
    """Rule E: a score below a level."""
    if e is None or not e.has_interval:
        return Part(f"{label}: too few repeats", None)
    return Part(f"{label} {e.mean:.3f}\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{e.half:.3f}", _beyond(_turned(e), -level))


def _beyond(e: Estimate, level: float) -> bool | None:
    if e.mean - e.half > level:
        return True
    return False if e.mean + e.half < level else None


def equals(text: str, ours: float, printed: float, digits: int) -> Part:
    """Rule F: whether our number, rounded as the paper prints, is the paper's.

    >>> equals("10.4 mW", 10.36, 11, digits=0).holds
    False
    """
    return Part(text, f"{ours:.{digits}f}" == f"{printed:.{digits}f}")


def _part(
    label: str, e: Estimate | None, printed: float | None, judge: Callable[[Estimate], bool | None], digits: int = 3
) -> Part:
    if e is None:
        return Part(f"{label}: not run", None)
    text = beside_paper(label, e, printed, digits)
    return Part(text, judge(e)) if e.has_interval else Part(f"{text}, too few repeats", None)
