"""Paired differences: what a score gains from one machine to another on the same splits, computed, judged and told.

The one narrator of differences: tables, claims, findings and advice take both the numbers and the words from here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar, cast

from adtm.paper.plan import FIXED
from adtm.paper.published import printed
from adtm.paper.reading.estimates import FEWEST, Estimate, estimate, minus
from adtm.paper.reading.groups import INFINITY
from adtm.paper.reading.measures import Score, accuracy, accuracy_of, all_draws
from adtm.paper.running.records import Record
from adtm.templating import listed

Key = TypeVar("Key")


# ---- computed --------------------------------------------------------------------------------------------------------


def change(before: Sequence[Record], after: Sequence[Record], score: Score = accuracy_of) -> Estimate | None:
    """What a score gains from one setting to another, paired by repeat; None without a common repeat."""
    gains = _gains(before, after, score)
    return estimate(gains) if gains else None


def _gains(before: Sequence[Record], after: Sequence[Record], score: Score = accuracy_of) -> list[float]:
    """The gain in each repeat that both have: they share the split."""
    first, last = ({run["task"]["repeat"]: score(run) for run in runs} for runs in (before, after))
    return [last[repeat] - first[repeat] for repeat in sorted(first.keys() & last.keys())]


def difference(before: Sequence[Record], after: Sequence[Record]) -> Estimate | None:
    """What testing accuracy gains from one setting to another, paired by repeat; None without a common repeat.

    On a fixed test part a single run of a machine that draws nothing stands for every repeat. For fewer than three
    pairs there, the interval is that of two independent samples of test rows: too wide, since the rows are the same.
    """
    if before[0]["task"]["dataset"] not in FIXED:
        return change(before, after)
    repeats = {run["task"]["repeat"] for run in (*before, *after)}
    gains = _gains(_for_all(before, repeats), _for_all(after, repeats))
    if len(gains) >= FEWEST:
        return estimate(gains)
    half = math.hypot(accuracy(before).half, accuracy(after).half)
    return Estimate(sum(gains) / len(gains), half, len(gains)) if gains else None


def _for_all(runs: Sequence[Record], repeats: Iterable[int]) -> Sequence[Record]:
    """The runs themselves, or the single one of a machine that draws nothing once for each repeat."""
    if all_draws(runs):
        return runs
    return [cast(Record, {**runs[0], "task": {**runs[0]["task"], "repeat": repeat}}) for repeat in repeats]


def by_data_set(
    runs: Mapping[str, Mapping[Key, list[Record]]],
    before: Key,
    after: Key,
    gain: Callable[[list[Record], list[Record]], Estimate | None],
) -> dict[str, Estimate]:
    """The gain on every data set where both were run, by the name of the data set."""
    found = {
        name: gain(places[before], places[after])
        for name, places in runs.items()
        if before in places and after in places
    }
    return {name: e for name, e in found.items() if e is not None}


def printed_change(dataset: str, before: str, after: str, measure: str) -> float | None:
    """The difference of the paper's two scores; None where it does not print both.

    >>> printed_change("heart", "TM", "1", "f1")
    0.072
    """
    first, last = (printed(dataset, label, measure) for label in (before, after))
    return None if first is None or last is None else round(last - first, 3)


# ---- judged ----------------------------------------------------------------------------------------------------------


def falls(e: Estimate) -> bool:
    """Whether a difference is a loss beyond its interval."""
    return e.mean < 0 and e.excludes(0, rounding=0)


def rises(e: Estimate) -> bool:
    """Whether a difference is a gain beyond its interval."""
    return e.mean > 0 and e.excludes(0, rounding=0)


def within(e: Estimate, limit: float) -> bool:
    """Whether the mean loss is at most that; scores are shares of whole rows, so the seventh digit is noise."""
    return round(e.mean, 6) >= -limit


def largest_loss(e: Estimate) -> float | None:
    """The largest loss that a difference's interval leaves open; None without an interval.

    >>> largest_loss(Estimate(0.01, 0.03, 20)), largest_loss(Estimate(0.05, 0.03, 20))
    (0.019999999999999997, 0.0)
    """
    return max(0.0, e.half - e.mean) if e.has_interval else None


# ---- told ------------------------------------------------------------------------------------------------------------


def plus(difference: float, digits: int = 3) -> str:
    """A difference with its sign.

    >>> plus(-0.25)
    '−0.250'
    """
    return minus(f"{difference:+.{digits}f}")


def signed(e: Estimate, digits: int = 3) -> str:
    """A difference with its sign and interval."""
    mean = plus(e.mean, digits)
    return f"{mean}\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{e.half:.{digits}f}" if e.has_interval else mean


def twice(e: Estimate, digits: int = 3) -> str:
    """A mean with the interval for other splits of these rows, then that for new rows."""
    return f"{e.mean:.{digits}f}{_halves(e, digits)}"


def signed_twice(e: Estimate, digits: int = 3) -> str:
    """A difference with its sign and both intervals."""
    return f"{plus(e.mean, digits)}{_halves(e, digits)}"


def _halves(e: Estimate, digits: int) -> str:
    if not e.has_interval:
        return ""
    halves = (f"±\N{NO-BREAK SPACE}{each.half:.{digits}f}" for each in (e, e.for_new_rows()))
    return "\N{NO-BREAK SPACE}{} ({} for new rows)".format(*halves)


def step_of(before: str, after: str) -> str:
    """From one machine to another, by their labels."""
    return f"{name_of(before)} → {name_of(after)}"


def name_of(label: str) -> str:
    """A learner's label in a text."""
    return f"d = {label}" if label == INFINITY or label.isdigit() else label


def beside_paper(label: str, e: Estimate, printed: float | None, digits: int = 3) -> str:
    """A difference under its label, the paper's behind it."""
    beside = "" if printed is None else f", paper {plus(printed)}"
    return f"{label} {signed_twice(e, digits)}{beside}"


def grouped(groups: Mapping[str, Mapping[str, Estimate]]) -> str:
    """Differences by data set, each group under its verb.

    >>> grouped({"rises on": {"Heart": Estimate(0.1, math.nan, 1)}, "falls on": {}})
    'rises on Heart (+0.100)'
    """
    return "; ".join(
        f"{verb} {listed([f'{title} ({signed(e)})' for title, e in group.items()])}"
        for verb, group in groups.items()
        if group
    )


def moves(step: str, changes: Mapping[str, Estimate], measure: str = "accuracy") -> str:
    """What one step does to a score, data set by data set; a claim only where every one has its interval."""
    if not all(e.has_interval for e in changes.values()):
        plain = listed([f"{title} {signed(e)}" for title, e in changes.items()])
        return f"{step}, {measure} (fewer than {FEWEST} repeats on some, so nothing is claimed): {plain}."
    groups = {
        "falls on": {title: e for title, e in changes.items() if falls(e)},
        "rises on": {title: e for title, e in changes.items() if rises(e)},
        "does not clearly change on": {title: e for title, e in changes.items() if not falls(e) and not rises(e)},
    }
    return f"{step}, {measure} {grouped(groups)}."
