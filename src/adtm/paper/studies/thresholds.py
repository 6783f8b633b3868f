"""The thresholds study: two thresholds for each column that a machine moves, beside those of today and all there are.

Folds and tables are those of the tables study. docs/thresholds.md has what came out.
"""

from __future__ import annotations

from typing import Any

from adtm.paper.studies import tables
from adtm.paper.studies.plan import Plan, Task, make_task

EXPERIMENT = "thresholds"
DATASETS = tables.DATASETS
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
    folds, epochs = plan.amount(tables.FOLDS, MACHINE["epochs"])
    return [
        task(name, method, fold, epochs)
        for name in tables.here(plan)
        for fold in range(min(tables.FOLDS, folds))
        for method in METHODS
        if method != ALL or name in tables.OWN[:5]
    ]


def task(name: str, method: str, fold: int = 0, epochs: int = 0) -> Task:
    """A machine on one fold of a table."""
    params = {**MACHINE, "epochs": epochs}
    return make_task(EXPERIMENT, name, "ADTM", params, fold, seed=0, folds=tables.FOLDS, booleanizer=METHODS[method])
