"""One task, done: data in, model fitted, scores out as a record.

The same function runs here, in a worker process and on a cluster. Its scores depend on the task alone, whatever backend
learns; they are counts of right answers.
"""

from __future__ import annotations

import math
import time
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss

import adtm
from adtm import ADTMClassifier, AdviceWarning
from adtm.faults import Faults, faulty
from adtm.jsonlines import canonical_json
from adtm.learning.thresholds import booleanizer_of
from adtm.machine.backends import get_backend
from adtm.paper.plan import Task
from adtm.paper.running import baselines, raw, variants
from adtm.paper.running.provenance import fingerprint, origin, versions
from adtm.paper.running.records import Record, record_of
from adtm.paper.running.splits import LiteralSplit, Split, literal_split, split

DATA_VARIANTS = ("flipped", "coding", "thresholds", "largest", "max_bits", "drinks", "stratified", "fine", "held_out")
_MACHINES = ("ADTM", "TM")
DIGITS = 6  # scores are counts over a few hundred rows; more digits only make files longer
# What a record holds besides scores, where no more is known of what learned.
UNKNOWN = dict.fromkeys(("silence", "clauses", "literals", "ledger", "backend", "instruction_set"))


def perform(task: Task, backend: str = "auto") -> Record:
    """Run one task; a machine learns on the backend of that name, or on the reference where its rules ask for it.

    >>> from adtm.paper.studies import paper
    >>> record = perform(paper.machine_tasks(repeats=1, epochs=3, datasets=["bankruptcy"])[0])
    >>> record["task"]["model"], len(record["test_accuracy"])
    ('TM', 3)
    """
    model, of_folds = task["model"], "folds" in task["variant"]
    run = _run_fold if of_folds else _run_machine if model in _MACHINES else _run_baseline
    try:
        if not of_folds:
            _data(task)  # before the clock starts: it is kept for the other runs of the repeat, none should pay for it
        started = time.perf_counter()
        outcome = run(task, backend)
    except Exception as error:
        error.add_note(f"in the run of {canonical_json(task)}")
        raise
    seconds = round(time.perf_counter() - started, 4)
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
        train.append(rounded(record.train_accuracy))
        test.append(rounded(accuracy(data.y_test, predicted)))
        test_f1.append(rounded(f1(data.y_test, predicted, n_classes)))

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
        "accuracy": accuracy(y, frequent),
        "f1": f1(y, frequent, int(data.y_train.max()) + 1),
    }
    return {name: rounded(share) for name, share in shares.items()}


def _different_clauses(machine: Any) -> int:
    """Clauses with different literals, over all banks; two that include nothing are alike."""
    includes = machine.includes_
    return len({row.tobytes() for row in np.packbits(includes.reshape(-1, includes.shape[-1]), axis=1)})


def _run_baseline(task: Task, backend: str) -> dict[str, Any]:
    del backend  # it is for machines
    data = _data(task)
    model = baselines.fit_baseline(task["model"], data, task["seed"])
    return {**last_scores(model, data), **UNKNOWN}


def _run_fold(task: Task, backend: str) -> dict[str, Any]:
    """With the log loss and the seconds of fitting alone; whoever cannot read texts gets each as a number."""
    is_machine = task["model"] == "ADTM"
    data = raw.fold(task["dataset"], task["variant"]["folds"], task["repeat"], coded=not is_machine)
    begin = time.perf_counter()
    if is_machine:
        model = _faulted(task, machine_of(task, backend).fit(data.X_train, data.y_train), data)
    else:
        model = baselines.fit_baseline(task["model"], data, task["seed"])
    seconds = time.perf_counter() - begin
    loss = log_loss(data.y_test, model.predict_proba(data.X_test), labels=np.arange(data.y_train.max() + 1))
    outcome = {**last_scores(model, data), "test_log_loss": rounded(loss), "fit_seconds": round(seconds, 4), **UNKNOWN}
    if "booleanizer" in task["variant"]:
        rules = model.rules()
        outcome |= {"bits": rules.n_features, "conditions": round(rules.n_conditions, 3)}
    return outcome


def machine_of(task: Task, backend: str) -> ADTMClassifier:
    """The machine of a task, with the booleanizer that it names."""
    asked = task["variant"].get("booleanizer")
    own = {} if asked is None else {"booleanizer": booleanizer_of({"missing": "indicator", **asked})}
    params = {"random_state": task["seed"], **task["params"], **own}
    return ADTMClassifier(**params, n_jobs=1, backend=backend)


def _faulted(task: Task, fitted: Any, data: Split) -> Any:
    """A fitted machine with the fault that the task names, if it does."""
    if "fault" not in task["variant"]:
        return fitted
    named = dict(task["variant"]["fault"])
    when = named.pop("when")
    faults = Faults.drawn(fitted.model_, **named, seed=task["seed"])
    return faulty(fitted, faults, when, data.X_train, data.y_train)


def rounded(score: float) -> float:
    """A score as a record has it."""
    return round(float(score), DIGITS)


def last_scores(model: Any, data: Split) -> dict[str, Any]:
    """The scores of a fitted model as a record has them, of one epoch."""
    n_classes, predicted = int(data.y_train.max()) + 1, model.predict(data.X_test)
    return {
        "train_accuracy": [rounded(accuracy(data.y_train, model.predict(data.X_train)))],
        "test_accuracy": [rounded(accuracy(data.y_test, predicted))],
        "test_f1": [rounded(f1(data.y_test, predicted, n_classes))],
    }


def accuracy(y: NDArray[Any], predicted: NDArray[Any]) -> float:
    """Share of correct answers.

    >>> accuracy(np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]))
    0.75
    """
    return float(np.count_nonzero(y == predicted)) / len(y)


def f1(y: NDArray[Any], predicted: NDArray[Any], n_classes: int = 2) -> float:
    """F1 of class 1 for two classes, the mean over the classes for more; 0 for a class never there nor predicted.

    The same number as scikit-learn's ``f1_score`` (average "binary" or "macro", ``zero_division=0``), a hundred times
    faster: it is called after every epoch.

    >>> f1(np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]))
    0.6666666666666666
    """
    if n_classes == 2:
        return _f1_of(y == 1, predicted == 1)
    return float(np.mean([_f1_of(y == c, predicted == c) for c in range(n_classes)]))


def _f1_of(is_class: NDArray[np.bool_], predicted: NDArray[np.bool_]) -> float:
    mentioned = np.count_nonzero(is_class) + np.count_nonzero(predicted)
    return float(2 * np.count_nonzero(is_class & predicted) / mentioned) if mentioned else 0.0
