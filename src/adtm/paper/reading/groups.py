"""Which records belong together: the one place that sorts them by data set, machine and repeat.

What is computed of a group is left to `measures` and `differences`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from adtm.jsonlines import canonical_json
from adtm.paper import published
from adtm.paper.plan import Case, Place, Task
from adtm.paper.reading.measures import epochs_of
from adtm.paper.running.records import Record

STANDARD, INFINITY = "TM", "∞"
MACHINES = ("ADTM", STANDARD)

Repeats: TypeAlias = list[Record]  # of one setting, in their order
PaperRuns: TypeAlias = dict[str, dict[str, Repeats]]  # data set -> learner (as `label_of` says) -> repeats
CaseRuns: TypeAlias = dict[str, dict[Place, Repeats]]  # name of the case -> place -> repeats


@dataclass(frozen=True)
class Runs:
    """Records, sorted once for all that is made of them."""

    records: Sequence[Record]

    @cached_property
    def learners(self) -> PaperRuns:
        """The runs of the paper's experiment by data set, the other learners among them."""
        runs: dict[str, dict[str, list[Record]]] = {dataset: {} for dataset in published.SETTINGS}
        for record in self.of("paper"):
            task = record["task"]
            if task["dataset"] in runs:
                runs[task["dataset"]].setdefault(label_of(task), []).append(record)
        return {
            dataset: {label: repeats_of(kept) for label, kept in labels.items()}
            for dataset, labels in runs.items()
            if labels
        }

    @cached_property
    def machines(self) -> PaperRuns:
        """Those of TM and ADTM, sorted by determinism."""
        return {
            dataset: {label: of[label] for label in sorted(of, key=d_of_label)}
            for dataset, learners in self.learners.items()
            if (of := {label: runs for label, runs in learners.items() if runs[0]["task"]["model"] in MACHINES})
        }

    def of_cases(self, cases: Mapping[str, Case]) -> CaseRuns:
        """The runs of each case by place; of one case only those with the most epochs, as its places are compared."""
        runs = {}
        for name, case in cases.items():
            kept = {place: self.alike(case.task(params)) for place, params in case.params.items()}
            epochs = max((epochs_of(run) for repeats in kept.values() for run in repeats), default=0)
            whole = {place: [run for run in repeats if epochs_of(run) == epochs] for place, repeats in kept.items()}
            runs[name] = {place: repeats_of(repeats) for place, repeats in whole.items() if repeats}
        return {name: places for name, places in runs.items() if places}

    def alike(self, task: Task) -> list[Record]:
        """The repeats of a task, shorter and longer ones."""
        return self._groups.get(_identity(task), [])

    @cached_property
    def _groups(self) -> dict[str, list[Record]]:
        groups: dict[str, list[Record]] = {}
        for record in self.records:
            groups.setdefault(_identity(record["task"]), []).append(record)
        return groups

    def of(self, experiment: str) -> list[Record]:
        """The records of one study."""
        return [record for record in self.records if record["task"]["experiment"] == experiment]


def _identity(task: Task) -> str:
    """What a run has in common with its repeats, shorter and longer ones."""
    params = {name: value for name, value in task["params"].items() if name != "epochs"}
    return canonical_json({**task, "params": params, "repeat": 0, "seed": 0})


def repeats_of(records: Iterable[Record]) -> Repeats:
    """Runs of one setting in the order of their repeats; shorter ones, left from a quicker session, are left out."""
    kept = sorted(records, key=lambda record: record["task"]["repeat"])
    epochs = max(map(epochs_of, kept), default=0)
    return [record for record in kept if epochs_of(record) == epochs]


def label_of(task: Task) -> str:
    """The learner of a task as axes and legends show it: the determinism of an ADTM, else the model's name.

    >>> label_of({"model": "ADTM", "params": {"d": "inf"}}), label_of({"model": "TM", "params": {}})
    ('∞', 'TM')
    """
    if task["model"] != "ADTM":
        return task["model"]
    d = task["params"].get("d")
    if d in ("inf", math.inf):
        return INFINITY
    if not isinstance(d, int):
        raise ValueError(f"d of an ADTM's record must be a whole number or 'inf', got {d!r}")
    return str(d)


def d_of_label(label: str) -> float:
    """The d of a machine's label, for sorting; the standard machine comes before d = 1."""
    if label == STANDARD:
        return 0.0
    return math.inf if label == INFINITY else float(label)
