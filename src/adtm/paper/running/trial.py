"""One task, done: data in, model fitted, scores out as a record.

The same function runs here, in a worker process and on a cluster. Its scores depend on the task alone, whatever backend
learns.
"""

from __future__ import annotations

import math
import time
import warnings
from typing import Any

import numpy as np

import adtm
from adtm import AdviceWarning
from adtm.jsonlines import canonical_json
from adtm.machine.backends import get_backend
from adtm.paper.plan import Task
from adtm.paper.running import baselines, folds, raw, scores, variants
from adtm.paper.running.provenance import fingerprint, origin, versions
from adtm.paper.running.records import Record, record_of
from adtm.paper.running.splits import LiteralSplit, literal_split, split

DATA_VARIANTS = ("flipped", "coding", "thresholds", "largest", "max_bits", "drinks", "stratified", "fine", "held_out")
_MACHINES = ("ADTM", "TM")


def perform(task: Task, backend: str = "auto") -> Record:
    """Run one task; a machine learns on the backend of that name, or on the reference where its rules ask for it.

    >>> from adtm.paper.studies import paper
    >>> record = perform(paper.machine_tasks(repeats=1, epochs=3, datasets=["bankruptcy"])[0])
    >>> record["task"]["model"], len(record["test_accuracy"])
    ('TM', 3)
    """
    is_machine = task["model"] in _MACHINES
    of_folds = "folds" in task["variant"]
    try:
        if not of_folds:
            _data(task)  # before the clock starts: it is kept for the other runs of the repeat, none should pay for it
        started = time.perf_counter()
        if of_folds:
            outcome = folds.outcome(task, backend)
        else:
            outcome = _run_machine(task, backend) if is_machine else _run_baseline(task)
    except Exception as error:
        error.add_note(f"in the run of {canonical_json(task)}")
        raise
    seconds = round(time.perf_counter() - started, 4)
    model = task["model"]
    known = {"versions": versions(model), "fingerprint": fingerprint(model), "origin": origin()}
    return record_of({"task": task, **outcome, "seconds": seconds, **known})


def build_machine(task: Task, backend: str = "auto") -> Any:
    """The estimator a task asks for; "inf" in a task's parameters is infinity."""
    params: dict[str, Any] = {name: math.inf if value == "inf" else value for name, value in task["params"].items()}
    asked = {**params, "random_state": task["seed"], "backend": variants.backend_for(task, backend)}
    return variants.build(task["model"], asked, task["variant"])


def _data(task: Task) -> Any:
    """Literals for a machine, the table itself for any other learner."""
    dataset, variant, is_machine = task["dataset"], task["variant"], task["model"] in _MACHINES
    if "shuffle_split" in variant:
        where = dataset, task["repeat"]
        return raw.literal_split(*where, variant["max_bits"]) if is_machine else raw.forest_split(*where)
    if not is_machine:
        return split(dataset, task["seed"])
    changes = {name: value for name, value in variant.items() if name in DATA_VARIANTS}
    return literal_split(dataset, task["seed"], **changes)


def _run_machine(task: Task, backend: str) -> dict[str, Any]:
    data, variant = _data(task), task["variant"]
    n_classes = int(data.y_train.max()) + 1
    train: list[float] = []
    test: list[float] = []
    test_f1: list[float] = []

    def after_epoch(machine: Any, record: Any) -> None:
        predicted = variants.predict(machine, data.test, variant)
        train.append(scores.rounded(record.train_accuracy))
        test.append(scores.rounded(scores.accuracy(data.y_test, predicted)))
        test_f1.append(scores.rounded(scores.f1(data.y_test, predicted, n_classes)))

    with warnings.catch_warnings(action="ignore", category=AdviceWarning):  # m = 20 with T = 10 is the paper's setting
        machine = build_machine(task, backend).fit(data.train, data.y_train, callback=after_epoch)
    learned_on = get_backend(machine.backend).name
    return {
        "train_accuracy": train,
        "test_accuracy": test,
        "test_f1": test_f1,
        "silence": _silence(machine, data, variant),
        "clauses": _different_clauses(machine),
        "literals": int(machine.includes_.sum()),
        "ledger": {name: int(count) for name, count in machine.ledger_.as_dict().items()},
        "backend": learned_on,
        "instruction_set": adtm.info()["instruction_set"] if learned_on == "native" else None,
    }


def _silence(machine: Any, data: LiteralSplit, variant: dict[str, Any]) -> dict[str, float]:
    """What silence is worth on the test part (`Record`), all from the same votes."""
    head, votes, y = machine.model_.head, variants.votes(machine, data.test, variant), data.y_test
    silent, frequent = head.silent(votes), head.with_silence("frequent").answer(votes)
    shares = {
        "rows": silent.mean(),
        "wrong": (silent & (head.answer(votes) != y)).mean(),
        "accuracy": scores.accuracy(y, frequent),
        "f1": scores.f1(y, frequent, int(data.y_train.max()) + 1),
    }
    return {name: scores.rounded(share) for name, share in shares.items()}


def _different_clauses(machine: Any) -> int:
    """Clauses with different literals, over all banks; two that include nothing are alike."""
    includes = machine.includes_
    return len({row.tobytes() for row in np.packbits(includes.reshape(-1, includes.shape[-1]), axis=1)})


def _run_baseline(task: Task) -> dict[str, Any]:
    data = _data(task)
    model = baselines.fit_baseline(task["model"], data, task["seed"])
    return {**scores.last_scores(model, data), **scores.UNKNOWN}
