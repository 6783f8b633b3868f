"""The faults study: what bits cost that are stuck, which the paper says are completely masked.

Small machines on two of the paper's tables, plain and tolerant, with and without random numbers. What a fault is, is in
`adtm.faults`; docs/faults.md has what came out.
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import adtm
from adtm.faults import KINDS, WHEN
from adtm.paper.studies import tables
from adtm.paper.studies.plan import Plan, Task, make_task

EXPERIMENT = "faults"
SIZES = {"bankruptcy": {"n_clauses": 20, "T": 5}, "balance_scale": {"n_clauses": 50, "T": 10}}
DATASETS = tuple(SIZES)
REPEATS, EPOCHS = 10, 5
SHARES = (0.05, 0.2)
TOLERANT, ANDS, DRAWN = "tolerant", "ands", "paper"
MACHINES: dict[str, dict[str, Any]] = {
    TOLERANT: {"probability": "shares"},
    ANDS: {"probability": "shares", "tolerance": 0},
    DRAWN: {**adtm.PAPER, "s": 3, "d": 1},
}


class Fault(NamedTuple):
    """What is stuck, how much of it, at what, and since when."""

    kind: str
    share: float
    stuck_at: int
    when: str


FAULTS = tuple(Fault(*each) for each in product(KINDS, SHARES, (0, 1), WHEN))


def tasks(plan: Plan) -> list[Task]:
    """The runs of the study; a quick look is at Bankruptcy.

    >>> len(tasks(Plan(repeats=1, datasets=("bankruptcy",))))
    111
    """
    repeats, epochs = plan.amount(REPEATS, EPOCHS)
    datasets = DATASETS[:1] if plan.quick and plan.datasets is None else plan.chosen(DATASETS)
    return [
        task(name, machine, fault, repeat, epochs)
        for name in datasets
        for machine in MACHINES
        for fault in (None, *FAULTS)
        for repeat in range(repeats)
    ]


def task(name: str, machine: str, fault: Fault | None, repeat: int = 0, epochs: int = 0) -> Task:
    """A machine on one fold, with a fault or without; repeats beyond the folds are those of other folds."""
    size = SIZES[name] if machine != TOLERANT else {"n_clauses": SIZES[name]["n_clauses"]}
    stuck: dict[str, Any] = {} if fault is None else {"fault": fault._asdict()}
    params = {**MACHINES[machine], **size, "epochs": epochs}
    return make_task(EXPERIMENT, name, "ADTM", params, repeat, folds=tables.FOLDS, **stuck)
