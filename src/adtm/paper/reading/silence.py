"""Silence at high d: how many test rows the votes leave undecided, and what their answers are worth.

All of it comes from the votes of the paper's runs; none is run for it. What counts as silent is in docs/spec.md, what
is made of these numbers in sentences is left to the report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from adtm.paper.published import title_of
from adtm.paper.reading.differences import change, plus
from adtm.paper.reading.estimates import Estimate
from adtm.paper.reading.groups import INFINITY, PaperRuns
from adtm.paper.reading.measures import accuracy_of, mean
from adtm.paper.reading.table import Cell, Row, Table
from adtm.paper.running.records import Record

FIRST = "1"
LABELS = (FIRST, "100", "5000", INFINITY)
COLUMNS = (
    *("Machine", "Accuracy", "Silent rows", "Wrong, silent", "Wrong, voted", "If the frequent answers"),
    *("Change from d=1", "Change if the frequent answers"),
)
NOTES = (
    "After the last epoch, mean ± 95 % t-interval over the repeats. Silent rows: the share of the test rows whose vote "
    "is 0. Every machine here answers them with class 1, as the paper's equation says (silence='paper'). Wrong, silent "
    "and Wrong, voted: the shares of the test rows answered wrongly, which with the accuracy add up to 1.",
    "If the frequent answers: the accuracy of the same votes where silence is answered with the class more frequent in "
    "the training part, which is the library's default. The changes are paired by repeat; the last compares that "
    "accuracy at both d.",
)


class Changes(NamedTuple):
    """What changed from d = 1: accuracy, under the paper's rule and the library's, and shares of wrong answers."""

    accuracy: Estimate
    frequent: Estimate
    wrong_silent: Estimate
    wrong_voted: Estimate

    @property
    def parts(self) -> str:
        """What the answers that became wrong are made of."""
        return f"wrong in silence {plus(self.wrong_silent.mean)}, by votes {plus(self.wrong_voted.mean)}"


@dataclass(frozen=True)
class Silence:
    """What silence is worth for one data set at one d."""

    title: str
    label: str
    since: Changes | None  # None at d = 1, and where no repeat of it was run
    accuracy: Estimate
    rows: Estimate
    wrong_silent: Estimate
    wrong_voted: Estimate
    frequent: Estimate
    gain: Estimate  # from the paper's answers to the frequent class's


def silences(runs: PaperRuns) -> list[Silence]:
    """One for each data set and d that was run."""
    found = []
    for dataset, machines in runs.items():
        kept = {label: [run for run in machines.get(label, []) if run["silence"]] for label in LABELS}
        title = title_of(dataset)
        found += [_silence(title, label, kept[FIRST], repeats) for label, repeats in kept.items() if repeats]
    return found


def _silence(title: str, label: str, first: Sequence[Record], repeats: Sequence[Record]) -> Silence:
    rows, frequent, silent = (partial(_part, name) for name in ("rows", "accuracy", "wrong"))
    scores = (accuracy_of, rows, silent, _wrong_voted, frequent, lambda run: frequent(run) - accuracy_of(run))
    changes = [change(first, repeats, score) for score in (accuracy_of, frequent, silent, _wrong_voted)]
    known = [e for e in changes if e is not None and label != FIRST]
    means = (mean(repeats, score) for score in scores)
    return Silence(title, label, Changes(*known) if known else None, *means)


def _part(name: str, run: Record) -> float:
    assert run["silence"] is not None  # `silences` takes no other run
    return run["silence"][name]


def _wrong_voted(run: Record) -> float:
    return max(0.0, 1 - accuracy_of(run) - _part("wrong", run))  # the two are rounded


def tables(found: Sequence[Silence]) -> list[Table]:
    """The one table of silence; none without runs of an ADTM."""
    rows: list[Row] = []
    for s in found:
        since = (s.since.accuracy, s.since.frequent) if s.since else (None, None)
        cells = map(Cell, (s.accuracy, s.rows, s.wrong_silent, s.wrong_voted, s.frequent, *since))
        rows.append((f"{s.title}, d={s.label}", *cells))
    title = "Silence: test rows that the votes leave undecided, and what their answers cost"
    return [Table("silence", title, COLUMNS, rows, NOTES, section="tables")] if rows else []
