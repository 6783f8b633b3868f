"""What the records say, in sentences: agreement with the paper, the standard machine, d, silence, random numbers.

Every number is computed from the records, and a sentence without runs behind it is not written. Differences are told by
`differences`, the advice of the determinism study in its module.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from adtm.paper.published import title_of
from adtm.paper.reading.differences import by_data_set, change, falls, largest_loss, moves, plus, printed_change, rises
from adtm.paper.reading.estimates import FEWEST, MEASURES, Estimate, percent, percents
from adtm.paper.reading.groups import INFINITY, STANDARD, PaperRuns
from adtm.paper.reading.measures import COINS, SCORES, SELECTION, draws
from adtm.paper.reading.silence import Changes, Silence
from adtm.paper.reading.table import Cell, Table
from adtm.templating import listed

CLOSE = 0.02  # a difference from the paper's score that we call small
STEPS = (("1", "100"), ("100", "5000"), ("100", INFINITY))  # the comparisons that the paper's conclusion rests on


@dataclass(frozen=True)
class Finding:
    """A headline and the sentences under it."""

    title: str
    points: tuple[str, ...]


@dataclass(frozen=True)
class Agreement:
    """How many of the paper's printed scores our intervals hold, over cells with enough repeats for one."""

    inside: int
    near: int
    cells: int

    @property
    def text(self) -> str:
        """The counts as a sentence."""
        if not self.cells:
            return f"No setting has the {FEWEST} repeats that an interval needs to be compared with the paper."
        return (
            f"{self.inside} of {self.cells} printed scores lie inside our 95 % intervals, "
            f"{self.near} of {self.cells} within {CLOSE} of our means."
        )


def findings(runs: PaperRuns, tables: Mapping[str, Table], silences: Sequence[Silence]) -> list[Finding]:
    """The main findings of whatever was run, with Tables 1 to 5 by data set; empty when no machine was."""
    every = [
        agreement_finding(tables),
        standard_finding(runs),
        determinism_finding(runs),
        silence_finding(silences),
        draws_finding(runs),
    ]
    return [finding for finding in every if finding is not None]


def agreement(tables: Iterable[Table]) -> Agreement:
    """Compare our scores with the paper's, cell by cell."""
    cells = [cell for table in tables for _, cell in _judged(table)]
    near = sum(abs(_gap(cell)) <= CLOSE for cell in cells)
    return Agreement(inside=sum(not cell.outside for cell in cells), near=near, cells=len(cells))


def agreement_finding(tables: Mapping[str, Table]) -> Finding | None:
    """Agreement of TM and ADTM with Tables 1 to 5, data set by data set, and where it is worst."""
    judged = [(title, *entry) for title, table in tables.items() for entry in _judged(table)]
    whole = agreement(tables.values())
    if not judged:
        return Finding("Agreement with the paper cannot be judged yet", (whole.text,)) if tables else None
    parts = {title: agreement([table]) for title, table in tables.items()}
    near = [f"{title} {part.near} of {part.cells}" for title, part in parts.items() if part.cells]
    title, place, worst = max(judged, key=lambda entry: abs(_gap(entry[2])))
    assert worst.ours is not None  # `_judged` gives no other
    points = (
        f"For TM and ADTM, {whole.text}",
        f"Within {CLOSE}, by data set: {', '.join(near)}.",
        f"Largest difference: {title}, {place}: {worst.ours.mean:.3f} here, {worst.paper:.3f} in the paper.",
    )
    return Finding(f"{whole.near} of the paper's {whole.cells} scores of TM and ADTM are met within {CLOSE}", points)


def standard_finding(runs: PaperRuns) -> Finding | None:
    """The paper's automaton against the standard machine, where every update of both is random."""
    gains = {measure: _changes(runs, STANDARD, "1", measure) for measure in SCORES}
    if not any(gains.values()):
        return None
    points = tuple(moves("From the standard machine to d = 1", gains[measure], MEASURES[measure]) for measure in SCORES)
    f1 = list(gains["f1"].values())
    better = [e for e in f1 if rises(e)]
    title = (
        f"At d = 1 the ADTM has a clearly higher F1 than the standard machine on {len(better)} of {len(f1)} data sets"
    )
    if not all(e.has_interval for e in f1):
        title = "The ADTM at d = 1 against the standard machine"
    pairs = {dataset: [printed_change(dataset, STANDARD, "1", measure) for measure in SCORES] for dataset in runs}
    printed = [
        f"{title_of(dataset)} {plus(f1_gain)} and {plus(accuracy)}"
        for dataset, (f1_gain, accuracy) in pairs.items()
        if f1_gain is not None and accuracy is not None
    ]
    return Finding(title, (*points, f"The paper's differences, F1 and accuracy: {'; '.join(printed)}."))


