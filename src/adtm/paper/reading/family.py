"""Tables of the family study: plain beside tolerant clauses, both over d, both against no draws, and the choice made.

How a table looks is left to `table`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from adtm.paper.reading.determinism import NO_LOSS
from adtm.paper.reading.differences import difference, within
from adtm.paper.reading.estimates import FEWEST, Estimate
from adtm.paper.reading.groups import CaseRuns, Repeats, Runs, repeats_of
from adtm.paper.reading.measures import accuracy, seconds, silent_share
from adtm.paper.reading.table import Cell, Row, Table
from adtm.paper.running.records import Record
from adtm.paper.studies.cases import DETERMINISM, Case, D, Place
from adtm.paper.studies.family import (
    CANDIDATES,
    CASES,
    CHOICES,
    CHOSEN,
    MACHINES,
    NO_DRAWS,
    PLAIN,
    TOLERANT,
    candidates,
    named,
)
from adtm.paper.studies.family import EXPERIMENT as NAME

HARDLY = 0.01  # a loss of accuracy up to this counts as hardly any
ACCURACY = (
    "Testing accuracy after the last epoch, mean ± 95 % t-interval over the repeats; on a fixed test part with fewer "
    f"than {FEWEST} runs ± is the binomial interval over its rows, and that of a difference as of two independent "
    "samples, which is too wide. Differences are paired by repeat."
)
SIZE_NOTES = (
    ACCURACY,
    "Literals: included ones, per clause and in all clauses of all classes. Time: of a tolerant run over that of a "
    "plain one, scoring after every epoch and other runs beside it included.",
)
DETERMINISM_NOTES = (
    ACCURACY,
    "The paper's automaton, all else drawn; with tolerance it has jumps of 50 states and 2,500 states per action. "
    "Largest loss: of the mean from d=1 to any larger d, paired by repeat; a gain is negative. "
    f"Within {HARDLY}: it is at most that. Silent: the share of the test rows that the votes leave undecided at d=∞.",
)
DRAWS_NOTES = (
    ACCURACY,
    "Best with draws: the highest mean accuracy of the plain and tolerant machines at each d, chosen by the test part, "
    f"which favours it. Within {NO_LOSS}: the mean loss is at most that.",
)
CHOICE_NOTES = (
    "Mean accuracy on a fifth of the training rows, held out of training; no test row is looked at. F = tolerance + 1. "
    "The setting with the highest mean over the tables is the one of the study.",
)


def tables(runs: Runs) -> list[Table]:
    """The tables that the records allow; none without records of the study."""
    relatives = runs.relatives
    made = (
        size_table(relatives, NO_DRAWS),
        size_table(relatives, 100),
        determinism_table(relatives),
        draws_table(relatives),
        choice_table(choice_runs(runs)),
    )
    return [table for table in made if table.rows]


def literals(runs: Sequence[Record]) -> float:
    """Included literals of all clauses, the mean of the runs: what a model's size comes to."""
    return sum(run["literals"] or 0 for run in runs) / len(runs)


def choice_runs(runs: Runs) -> dict[str, dict[str, Repeats]]:
    """Runs on held-out training rows by case and candidate."""
    found: dict[str, dict[str, Repeats]] = {name: {} for name in CHOICES}
    for name, case in CHOICES.items():
        for label, params in candidates(case).items():
            found[name][label] = repeats_of(runs.alike(case.task(params, held_out=True)))
    return {name: by_label for name, by_label in found.items() if any(by_label.values())}


def size_table(runs: CaseRuns, draws: D) -> Table:
    """Plain and tolerant clauses of equal number: accuracy, size, time."""
    columns = (
        *("Data set", "Clauses", PLAIN, TOLERANT, "Difference"),
        *("Literals per clause: plain", "tolerant", "Literals in all: plain", "tolerant", "Time"),
    )
    rows = tuple(
        Row(CASES[name].title, tuple(_size_cells(CASES[name], *pair)))
        for name, places in runs.items()
        if (pair := [places[machine, draws] for machine in MACHINES if (machine, draws) in places]) and len(pair) == 2
    )
    how = named((TOLERANT, draws)).split(", ")[1]
    title = f"Plain and tolerant clauses of equal number, {how}"
    return Table(f"{NAME}_{how.replace('=', '').replace(' ', '_')}", title, columns, rows, SIZE_NOTES)


