"""One fold of a table: what the studies tables, thresholds and faults measure.

Whoever cannot read texts gets each as a number. Which tables and learners there are is in `studies.tables`.
"""

from __future__ import annotations

import csv
import time
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from adtm import ADTMClassifier
from adtm.datasets.download import find
from adtm.faults import Faults, faulty
from adtm.learning.thresholds import booleanizer_of
from adtm.paper.plan import Task
from adtm.paper.running import baselines, raw, scores
from adtm.paper.running.splits import Split

KEEL = "keel_"  # before the name of a table that is read from the data folder


def outcome(task: Task, backend: str) -> dict[str, Any]:
    """The scores of a task, as a record has them, with the log loss and the seconds of fitting alone."""
    is_machine = task["model"] == "ADTM"
    data = _fold(task["dataset"], task["variant"]["folds"], task["repeat"], coded=not is_machine)
    begin = time.perf_counter()
    if is_machine:
        model = _faulted(task, machine_of(task, backend).fit(data.X_train, data.y_train), data)
    else:
        model = baselines.fit_baseline(task["model"], data, task["seed"])
    seconds = time.perf_counter() - begin
    loss = log_loss(data.y_test, model.predict_proba(data.X_test), labels=np.arange(data.y_train.max() + 1))
    return {
        **scores.last_scores(model, data),
        "test_log_loss": scores.rounded(loss),
        "fit_seconds": round(seconds, 4),
        **scores.UNKNOWN,
        **(_sizes(model) if "booleanizer" in task["variant"] else {}),
    }


def machine_of(task: Task, backend: str) -> ADTMClassifier:
    """The machine of a task, with the booleanizer that it names."""
    asked = task["variant"].get("booleanizer")
    params = {"random_state": task["seed"], **task["params"], "n_jobs": 1, "backend": backend}
    if asked is None:
        return ADTMClassifier(**params)
    return ADTMClassifier(**params, booleanizer=booleanizer_of({"missing": "indicator", **asked}))


def _faulted(task: Task, fitted: Any, data: Split) -> Any:
    """A fitted machine with the fault that the task names, if it does."""
    if "fault" not in task["variant"]:
        return fitted
    named = dict(task["variant"]["fault"])
    when = named.pop("when")
    faults = Faults.drawn(fitted.model_, **named, seed=task["seed"])
    return faulty(fitted, faults, when, data.X_train, data.y_train)


def _sizes(model: ADTMClassifier) -> dict[str, Any]:
    rules = model.rules()
    return {"bits": rules.n_features, "conditions": round(rules.n_conditions, 3)}


def _fold(name: str, folds: int, number: int, *, coded: bool) -> Split:
    X, y = load(name)
    splits = StratifiedKFold(folds, shuffle=True, random_state=number // folds).split(np.zeros(len(y)), y)
    train, test = list(splits)[number % folds]
    table = _codes(X) if coded else X
    return Split(table[train], table[test], y[train], y[test])


def keel_file(name: str) -> str:
    """Where a table of KEEL lies in the data folder."""
    return f"keel/{name.removeprefix(KEEL)}.csv"


@lru_cache(maxsize=2)
def load(name: str) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """A table and its class indices; of KEEL's files the last column is the class, and none has a header."""
    if not name.startswith(KEEL):
        return raw.load(name)
    path = find(keel_file(name), data_home=None)
    if path is None:
        raise FileNotFoundError(f"{keel_file(name)} is not in the data folder (ADTM_DATA)")
    with path.open(encoding="utf-8", newline="") as file:
        rows = [[text.strip() for text in row] for row in csv.reader(file) if row]
    *columns, labels = zip(*rows, strict=True)
    table = np.empty((len(rows), len(columns)), object)
    for j, column in enumerate(columns):
        table[:, j] = _numbers(column)
    numeric = all(not isinstance(value, str) for value in table[0])
    return table.astype(np.float64) if numeric else table, np.unique(labels, return_inverse=True)[1]


def _numbers(texts: tuple[str, ...]) -> tuple[Any, ...]:
    try:
        return tuple(map(float, texts))
    except ValueError:
        return texts


def _codes(X: NDArray[Any]) -> NDArray[np.float64]:
    """A table of numbers: texts by their place in the alphabet."""
    if X.dtype != object:
        return X
    columns = [np.unique(column, return_inverse=True)[1] if isinstance(column[0], str) else column for column in X.T]
    return np.column_stack(columns).astype(np.float64)
