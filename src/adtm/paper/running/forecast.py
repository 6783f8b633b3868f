"""In which order runs are done, and how long those that are left will take.

Every task has a declared cost, in rough seconds of one core. What runs of the same kind took here replaces it as they
finish; a kind is all that the repeats of a setting share. The time left is that of the schedule to come: the runs that
are left, in their order, on the workers there are.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

from adtm.jsonlines import canonical_json
from adtm.paper.plan import Task
from adtm.paper.running.records import Record
from adtm.paper.running.variants import LEARNING

# Rough seconds of one run.
EBM_SECONDS = {"bankruptcy": 64.0, "balance_scale": 49.0, "heart": 24.0, "liver_disorders": 14.0, "breast_cancer": 5.0}
LEARNER_SECONDS = {"HGB": 1.0, "ANN-3": 0.5, "ANN-2": 0.2, "ANN-1": 0.15, "RF": 0.16}
OTHER_SECONDS = 0.02
# Rough seconds of one epoch.
REFERENCE_EPOCH, PROGRAM_EPOCH = 0.12, 0.006  # rules that only the reference knows; both of the authors' program
LARGE_EPOCHS = {"noisy_xor": 0.12, "mnist": 1.1, "fashion_mnist": 1.3, "imdb": 2.0}  # with 500 clauses
EPOCH = 0.001


def expected_seconds(task: Task) -> float:
    """What a run costs, roughly: enough to tell long runs from short ones before any was seen.

    >>> from adtm.paper.studies import paper
    >>> ebm, *_, machine = paper.tasks(paper.Plan(repeats=1, datasets=("heart",)))
    >>> expected_seconds(ebm) > 100 * expected_seconds(machine)
    True
    """
    dataset, params = task["dataset"], task["params"]
    if "epochs" not in params:
        own = EBM_SECONDS if task["model"] == "EBM" else {}
        return own.get(dataset, LEARNER_SECONDS.get(task["model"], OTHER_SECONDS))
    if LEARNING & task["variant"].keys():
        program = {"tape", "jump"} <= task["variant"].keys()
        return (PROGRAM_EPOCH if program else REFERENCE_EPOCH) * float(params["epochs"])
    size = float(params["n_clauses"]) / 500
    return float(params["epochs"]) * (LARGE_EPOCHS[dataset] * size if dataset in LARGE_EPOCHS else EPOCH)


def kind_of(task: Task) -> str:
    """What a task has in common with its repeats."""
    return canonical_json({**task, "repeat": 0, "seed": 0})


def ordered(tasks: Iterable[Task]) -> list[Task]:
    """First one run of each kind, the short ones before the long; then all others, the long ones before the short.

    So the cost of every kind is soon known, and no long run is left for the end, when other workers would be idle.
    """
    firsts: dict[str, Task] = {}
    others = [task for task in tasks if firsts.setdefault(kind_of(task), task) is not task]
    return sorted(firsts.values(), key=expected_seconds) + sorted(others, key=expected_seconds, reverse=True)


class Forecast:
    """The time that tasks will take, in the order of their start, on so many workers; `known` are earlier runs."""

    def __init__(self, tasks: Sequence[Task], workers: int, known: Iterable[Record] = ()) -> None:
        self._kinds = {canonical_json(task): kind_of(task) for task in tasks}
        self._declared = {kind_of(task): expected_seconds(task) for task in tasks}
        self._seen: dict[str, list[float]] = {}  # seconds of the runs of a kind, all that goes with them included
        for record in known:
            self._seen.setdefault(kind_of(record["task"]), []).append(record["seconds"])
        self._waiting = dict.fromkeys(self._kinds)
        self._running: dict[str, float] = {}  # and since when
        self._workers = workers
        for _ in range(workers):
            self._start(0.0)

    def _start(self, now: float) -> None:
        if self._waiting:
            task = next(iter(self._waiting))
            del self._waiting[task]
            self._running[task] = now

    def finished(self, task: Task, now: float) -> None:
        """Take note of a run that ended so many seconds after the first one was started: the next one starts."""
        name = canonical_json(task)
        self._waiting.pop(name, None)  # where a cluster has an order of its own
        since = self._running.pop(name, None)
        if since is not None:
            self._seen.setdefault(self._kinds[name], []).append(now - since)
        self._start(now)

    def seconds_left(self, now: float) -> float:
        """How long the rest will take from then on."""
        means = {kind: sum(seen) / len(seen) for kind, seen in self._seen.items()}
        both = self._declared.keys() & means.keys()
        speed = sum(means[kind] for kind in both) / sum(self._declared[kind] for kind in both) if both else 1.0
        costs = {kind: means.get(kind, speed * declared) for kind, declared in self._declared.items()}
        under_way = [max(costs[self._kinds[task]] - (now - since), 0.0) for task, since in self._running.items()]
        free = [0.0] * self._workers
        for cost in (*under_way, *(costs[self._kinds[task]] for task in self._waiting)):
            heapq.heapreplace(free, free[0] + cost)
        return max(free)