def determinism_finding(runs: PaperRuns) -> Finding | None:
    """What more determinism does to F1 and accuracy, paired by repeat, and which losses are ruled out."""
    steps = [
        (step, measure, changes) for step in STEPS for measure in SCORES if (changes := _changes(runs, *step, measure))
    ]
    if not steps:
        return None
    points = [moves(f"From d = {step[0]} to d = {step[1]}", e, MEASURES[measure]) for step, measure, e in steps]
    bounds = {measure: [largest_loss(e) for e in _changes(runs, "1", "100", measure).values()] for measure in SCORES}
    known = {measure: [loss for loss in losses if loss is not None] for measure, losses in bounds.items()}
    if known != bounds or not all(known.values()):
        return Finding("F1 and accuracy against determinism", tuple(points))  # too little was run for more
    where = [
        f"{sum(loss <= CLOSE for loss in losses)} of {len(losses)} data sets by {MEASURES[measure]}"
        for measure, losses in known.items()
    ]
    largest = [f"{max(losses):.3f} of {MEASURES[measure]}" for measure, losses in known.items()]
    points.insert(0, f"Up to d = 100 the intervals of all data sets rule out losses larger than {listed(largest)}.")
    return Finding(f"Up to d = 100 a loss larger than {CLOSE} is ruled out on {listed(where)}", tuple(points))


def _changes(runs: PaperRuns, before: str, after: str, measure: str) -> dict[str, Estimate]:
    """What a step gains, by the title of the data set."""
    gains = by_data_set(runs, before, after, partial(change, score=SCORES[measure]))
    return {title_of(dataset): gain for dataset, gain in gains.items()}


def silence_finding(silences: Sequence[Silence]) -> Finding | None:
    """How much of the accuracy lost at high d is lost in silence, how much by wrong votes."""
    title, points = "Silence against determinism", []
    for label in ("5000", INFINITY):
        found = {s.title: (s, s.since) for s in silences if s.label == label and s.since}
        if not found:
            continue
        shares = listed([f"{name} {percent(s.rows.mean)}{_of_the_wrong(s)}" for name, (s, _) in found.items()])
        points.append(f"At d = {label} the votes leave test rows undecided: {shares}.")
        losses = {name: since for name, (_, since) in found.items() if falls(since.accuracy)}
        if losses:
            parts = listed([f"{name} by {_parts(since)}" for name, since in losses.items()])
            points.append(f"From d = 1 to d = {label} accuracy falls on {parts}.")
            silent = sum(since.wrong_silent.mean > since.wrong_voted.mean for since in losses.values())
            where = f"{silent} of {len(losses)} data sets that lose accuracy"
            title = f"From d = 1 to d = {label} silence costs more than wrong votes in the mean on {where}"
        step = f"With the more frequent class as the answer to silence at d = {label}"
        points.append(moves(step, {name: s.gain for name, (s, _) in found.items()}))
    return Finding(title, tuple(points)) if points else None


def _of_the_wrong(s: Silence) -> str:
    wrong = s.wrong_silent.mean + s.wrong_voted.mean
    return f" ({percent(s.wrong_silent.mean / wrong)} of the wrong answers)" if wrong > 0 else ""


def _parts(since: Changes) -> str:
    """A loss and what it is made of."""
    then = f"{plus(since.frequent.mean)} if the more frequent class answers"
    return f"{-since.accuracy.mean:.3f} ({since.parts}; {then})"


def draws_finding(runs: PaperRuns) -> Finding | None:
    """How far the random numbers fall with d, and what remains."""
    counted = [machines for machines in runs.values() if "1" in machines and draws(machines["1"], COINS) > 0]
    title, points = "Random numbers against determinism", []
    for label in ("100", "5000", INFINITY):
        both = [machines for machines in counted if label in machines]
        if not both:
            continue
        coins = percents([draws(m[label], COINS) / draws(m["1"], COINS) for m in both])
        total = [draws(m[label]) / draws(m["1"]) for m in both]
        selection = percents([draws(m[label], SELECTION) / draws(m[label]) for m in both])
        points.append(
            f"At d = {label} a run tosses {coins} as many coins as at d = 1 and needs {percents(total)} as many random "
            f"numbers; {selection} of them select clauses."
        )
        if label == "100":
            title = f"d = 100 spares {percents([1 - share for share in total])} of the random numbers of d = 1"
    return Finding(title, tuple(points)) if points else None


def _judged(table: Table) -> Iterable[tuple[str, Cell]]:
    """Every cell with a paper's score and an interval of ours, with a name for its place."""
    for label, *cells in table.rows:
        for column, cell in zip(table.columns[1:], cells, strict=True):
            if isinstance(cell, Cell) and cell.paper is not None and cell.ours and cell.ours.has_interval:
                yield f"{label}, {column}", cell


def _gap(cell: Cell) -> float:
    """Ours minus the paper's, as exact as the paper prints."""
    return 0.0 if cell.ours is None or cell.paper is None else round(cell.ours.mean - cell.paper, 3)
