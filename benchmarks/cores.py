"""All cores against one: twins of one seed learn the same epochs in turn, one of them on a single thread.

Both are in the same state before every epoch, so their times differ by the threads alone. A virtual machine may lose
cores to its neighbours while it uses them, and a thread without a core holds up all that work with it. The kernel
counts such losses ("steal"); epochs that lost more than `QUIET` of their time are left out of the ratio, and their
number is shown.

No threads that work together can gain more than ones that have nothing to do with each other: cores share power and
caches, and one alone runs faster than all at once. So independent machines, one for each core, are measured as well.
"""

import math
import os
import statistics
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

from adtm import DETERMINISTIC, PAPER, ADTMClassifier, Literals
from benchmarks.harness import THRESHOLD, mnist
from benchmarks.workloads import DETERMINISM, TOLERANT

EPOCHS = 12
QUIET = 0.01

#: By name: what is told from what, the clauses of a bank, and the samples: enough for a time that can be measured, and
#: few enough for epochs that nobody disturbs.
TASKS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], int, int]] = {
    "ten classes": (lambda digits: digits, 2000, 60_000),
    "three classes (digit mod 3)": (lambda digits: digits % 3, 2000, 20_000),
    "two classes (odd or even), one bank": (lambda digits: digits % 2, 4000, 20_000),
}
PLAIN = {"T": 45, "s": 10}
RULES: dict[str, dict[str, Any]] = {
    **{f"d = {d}": {**PAPER, **PLAIN, "d": float(d)} for d in DETERMINISM},
    "no random numbers": {**PAPER, **PLAIN, **DETERMINISTIC},
    "no random numbers, tolerant": {**PAPER, **DETERMINISTIC, **TOLERANT},
}


class Quiet:
    """Pairs of times, one thread and all, with what the machine lost during them."""

    def __init__(self) -> None:
        self._pairs: list[tuple[list[float], bool]] = []

    def add(self, seconds: list[float], lost: list[float]) -> None:
        self._pairs.append((seconds, all(loss <= QUIET * spent for spent, loss in zip(seconds, lost, strict=True))))

    def summary(self) -> dict[str, Any]:
        used = [seconds for seconds, quiet in self._pairs if quiet]
        ratios = [one / many for one, many in used]
        return {
            "pairs": len(self._pairs),
            "quiet": len(used),
            "seconds": [statistics.median(side) for side in zip(*used, strict=True)] if used else None,
            "ratio": statistics.median(ratios) if used else None,
            "range": [min(ratios), max(ratios)] if used else None,
            "ratio_of_all": statistics.median(one / many for (one, many), _ in self._pairs),
        }


def lost_seconds() -> float:
    """What the host has taken away since the start, summed over cores; 0 where the system does not say."""
    stat = Path("/proc/stat")
    ticks = int(stat.read_text().split(maxsplit=9)[8]) if stat.exists() else 0
    return ticks / os.sysconf("SC_CLK_TCK") if ticks else 0.0


class Turns:
    """Threads that run one after the other, each until it hands over."""

    def __init__(self, n: int) -> None:
        self._gates = [threading.Semaphore(int(i == 0)) for i in range(n)]

    def begin(self, i: int) -> None:
        self._gates[i].acquire()

    def hand_over(self, i: int) -> None:
        self._gates[(i + 1) % len(self._gates)].release()


