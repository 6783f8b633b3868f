"""The faults study: a table for each data set, and the paper's claim that stuck-at faults are completely masked."""

from __future__ import annotations

from adtm.paper.reading.differences import change
from adtm.paper.reading.estimates import Estimate
from adtm.paper.reading.evidence import title_of
from adtm.paper.reading.groups import Repeats, Runs, repeats_of
from adtm.paper.reading.measures import accuracy
from adtm.paper.reading.table import Cell, Row, Table
from adtm.paper.reading.verdicts import Claim, Part, keeps
from adtm.paper.reading.wording import percent
from adtm.paper.studies.faults import ANDS, DATASETS, DRAWN, EXPERIMENT, FAULTS, MACHINES, SHARES, TOLERANT, Fault, task

NAMES = {TOLERANT: "tolerant", ANDS: "ANDs", DRAWN: "the paper's, d = 1"}
KINDS = {"include": "include bits", "state": "bits of states", "clause": "outputs"}
WHEN = {"before": "before learning", "after": "after it", "relearned": "after it, learned again"}
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
        keeps(f"{title_of(name)}, {_stuck(fault)}, {WHEN[fault.when]}", _loss(runs, name, machine, fault), None)
        for name in DATASETS
        if repeats(runs, name, machine, None)
        for fault in faults
    ]


def _loss(runs: Runs, name: str, machine: str, fault: Fault) -> Estimate | None:
    return change(repeats(runs, name, machine, None), repeats(runs, name, machine, fault))


def _stuck(fault: Fault) -> str:
    return f"{KINDS[fault.kind]} at {fault.stuck_at}"


def _table(runs: Runs, name: str) -> Table:
    sound = (Cell(accuracy(found) if (found := repeats(runs, name, machine, None)) else None) for machine in MACHINES)
    rows = [Row("no fault: accuracy", tuple(sound))]
    for fault in FAULTS:
        label = f"{_stuck(fault)}, {percent(fault.share)}, {WHEN[fault.when]}"
        rows.append(Row(label, tuple(Cell(_loss(runs, name, machine, fault)) for machine in MACHINES)))
    note = (
        "What accuracy on the test part gains with stuck bits over the same machine without any, paired by fold, with "
        "95 % t-intervals. Faults are there before the machine learns, come after it has learned, or come then and it "
        "learns as long again. ANDs and tolerant clauses are learned without random numbers."
    )
    title = f"{title_of(name)} with stuck-at faults"
    return Table(f"{EXPERIMENT}_{name}", title, ("stuck", *NAMES.values()), tuple(rows), (note,))