def _size_cells(case: Case, plain: Repeats, tolerant: Repeats) -> Iterator[Cell | str]:
    yield f"{case.n_clauses:,}"
    yield from (Cell(accuracy(runs, fixed=case.fixed)) for runs in (plain, tolerant))
    yield Cell(difference(plain, tolerant, fixed=case.fixed))
    clauses = case.n_clauses * case.n_banks
    yield from (f"{literals(runs) / clauses:.1f}" for runs in (plain, tolerant))
    yield from (f"{literals(runs):,.0f}" for runs in (plain, tolerant))
    yield f"{seconds(tolerant).mean / seconds(plain).mean:.2f}"


def determinism_table(runs: CaseRuns) -> Table:
    """Does determinism cost accuracy where clauses are tolerant?"""
    columns = (
        "Data set, clauses",
        *(named((PLAIN, d)).split(", ")[1] for d in DETERMINISM),
        "Largest loss",
        f"Within {HARDLY}",
        "Silent",
    )
    rows = tuple(
        Row(f"{CASES[name].title}, {CASES[name].n_clauses:,} clauses: {machine.lower()}", tuple(cells))
        for name, places in runs.items()
        for machine in MACHINES
        if (cells := list(_determinism_cells(CASES[name], [places.get((machine, d), []) for d in DETERMINISM])))
    )
    title = "Accuracy against determinism, plain and tolerant"
    return Table(f"{NAME}_determinism", title, columns, rows, DETERMINISM_NOTES)


def _determinism_cells(case: Case, over_d: Sequence[Repeats]) -> Iterator[Cell | str]:
    """Nothing where not every d was run."""
    if not all(over_d):
        return
    yield from (Cell(accuracy(runs, fixed=case.fixed)) for runs in over_d)
    changes = [difference(over_d[0], runs, fixed=case.fixed) for runs in over_d[1:]]
    worst = min((change for change in changes if change), key=lambda change: change.mean, default=None)
    yield Cell(None if worst is None else Estimate(-worst.mean, worst.half, worst.n))
    yield "–" if worst is None else _yes(worst, HARDLY)
    yield Cell(silent_share(over_d[-1]))


def draws_table(runs: CaseRuns) -> Table:
    """Does the machine without random numbers lose anything?"""
    columns = (
        *("Data set", "Clauses", "Best with draws", "Its accuracy", "Tolerant, no draws", "Difference"),
        f"Within {NO_LOSS}",
    )
    rows = []
    for name, places in runs.items():
        case, drawless = CASES[name], places.get((TOLERANT, NO_DRAWS))
        best = best_drawn(places)
        gain = difference(places[best], drawless, fixed=case.fixed) if best and drawless else None
        if best is None or drawless is None or gain is None:
            continue
        with_draws, without = (Cell(accuracy(found, fixed=case.fixed)) for found in (places[best], drawless))
        about = f"{case.n_clauses:,}", named(best)
        rows.append(Row(case.title, (*about, with_draws, without, Cell(gain), _yes(gain, NO_LOSS))))
    title = "Tolerant clauses without random numbers, beside the best with them"
    return Table(f"{NAME}_draws", title, columns, tuple(rows), DRAWS_NOTES)


def best_drawn(places: Mapping[Place, Repeats]) -> Place | None:
    """The setting with draws that has the highest mean accuracy."""
    drawn = [place for place in places if place[1] is not NO_DRAWS]
    return max(drawn, key=lambda place: accuracy(places[place]).mean, default=None)


def choice_table(runs: dict[str, dict[str, Repeats]]) -> Table:
    """Which setting the tables have, and by what it was chosen."""
    rows = []
    for label in CANDIDATES:
        scores = [accuracy(found[label]).mean if found[label] else None for found in runs.values()]
        known = [score for score in scores if score is not None]
        if known:
            cells = ("–" if score is None else f"{score:.3f}" for score in scores)
            taken = "yes" if label == CHOSEN else ""
            rows.append(Row(label, (*cells, f"{sum(known) / len(known):.4f}", taken)))
    columns = ("Setting", *(CASES[name].title for name in runs), "Mean", "Taken")
    return Table(
        f"{NAME}_choice", "One setting for all tables, chosen on held-out rows", columns, tuple(rows), CHOICE_NOTES
    )


def _yes(gain: Estimate, limit: float) -> str:
    return "yes" if within(gain, limit) else "no"