def twins(literals: Literals, y: np.ndarray, params: dict[str, Any], n_jobs: tuple[int, int], epochs: int) -> Quiet:
    """The epochs of two machines that differ in their threads alone, but for the first of each."""
    turns, lost = Turns(2), ([], [])
    machines = [ADTMClassifier(**params, epochs=epochs, n_jobs=jobs, random_state=1) for jobs in n_jobs]

    def learn(i: int) -> None:
        turns.begin(i)
        before = lost_seconds()

        def after_epoch(*_: Any) -> None:
            nonlocal before
            lost[i].append(lost_seconds() - before)
            turns.hand_over(i)
            turns.begin(i)
            before = lost_seconds()

        try:
            machines[i].fit(literals, y, train_accuracy=False, callback=after_epoch)
        finally:
            turns.hand_over(i)

    threads = [threading.Thread(target=learn, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    quiet = Quiet()
    seconds = [[record.seconds for record in machine.history_] for machine in machines]
    for pair, losses in list(zip(zip(*seconds, strict=True), zip(*lost, strict=True), strict=True))[1:]:
        quiet.add(list(pair), list(losses))
    return quiet


def answers(machine: ADTMClassifier, literals: Literals, n_jobs: tuple[int, int], times: int) -> Quiet:
    """Calls of a trained machine; the first pair is not counted."""
    quiet = Quiet()
    seconds, lost = [], []
    for _, jobs in zip(range(2 * times + 2), cycle(n_jobs), strict=False):
        machine.set_params(n_jobs=jobs)
        before, start = lost_seconds(), time.perf_counter()
        machine.predict(literals)
        seconds.append(time.perf_counter() - start)
        lost.append(lost_seconds() - before)
    for i in range(2, len(seconds), 2):
        quiet.add(seconds[i : i + 2], lost[i : i + 2])
    return quiet


def independent(literals: Literals, y: np.ndarray, params: dict[str, Any], n: int, epochs: int) -> Quiet:
    """Epochs of a machine on its own against those of `n` at once, each on one thread: what `n` cores give at most."""
    machines = [ADTMClassifier(**params, n_jobs=1, random_state=seed) for seed in range(n)]
    classes = np.unique(y)

    def learn(machine: ADTMClassifier) -> float:
        start = time.perf_counter()
        machine.partial_fit(literals, y, classes=classes)
        return time.perf_counter() - start

    quiet = Quiet()
    with ThreadPoolExecutor(n) as pool:
        list(pool.map(learn, machines))
        for machine in machines[:epochs]:
            before, alone = lost_seconds(), learn(machine)
            between, together = lost_seconds(), list(pool.map(learn, machines))
            quiet.add([n * alone, statistics.mean(together)], [between - before, (lost_seconds() - between) / n])
    return quiet


def over_hosts(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of runs on several hosts as one: medians of their medians, and the range of all quiet pairs."""
    return [
        _over_hosts([row for record in records for row in record["rows"] if _name(row) == _name(like)])
        for like in records[-1]["rows"]
    ]


def _name(row: dict[str, Any]) -> tuple[str, str]:
    return row["work"], row["rule"]


def _over_hosts(rows: list[dict[str, Any]]) -> dict[str, Any]:
    used = [row for row in rows if row["quiet"]]
    return {
        **rows[0],
        "hosts": len(rows),
        "pairs": sum(row["pairs"] for row in rows),
        "quiet": sum(row["quiet"] for row in rows),
        "seconds": [statistics.median(side) for side in zip(*(row["seconds"] for row in used), strict=True)],
        "ratio": statistics.median(row["ratio"] for row in used) if used else None,
        "range": [min(row["range"][0] for row in used), max(row["range"][1] for row in used)] if used else None,
        "ratio_of_all": statistics.median(row["ratio_of_all"] for row in rows),
    }


def run(*, quick: bool, say: Callable[[str], None]) -> dict[str, Any]:
    """Measure every task with every rule, then prediction."""
    images, digits = mnist("train")
    literals = Literals.from_boolean(images > THRESHOLD)
    n_jobs, epochs, most = (1, os.cpu_count() or 1), 3 if quick else EPOCHS, 2000 if quick else len(digits)
    rows: list[dict[str, Any]] = []

    def note(work: str, rule: str, quiet: Quiet) -> None:
        row = {"work": work, "rule": rule, **quiet.summary()}
        rows.append(row)
        say(f"cores: {work}, {rule}: {row['ratio'] or math.nan:.1f} times ({row['quiet']} of {row['pairs']} quiet)")

    for task, (classes, n_clauses, n_samples) in TASKS.items():
        first = slice(min(n_samples, most))
        some, y = literals.take(first), classes(digits)[first]
        for rule, params in RULES.items():
            params = {**params, "n_clauses": n_clauses, "booleanizer": None}
            quiet = twins(some, y, params, n_jobs, epochs)
            note(f"training, {task}, {n_clauses:,} clauses, {len(y):,} samples", rule, quiet)
    # All samples: Python's part of a call, in which the machines wait for each other, must not count.
    some, y = literals.take(slice(most)), digits[:most] % 2
    for rule, params in RULES.items():
        params = {**params, "n_clauses": 500, "booleanizer": None}
        quiet = independent(some, y, params, n_jobs[1], epochs // 2)
        note(f"training, {n_jobs[1]} machines of 500 clauses, {most:,} samples", rule, quiet)
    params = {**RULES["no random numbers"], "n_clauses": 2000, "booleanizer": None, "epochs": 2, "n_jobs": n_jobs[1]}
    machine = ADTMClassifier(**params).fit(literals, digits, train_accuracy=False)
    quiet = answers(machine, literals, n_jobs, 2 * epochs)
    note(f"prediction of {len(digits):,} samples, ten classes, 2,000 clauses", "", quiet)
    return {"n_jobs": n_jobs[1], "epochs": epochs, "quiet": QUIET, "rows": rows}
