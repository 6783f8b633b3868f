"""The thresholds study: two thresholds for each column that a machine moves, beside those of today and all there are.

Folds and tables are those of the tables study; accuracy, bits and length of the rules are compared. docs/thresholds.md
has what came out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from adtm.paper.plan import Plan, Task, make_task
from adtm.paper.reading.differences import change, falls, rises
from adtm.paper.reading.estimates import estimate
from adtm.paper.reading.groups import Repeats, Runs, repeats_of
from adtm.paper.reading.measures import accuracy
from adtm.paper.reading.table import Cell, Row, Table
from adtm.paper.studies.tables import DATASETS, FOLDS, OWN, here

EXPERIMENT = "thresholds"
MACHINE = {"n_clauses": 100, "epochs": 30}  # the same for all, so that nothing is chosen
#: How columns become bits: parameters of the Booleanizer, with ``rounds`` of the one that moves thresholds.
TODAY, FEW, MOVED, DRAWN, ALL = "today", "few", "moved", "drawn", "all"
METHODS: dict[str, dict[str, Any]] = {
    TODAY: {"max_bits": "auto"},
    FEW: {"max_bits": 2},
    MOVED: {"max_bits": 2, "rounds": 40},
    DRAWN: {"max_bits": 2, "rounds": 40, "seed": 0},
    ALL: {"max_bits": None},
}


def tasks(plan: Plan) -> list[Task]:
    """The runs of the study; all thresholds there are only on the paper's tables, others have too many.

    >>> len(tasks(Plan(repeats=1, datasets=("heart", "iris"))))
    9
    """
    folds, epochs = plan.amount(FOLDS, MACHINE["epochs"])
    return [
        task(name, method, fold, epochs)
        for name in here(plan)
        for fold in range(min(FOLDS, folds))
        for method in METHODS
        if method != ALL or name in OWN[:5]
    ]


def task(name: str, method: str, fold: int = 0, epochs: int = 0) -> Task:
    """A machine on one fold of a table."""
    params = {**MACHINE, "epochs": epochs}
    return make_task(EXPERIMENT, name, "ADTM", params, fold, seed=0, folds=FOLDS, booleanizer=METHODS[method])


NAMES = {
    TODAY: "today: up to 25 quantiles",
    FEW: "2 quantiles",
    MOVED: "2, moved",
    DRAWN: "2, moved, drawn",
    ALL: "all values",
}
#: What is compared with what; the first with nothing.
PAIRS = (
    *((TODAY, TODAY), (FEW, TODAY), (MOVED, TODAY), (DRAWN, TODAY), (ALL, TODAY)),
    *((MOVED, FEW), (DRAWN, FEW), (DRAWN, MOVED)),
)
Reached: TypeAlias = Mapping[str, Mapping[str, Repeats]]  # table -> method -> folds


def tables(runs: Runs) -> list[Table]:
    """Two tables; none without runs of the study.

    >>> tables(Runs([]))
    []
    """
    found = {name: {method: repeats_of(runs.alike(task(name, method))) for method in METHODS} for name in DATASETS}
    reached = {name: {method: of[method] for method in of if of[method]} for name, of in found.items()}
    reached = {name: of for name, of in reached.items() if TODAY in of}
    return [_summary(reached), _by_table(reached)] if reached else []


def _summary(reached: Reached) -> Table:
    rows = []
    for method, beside in PAIRS:
        both = [(of[beside], of[method]) for of in reached.values() if beside in of and method in of]
        if both:
            rows.append((NAMES[method], str(len(both)), *_sizes(both), *_compared(both, beside, method)))
    note = (
        "Means over tables, each the mean of its folds. Difference: the mean over the tables with its 95 % t-interval. "
        "Better : worse counts the tables on which the difference is beyond its own interval, of folds that are paired."
    )
    heads = ("tables", "bits", "conditions of a rule", "accuracy", "beside", "difference", "better : worse")
    title = "Thresholds that a machine moves"
    return Table(f"{EXPERIMENT}_methods", title, ("thresholds", *heads), rows, (note,))


def _sizes(both: Sequence[tuple[Repeats, Repeats]]) -> tuple[str, str, str]:
    """Bits, conditions and accuracy, means of the second of each pair."""
    own = [runs for _, runs in both]
    bits, conditions = (np.mean([_mean(runs, name) for runs in own]) for name in ("bits", "conditions"))
    return f"{bits:.0f}", f"{conditions:.1f}", f"{np.mean([accuracy(runs).mean for runs in own]):.4f}"


def _compared(both: Sequence[tuple[Repeats, Repeats]], beside: str, method: str) -> tuple[Cell | str, ...]:
    if beside == method:
        return "–", "–", "–"
    gains = [gain for pair in both if (gain := change(*pair)) is not None]
    mean = estimate([accuracy(own).mean - accuracy(other).mean for other, own in both])
    return NAMES[beside], Cell(mean, digits=4), f"{sum(map(rises, gains))} : {sum(map(falls, gains))}"


def _by_table(reached: Reached) -> Table:
    rows: list[Row] = []
    for name, of in reached.items():
        bits = " / ".join(f"{_mean(of[m], 'bits'):.0f}" if m in of else "–" for m in (TODAY, FEW, MOVED))
        length = " / ".join(f"{_mean(of[m], 'conditions'):.1f}" if m in of else "–" for m in (TODAY, FEW, MOVED))
        scores = (f"{accuracy(of[method]).mean:.3f}" if method in of else "–" for method in METHODS)
        gains = (Cell(change(of[other], of[MOVED]) if other in of and MOVED in of else None) for other in (TODAY, FEW))
        rows.append((name, bits, length, *scores, *gains))
    note = "Bits and conditions of a rule: today / 2 quantiles / 2, moved. Differences are paired by fold."
    columns = ("table", "bits", "conditions", *NAMES.values(), "moved, to today", "moved, to 2 quantiles")
    return Table(f"{EXPERIMENT}_by_table", "Thresholds on each table", columns, rows, (note,))


def _mean(runs: Repeats, name: Literal["bits", "conditions"]) -> float:
    return float(np.mean([run[name] for run in runs]))
