"""Records to numbers: which runs belong together, and their means with intervals.

Charts and the report's sentences both take their numbers from here, so they cannot disagree. How a mean and its
interval are computed is left to `adtm.experiments.scores`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from adtm.experiments import paper
from adtm.experiments.records import Record, Task
from adtm.experiments.scores import Estimate, estimate

STANDARD, INFINITY = "TM", "∞"
DRAWS = {  # what random numbers are spent on, and the ledger's counters of it
    "Coins of the automata": ("coins",),
    "Selection of clauses": ("selection_draws",),
    "Start, order, other class": ("start_draws", "shuffle_draws", "other_class_draws"),
}

Runs = dict[str, dict[str, list[Record]]]  # data set -> machine (as `label_of` says) -> repeats


def label_of(task: Task) -> str:
    """The machine of a task as axes and legends show it: "TM", or the determinism.

    Examples
    --------
    >>> label_of({"model": "ADTM", "params": {"d": "inf"}}), label_of({"model": "TM", "params": {}})
    ('∞', 'TM')
    """
    if task["model"] == STANDARD:
        return STANDARD
    d = task["params"].get("d")
    if d in ("inf", math.inf):
        return INFINITY
    if not isinstance(d, int):
        raise ValueError(f"d of an ADTM's record must be a whole number or 'inf', got {d!r}")
    return str(d)


def determinism(label: str) -> float:
    """The inverse of `label_of`, for sorting; the standard machine comes before d = 1."""
    if label == STANDARD:
        return 0.0
    return math.inf if label == INFINITY else float(label)


def machine_runs(records: Iterable[Record]) -> Runs:
    """The paper's runs of TM and ADTM, sorted by data set, determinism and repeat.

    Of one machine only the runs with the most epochs are kept: shorter ones are left from a quicker session.
    """
    runs: Runs = {dataset: {} for dataset in paper.SETTINGS}
    for record in records:
        task = record["task"]
        if task["experiment"] == "paper" and task["model"] in ("ADTM", STANDARD) and task["dataset"] in runs:
            runs[task["dataset"]].setdefault(label_of(task), []).append(record)
    return {
        dataset: {label: _longest(machines[label]) for label in sorted(machines, key=determinism)}
        for dataset, machines in runs.items()
        if machines
    }


def _longest(runs: Sequence[Record]) -> list[Record]:
    epochs = max(epochs_of(run) for run in runs)
    return sorted((run for run in runs if epochs_of(run) == epochs), key=lambda run: run["task"]["repeat"])


def epochs_of(run: Record) -> int:
    """How many epochs a run has scores for."""
    return len(run["test_accuracy"])


def curve(runs: Sequence[Record], part: str) -> list[Estimate]:
    """Accuracy over the repeats after each epoch, on the "training" or the "testing" part."""
    scores = [run["train_accuracy"] if part == "training" else run["test_accuracy"] for run in runs]
    return [estimate(epoch) for epoch in zip(*scores, strict=True)]


def last_accuracy(runs: Sequence[Record]) -> Estimate:
    """Testing accuracy after the last epoch."""
    return estimate([run["test_accuracy"][-1] for run in runs])


def change(before: Sequence[Record], after: Sequence[Record]) -> Estimate | None:
    """What testing accuracy gains from one machine to another, paired by repeat (they share the split).

    None when the two have no repeat in common.
    """
    score = {run["task"]["repeat"]: run["test_accuracy"][-1] for run in before}
    gains = [run["test_accuracy"][-1] - score[run["task"]["repeat"]] for run in after if run["task"]["repeat"] in score]
    return estimate(gains) if gains else None


def seconds(runs: Sequence[Record]) -> Estimate:
    """Wall-clock time of one run."""
    return estimate([run["seconds"] for run in runs])


def draws(runs: Sequence[Record], kind: str | None = None) -> float:
    """Random numbers of one run, on average: those of one kind (a key of `DRAWS`), or all.

    Runs without a ledger count for nothing; where none has one the answer is 0.
    """
    ledgers = [run["ledger"] for run in runs if run["ledger"]]
    counters = DRAWS[kind] if kind else [counter for group in DRAWS.values() for counter in group]
    total = sum(ledger.get(counter, 0) for ledger in ledgers for counter in counters)
    return total / len(ledgers) if ledgers else 0.0
