"""Which records belong together: the one place that sorts them by data set, machine and repeat.

What is computed of a group is left to `measures`, what a place of the determinism study is to `determinism`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from adtm.paper.studies import paper
from adtm.paper.studies.determinism import CASES, EXPERIMENT, Place, case_of, place_of
from adtm.paper.reading.measures import epochs_of
from adtm.paper.running.records import Record, Task

STANDARD, INFINITY = "TM", "∞"
MACHINES = ("ADTM", STANDARD)

Repeats: TypeAlias = list[Record]  # of one setting, in their order
PaperRuns: TypeAlias = dict[str, dict[str, Repeats]]  # data set -> learner (as `label_of` says) -> repeats
StudyRuns: TypeAlias = dict[str, dict[Place, Repeats]]  # name of the case -> mode and d -> repeats


def repeats_of(records: Iterable[Record]) -> Repeats:
    """Runs of one setting in the order of their repeats; shorter ones, left from a quicker session, are left out."""
    return sorted(longest(records), key=lambda record: record["task"]["repeat"])


def select(records: Iterable[Record], params: Mapping[str, Any] | None = None, **fields: Any) -> Repeats:
    """The runs whose task has these fields, and among its parameters these.

    Examples
    --------
    >>> select([], dataset="heart", model="ADTM", params={"d": 100})
    []
    """
    wanted = dict(params or {})
    return repeats_of(
        record
        for record in records
        if fields.items() <= record["task"].items()
        and {name: record["task"]["params"].get(name) for name in wanted} == wanted
    )


def label_of(task: Task) -> str:
    """The learner of a task as axes and legends show it: the determinism of an ADTM, else the model's name.

    Examples
    --------
    >>> label_of({"model": "ADTM", "params": {"d": "inf"}}), label_of({"model": "TM", "params": {}})
    ('∞', 'TM')
    """
    if task["model"] != "ADTM":
        return task["model"]
    return label_of_d(task["params"].get("d"))


def label_of_d(d: object) -> str:
    """The label of a determinism; ValueError for what is none."""
    if d in ("inf", math.inf):
        return INFINITY
    if not isinstance(d, int):
        raise ValueError(f"d of an ADTM's record must be a whole number or 'inf', got {d!r}")
    return str(d)


def determinism(label: str) -> float:
    """The d of a machine's label, for sorting; the standard machine comes before d = 1."""
    if label == STANDARD:
        return 0.0
    return math.inf if label == INFINITY else float(label)


def machine_runs(records: Iterable[Record]) -> PaperRuns:
    """The paper's runs of TM and ADTM, sorted by data set and determinism."""
    machines = [record for record in records if record["task"]["model"] in MACHINES]
    return {
        dataset: {label: labels[label] for label in sorted(labels, key=determinism)}
        for dataset, labels in paper_runs(machines).items()
    }


def paper_runs(records: Iterable[Record]) -> PaperRuns:
    """The runs of the paper's experiment, the other learners among them, by data set."""
    runs: dict[str, dict[str, list[Record]]] = {dataset: {} for dataset in paper.SETTINGS}
    for record in records:
        task = record["task"]
        if task["experiment"] == paper.EXPERIMENT and task["dataset"] in runs:
            runs[task["dataset"]].setdefault(label_of(task), []).append(record)
    return {
        dataset: {label: repeats_of(kept) for label, kept in labels.items()}
        for dataset, labels in runs.items()
        if labels
    }


def study_runs(records: Iterable[Record]) -> StudyRuns:
    """The determinism study's runs by case, mode and d; of one case only those with the most epochs.

    Examples
    --------
    >>> study_runs([])
    {}
    """
    by_case: dict[str, list[Record]] = {name: [] for name in CASES}
    for record in records:
        name = case_of(record["task"])
        if record["task"]["experiment"] == EXPERIMENT and name:
            by_case[name].append(record)
    return {name: _by_place(name, kept) for name, kept in by_case.items() if kept}


def _by_place(name: str, records: Iterable[Record]) -> dict[Place, Repeats]:
    places: dict[Place, list[Record]] = {place: [] for place in CASES[name].places}
    for record in longest(records):  # of the whole case: its places are compared with each other
        if (place := place_of(record["task"])) in places:
            places[place].append(record)
    return {place: repeats_of(kept) for place, kept in places.items() if kept}


def longest(records: Iterable[Record]) -> list[Record]:
    """The runs with the most epochs: shorter ones are left from a quicker session."""
    kept = list(records)
    epochs = max(map(epochs_of, kept), default=0)
    return [record for record in kept if epochs_of(record) == epochs]
