"""A claim, the parts it is judged by, and the rules that turn a measured part into a verdict.

Which claims there are is left to `claims`. A part holds (True), does not (False) or stays open (None); a claim holds if
all its parts do. Every rule is said in words beside its program, and the report prints these words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from adtm.paper.reading.differences import beside_paper, falls, rises, signed_twice, twice
from adtm.paper.reading.estimates import ROUNDING, Estimate
from adtm.templating import listed

HOLDS, IN_PART, FAILS_IN_PART = "holds", "holds in part", "fails in part"
FAILS, OPEN = "does not hold", "cannot be judged"
NO_ROWS = "–"  # for new rows: the claim rests on counts and arithmetic alone
MARGIN = 0.02  # a loss up to this is called none

# The letters that the table shows, with their rules.
RULES = {
    "A": "A change is claimed. It holds where the 95 % interval of the paired difference lies wholly on the claimed "
    "side of 0. It does not hold where the interval lies wholly on the other side or, reaching over 0, excludes the "
    "paper's own difference. The paper prints no interval: its difference gets one as wide as ours, so both together "
    "are √2 times as wide. Otherwise it is open.",
    "B": f"No loss is claimed. It holds where the interval of the paired difference excludes a loss larger than "
    f"{MARGIN} (of a number of epochs: 5). It does not hold where the interval lies wholly below 0 and includes such a "
    "loss. Otherwise it is open.",
    "C": f"Sameness is claimed. It holds where the whole interval of the paired difference lies within {MARGIN} of 0 "
    "(of a number of epochs: within 5). It does not hold where the interval lies wholly on one side of 0 and reaches "
    "farther from 0 than that. Otherwise it is open.",
    "D": "A rank is claimed. It holds where the interval of the paired difference to the learner that the paper names "
    "lies wholly above 0, does not hold where it lies wholly below 0, and is open otherwise. Against every other "
    "learner it holds if it holds against each, does not hold if one is better, and is open while one has fewer than "
    "three repeats; the text shows the opponent whose interval ends lowest.",
    "E": "A level is claimed. It holds where the whole interval lies on the claimed side (“around”: within "
    f"{MARGIN}), does not hold where it lies on the other, and is open otherwise.",
    "F": "A number is claimed. It holds where ours, counted by the ledger or computed from the paper's own constants, "
    "rounds to it. It is open where only another value that rounds to the printed constants does. No chip was "
    "measured.",
}
COMBINED = (
    f"A claim “{HOLDS}” where all its parts hold, “{IN_PART}” where some do, “{FAILS_IN_PART}” where none is known to "
    f"hold, some do not and others are open, “{FAILS}” where no part holds, and “{OPEN}” where all are open. A claim "
    f"about all learners “{FAILS}” if one part does not, and “{OPEN}” while one part is open. Where no verdict for new "
    "rows stands, it is the same, or the claim rests on counts and arithmetic alone."
)
TWO_INTERVALS = (
    "Every part is judged twice. The repeats are overlapping splits of the same rows, so their interval says what "
    "other splits of these rows would give. The interval for new rows is wider by √(1 + n / 4), √6 for 20 repeats, as "
    "a quarter as many rows are tested as learned (Nadeau and Bengio, 2003). It says what other rows of the same kind "
    "would give. Less is known about them: a part that the wider interval does not confirm is open for new rows."
)


@dataclass(frozen=True)
class Part:
    """One measured part of a claim, in words.

    `holds` says whether it does on other splits of these rows, `new_rows` whether on new rows of the same kind; None
    where that stays open. `sampled` says whether the rows decide about it at all.
    """

    text: str
    holds: bool | None
    new_rows: bool | None
    sampled: bool = True


def fact(text: str, holds: bool | None) -> Part:
    """A part that no sample of rows decides: counted, computed or measured on a chip only."""
    return Part(text, holds, holds, sampled=False)


def _unknown(text: str) -> Part:
    """A part for which runs are missing."""
    return Part(text, None, None)


def _on_rows(text: str, e: Estimate, judge: Callable[[Estimate], bool | None]) -> Part:
    """A part by a rule. Its mark for new rows is the same or open: a wider interval says less, never the opposite."""
    here, new = judge(e), judge(e.for_new_rows())
    return Part(text, here, here if new is here else None)


@dataclass(frozen=True)
class Claim:
    """A claim of the paper in its own sense, and what was measured of it."""

    name: str  # short, for links and files
    rule: str  # a letter of `RULES`
    evidence: tuple[str, ...]  # names of the tables and figures that show it
    says: str
    parts: tuple[Part, ...]
    note: str = ""  # what else a reader should know
    of_all: bool = False  # whether the claim is about all of its parts at once

    @property
    def verdict(self) -> str:
        """The verdict on the whole claim for other splits of these rows, as `COMBINED` says.

        >>> Claim("demo", "A", (), "It rises.", (fact("", True), fact("", None))).verdict
        'holds in part'
        """
        return self._verdict([part.holds for part in self.parts])

    @property
    def new_rows(self) -> str:
        """The verdict for new rows of the same kind; `NO_ROWS` where no part is about rows.

        >>> Claim("demo", "F", (), "7 % / 100 is 0.07 %.", (fact("", True),)).new_rows
        '–'
        """
        if not any(part.sampled for part in self.parts):
            return NO_ROWS
        return self._verdict([part.new_rows for part in self.parts])

    def _verdict(self, marks: Sequence[bool | None]) -> str:
        if all(mark is None for mark in marks):
            return OPEN
        if all(marks):
            return HOLDS
        if self.of_all:
            return FAILS if False in marks else OPEN
        if any(marks):
            return IN_PART
        return FAILS_IN_PART if None in marks else FAILS


def _mark(holds: bool, fails: bool) -> bool | None:
    return True if holds else False if fails else None


def changes(label: str, e: Estimate | None, printed: float | None, *, up: bool, digits: int = 3) -> Part:
    """Rule A, for a claimed rise (`up`) or fall.

    >>> changes("Heart F1", Estimate(0.001, 0.014, 20), 0.072, up=True).holds
    False
    """
    claimed, other = (rises, falls) if up else (falls, rises)

    def judge(known: Estimate) -> bool | None:
        spread = Estimate(known.mean, math.sqrt(2) * known.half, known.n)
        refuted = other(known) or (printed is not None and spread.excludes(printed, 2 * ROUNDING))
        return _mark(claimed(known), refuted)

    return _part(label, e, printed, judge, digits)


def keeps(label: str, e: Estimate | None, printed: float | None, *, margin: float = MARGIN, digits: int = 3) -> Part:
    """Rule B: no loss larger than the margin.

    >>> keeps("Heart F1", Estimate(-0.009, 0.021, 20), 0.008).holds is None
    True
    """
    return _part(label, e, printed, lambda known: _mark(known.mean - known.half >= -margin, falls(known)), digits)


def stays(
    label: str, e: Estimate | None, printed: float | None = None, *, margin: float = MARGIN, digits: int = 3
) -> Part:
    """Rule C: neither loss nor gain larger than the margin.

    >>> stays("Heart F1", Estimate(0.015, 0.01, 20), 0.0).holds
    False
    """

    def judge(known: Estimate) -> bool | None:
        return _mark(abs(known.mean) + known.half <= margin, rises(known) or falls(known))

    return _part(label, e, printed, judge, digits)


def leads(label: str, e: Estimate | None) -> Part:
    """Rule D: the difference to one other learner."""
    return _part(label, e, None, _leads)


def _leads(e: Estimate) -> bool | None:
    return _mark(rises(e), falls(e))


def leads_all(label: str, differences: Mapping[str, Estimate | None]) -> Part:
    """Rule D against every other learner: the text names the one that decides.

    Examples
    --------
    >>> leads_all("d = 1", {"DT": Estimate(0.03, 0.01, 20), "EBM": None}).holds is None
    True
    """
    known = {name: e for name, e in differences.items() if e is not None and e.has_interval}
    missing = [name for name in differences if name not in known]
    lacking = f"too few repeats of {listed(missing)}" if missing else ""
    if not known:
        return _unknown(f"{label}: too few repeats")
    closest = min(known, key=lambda name: known[name].mean + known[name].half)
    here, new = (
        _mark(all(marks) and not missing, False in marks)
        for marks in ([_leads(e) for e in known.values()], [_leads(e.for_new_rows()) for e in known.values()])
    )
    text = f"{label}, at worst against {closest} {signed_twice(known[closest])}"
    return Part(f"{text}; {lacking}" if lacking else text, here, new)


def lies(label: str, e: Estimate | None, *, above: float = -math.inf, below: float = math.inf, digits: int = 3) -> Part:
    """Rule E: a score above one level, below another, or between both.

    Examples
    --------
    >>> [lies("", Estimate(mean, 0.02, 9), below=0.5).holds for mean in (0.4, 0.49, 0.6)]
    [True, None, False]
    """
    if e is None or not e.has_interval:
        return _unknown(f"{label}: too few repeats")

    def judge(known: Estimate) -> bool | None:
        low, high = known.mean - known.half, known.mean + known.half
        return _mark(above < low and high < below, low > below or high < above)

    return _on_rows(f"{label} {twice(e, digits)}", e, judge)


def equals(text: str, ours: float, printed: float, digits: int, reach: tuple[float, float] | None = None) -> Part:
    """Rule F: whether our number, rounded as the paper prints, is the paper's.

    `reach` is the lowest and the highest value that the rounding of its own constants allows.

    >>> equals("", 10.4, 11, digits=0).holds, equals("", 10.4, 11, digits=0, reach=(9.9, 10.9)).holds
    (False, None)
    """
    if f"{ours:.{digits}f}" == f"{printed:.{digits}f}":
        return fact(text, True)
    half = 0.5 * 10**-digits
    possible = reach is not None and reach[0] <= printed + half and printed - half <= reach[1]
    return fact(text, None if possible else False)


def _part(
    label: str, e: Estimate | None, printed: float | None, judge: Callable[[Estimate], bool | None], digits: int = 3
) -> Part:
    if e is None:
        return _unknown(f"{label}: not run")
    text = beside_paper(label, e, printed, digits)
    if not e.has_interval:
        return _unknown(f"{text}, too few repeats")
    return _on_rows(text, e, judge)
