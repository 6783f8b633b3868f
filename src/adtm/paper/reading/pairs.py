"""Paired differences: what F1 and accuracy gain from one machine to another on the same splits, beside the paper's.

With each goes the largest loss that its interval leaves open, so that "no loss" is a statement with a number, and the
share of silent rows before and after. Which machines are compared is `STEPS`; how a table looks is left to
`result_table`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adtm.paper.studies import paper
from adtm.paper.reading.groups import INFINITY, STANDARD, PaperRuns, machine_runs
from adtm.paper.reading.measures import SCORES, change
from adtm.paper.running.records import Record
from adtm.paper.reading.table import Cell, Row, Table
from adtm.paper.running.scores import ROUNDING, Estimate
from adtm.paper.reading.wording import percent

STEPS = ((STANDARD, "1"), ("1", "100"), ("100", "5000"), ("100", INFINITY))
COLUMNS = ("Step", "F1", "Accuracy", "F1: no loss beyond", "Accuracy: no loss beyond", "Silent rows before", "after")
NOTES = (
    "After the last epoch, paired by repeat: both machines of a pair have the same split and seed. Mean ± 95 % "
    "t-interval; beside it the difference of the paper's two scores.",
    "No loss beyond: the largest loss that the interval leaves open, its lower end with the sign turned; 0 where even "
    "that is a gain.",
    "Silent rows: the share of test rows on which the votes do not decide, answered with class 1.",
)


def name_of(label: str) -> str:
    """A machine's label in a text."""
    return label if label == STANDARD else f"d = {label}"


def printed_change(dataset: str, before: str, after: str, measure: str) -> float | None:
    """The difference of the paper's two scores; None where it does not print both.

    Examples
    --------
    >>> printed_change("heart", "TM", "1", "f1")
    0.072
    """
    pair = [_printed(dataset, label, measure) for label in (before, after)]
    return None if pair[0] is None or pair[1] is None else round(pair[1] - pair[0], 3)


def _printed(dataset: str, label: str, measure: str) -> float | None:
    if label == STANDARD:
        return paper.printed(dataset, "TM", measure)
    return None if label == INFINITY else paper.printed(dataset, "ADTM", measure, int(label))


def largest_loss(e: Estimate) -> float | None:
    """The largest loss that a difference's interval leaves open; None without an interval.

    Examples
    --------
    >>> largest_loss(Estimate(0.01, 0.03, 20)), largest_loss(Estimate(0.05, 0.03, 20))
    (0.019999999999999997, 0.0)
    """
    return max(0.0, e.half - e.mean) if e.has_interval else None


def tables(records: Iterable[Record]) -> list[Table]:
    """The one table of differences; none without two machines to compare.

    Examples
    --------
    >>> tables([])
    []
    """
    rows = tuple(_rows(machine_runs(records)))
    title = "Paired differences: from one machine to another on the same splits"
    return [Table("pairs", title, COLUMNS, rows, NOTES)] if rows else []


def _rows(runs: PaperRuns) -> Iterator[Row]:
    for dataset, machines in runs.items():
        for before, after in STEPS:
            if before not in machines or after not in machines:
                continue
            gains = {name: change(machines[before], machines[after], score) for name, score in SCORES.items()}
            cells = [
                Cell(gain, printed_change(dataset, before, after, name), rounding=2 * ROUNDING)
                for name, gain in gains.items()
            ]
            losses = [_text(largest_loss(gain)) if gain else "–" for gain in gains.values()]
            silent = [_silent(machines[label]) for label in (before, after)]
            label = f"{paper.SETTINGS[dataset].title}: {name_of(before)} → {name_of(after)}"
            yield Row(label, (*cells, *losses, *silent))


def _text(loss: float | None) -> str:
    return "–" if loss is None else f"{loss:.3f}"


def _silent(repeats: Iterable[Record]) -> str:
    shares = [run["silence"]["rows"] for run in repeats if run["silence"]]
    return percent(sum(shares) / len(shares)) if shares else "–"
