"""The faults study: what bits cost that are stuck, which the paper says are completely masked.

Small machines on two of the paper's tables, plain and tolerant, with and without random numbers; a table for each, and
the claim. What a fault is, is in `adtm.faults`; docs/faults.md has what came out.
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import adtm
from adtm.faults import KINDS, WHEN
from adtm.paper.plan import Plan, Task, make_task
from adtm.paper.published import title_of
from adtm.paper.reading.differences import change
from adtm.paper.reading.estimates import Estimate, percent
from adtm.paper.reading.groups import Repeats, Runs, repeats_of
from adtm.paper.reading.measures import accuracy
from adtm.paper.reading.table import Cell, Row, Table
from adtm.paper.reading.verdicts import Claim, Part, keeps
from adtm.paper.studies.tables import FOLDS

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
    return make_task(EXPERIMENT, name, "ADTM", params, repeat, folds=FOLDS, **stuck)


NAMES = {TOLERANT: "tolerant", ANDS: "ANDs", DRAWN: "the paper's, d = 1"}
KIND_WORDS = {"include": "include bits", "state": "bits of states", "clause": "outputs"}
WHEN_WORDS = {"before": "before learning", "after": "after it", "relearned": "after it, learned again"}
JUDGED = SHARES[0]  # the share at which the claim is judged: the larger one is in the table


def tables(runs: Runs) -> list[Table]:
    """A table for each data set; none without runs of the study."""
    return [_table(runs, name) for name in DATASETS if repeats(runs, name, DRAWN, None)]


def claims(runs: Runs) -> list[Claim]:
    """The claim; none without runs of the study."""
    return [_masked(runs)] if runs.of(EXPERIMENT) else []


def repeats(runs: Runs, name: str, machine: str, fault: Fault | None) -> Repeats:
    """The runs of a machine with a fault."""
    return repeats_of(runs.alike(task(name, machine, fault)))


def _masked(runs: Runs) -> Claim:
    judged = [fault for fault in FAULTS if fault.share == JUDGED]
    tolerant = [part.holds for part in _parts(runs, TOLERANT, judged)]
    counts = (f"{sum(mark is value for mark in tolerant)} {word}" for value, word in _MARKS.items())
    return Claim(
        *("faults_masked", "B", tuple(f"{EXPERIMENT}_{name}" for name in DATASETS)),
        "Quoted from others: Tsetlin machines are fault-tolerant, completely masking stuck-at faults.",
        tuple(_parts(runs, DRAWN, judged)),
        f"{percent(JUDGED)} of the bits of a kind; completely is taken as all parts. Of clauses that tolerate failed "
        f"literals, without random numbers: {', '.join(counts)} of {len(tolerant)} parts.",
        of_all=True,
    )


_MARKS = {True: "hold", False: "do not", None: "are open"}


def _parts(runs: Runs, machine: str, faults: list[Fault]) -> list[Part]:
    return [
        keeps(f"{title_of(name)}, {_stuck(fault)}, {WHEN_WORDS[fault.when]}", _loss(runs, name, machine, fault), None)
        for name in DATASETS
        if repeats(runs, name, machine, None)
        for fault in faults
    ]


def _loss(runs: Runs, name: str, machine: str, fault: Fault) -> Estimate | None:
    return change(repeats(runs, name, machine, None), repeats(runs, name, machine, fault))


def _stuck(fault: Fault) -> str:
    return f"{KIND_WORDS[fault.kind]} at {fault.stuck_at}"


def _table(runs: Runs, name: str) -> Table:
    sound = (Cell(accuracy(found) if (found := repeats(runs, name, machine, None)) else None) for machine in MACHINES)
    rows: list[Row] = [("no fault: accuracy", *sound)]
    for fault in FAULTS:
        label = f"{_stuck(fault)}, {percent(fault.share)}, {WHEN_WORDS[fault.when]}"
        rows.append((label, *(Cell(_loss(runs, name, machine, fault)) for machine in MACHINES)))
    note = (
        "What accuracy on the test part gains with stuck bits over the same machine without any, paired by fold, with "
        "95 % t-intervals. Faults are there before the machine learns, come after it has learned, or come then and it "
        "learns as long again. ANDs and tolerant clauses are learned without random numbers."
    )
    title = f"{title_of(name)} with stuck-at faults"
    return Table(f"{EXPERIMENT}_{name}", title, ("stuck", *NAMES.values()), rows, (note,))
