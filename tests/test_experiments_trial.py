"""One task, done: each score from its own part of the data, F1 over all classes, the learner named."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score
from sklearn.tree import DecisionTreeClassifier

import adtm
from adtm.machine.backends.native import NativeBackend
from adtm.paper.running import baselines, splits, trial
from adtm.paper.running.records import Task
from adtm.paper.running.trial import build_machine, perform
from adtm.paper.studies import paper

MACHINE: Task = paper.machine_tasks(repeats=2, epochs=3, datasets=["heart"])[10]  # d = 10 of the second repeat
TREE: Task = next(task for task in paper.baseline_tasks(2, datasets=["heart"]) if task["model"] == "DT")


@pytest.fixture
def three_part_split(three_classes: tuple[adtm.Literals, np.ndarray]) -> splits.LiteralSplit:
    """Balance Scale in three classes: two rows of three for training."""
    literals, y = three_classes
    test = np.arange(len(y)) % 3 == 0
    words = literals.words
    parts = (adtm.Literals(words[chosen], literals.n_features) for chosen in (~test, test))
    return splits.LiteralSplit(*parts, y[~test], y[test])


def test_a_machine_is_scored_on_each_part_after_each_epoch() -> None:
    record = perform(MACHINE)
    data = splits.literal_split("heart", MACHINE["seed"])
    for epoch in range(3):
        task: Task = {**MACHINE, "params": {**MACHINE["params"], "epochs": epoch + 1}}
        machine = build_machine(task).fit(data.train, data.y_train)
        train, test = machine.predict(data.train), machine.predict(data.test)
        assert record["train_accuracy"][epoch] == pytest.approx(accuracy_score(data.y_train, train), abs=1e-6)
        assert record["test_accuracy"][epoch] == pytest.approx(accuracy_score(data.y_test, test), abs=1e-6)
        assert record["test_f1"][epoch] == pytest.approx(f1_score(data.y_test, test), abs=1e-6)
    assert record["train_accuracy"] != record["test_accuracy"]
    assert record["ledger"] == machine.ledger_.as_dict()


@pytest.mark.parametrize("d", ["inf", None])
def test_silence_is_measured_on_the_test_part_after_the_last_epoch(d: str | None) -> None:
    task = next(task for task in paper.machine_tasks(1, 20, ["heart"]) if task["params"].get("d") == d)
    record = perform(task)
    data = splits.literal_split("heart", task["seed"])
    machine = build_machine(task).fit(data.train, data.y_train)
    assert machine.silence == "paper"
    silent = np.abs(machine.decision_function(data.test)) < 1
    paper_answers, frequent = machine.predict(data.test), machine.set_params(silence="frequent").predict(data.test)
    assert record["silence"] == {
        "rows": round(float(silent.mean()), 6),
        "wrong": round(float((silent & (paper_answers != data.y_test)).mean()), 6),
        "accuracy": round(accuracy_score(data.y_test, frequent), 6),
        "f1": round(f1_score(data.y_test, frequent), 6),
    }
    assert record["test_accuracy"][-1] == round(accuracy_score(data.y_test, paper_answers), 6)
    assert 0 < record["silence"]["wrong"] <= record["silence"]["rows"] < 1


def test_where_empty_clauses_vote_silence_is_that_of_their_votes() -> None:
    task: Task = next(task for task in paper.machine_tasks(1, 20, ["heart"]) if task["params"].get("d") == "inf")
    usual, voting = perform(task), perform({**task, "variant": {"empty": "vote"}})
    assert usual["silence"] != voting["silence"]
    assert usual["ledger"] == voting["ledger"]


def test_of_many_classes_f1_is_the_mean_over_all(
    three_part_split: splits.LiteralSplit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "literal_split", lambda dataset, seed: three_part_split)
    record = perform(MACHINE)
    data = three_part_split
    machine = build_machine(MACHINE).fit(data.train, data.y_train)
    predicted = machine.predict(data.test)
    expected = f1_score(data.y_test, predicted, average="macro")
    assert record["clauses"] == len(np.unique(machine.includes_.reshape(-1, machine.includes_.shape[-1]), axis=0))
    assert record["test_f1"][-1] == pytest.approx(expected, abs=1e-6)
    assert expected != pytest.approx(f1_score(data.y_test == 1, predicted == 1), abs=0.01)
    frequent = machine.set_params(silence="frequent").predict(data.test)
    assert record["silence"] is not None
    assert record["silence"]["f1"] == round(f1_score(data.y_test, frequent, average="macro"), 6)


def test_a_class_that_no_test_row_has_counts_in_f1(balance: tuple[np.ndarray, np.ndarray]) -> None:
    X, _ = balance
    y = np.sign(X[:, 1] - X[:, 3]).astype(int) + 1
    model = DecisionTreeClassifier(max_depth=1).fit(X, y)
    X_test, y_test = X[y < 2], y[y < 2]
    expected = f1_score(y_test, model.predict(X_test), labels=[0, 1, 2], average="macro", zero_division=0)
    found = trial.last_scores(model, splits.Split(X, X_test, y, y_test))
    assert found["test_f1"] == [pytest.approx(expected, abs=1e-6)] != [pytest.approx(1.5 * expected, abs=1e-6)]


def test_another_learner_is_scored_once_on_each_part(
    balance: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    X = balance[0]
    y = np.random.default_rng(0).integers(3, size=len(X))  # to be learned by heart and not otherwise
    data = splits.Split(X[::2], X[1::2], y[::2], y[1::2])
    monkeypatch.setattr(trial, "split", lambda dataset, seed: data)
    record = perform(TREE)
    model = baselines.fit_baseline("DT", data, TREE["seed"])
    predicted = model.predict(data.X_test)
    assert record["train_accuracy"] == [1.0]
    assert record["test_accuracy"] == [round(accuracy_score(data.y_test, predicted), 6)]
    assert record["test_f1"] == [round(f1_score(data.y_test, predicted, average="macro"), 6)]
    assert record["test_accuracy"] != record["train_accuracy"]
    assert (record["silence"], record["ledger"], record["instruction_set"]) == (None, None, None)


@pytest.mark.parametrize(
    ("variant", "asked", "learned_on"),
    [
        ({}, "auto", "native"),
        ({}, "native", "native"),
        ({}, "reference", "reference"),
        ({"jump": "refused"}, "native", "reference"),  # nobody else knows that rule
    ],
)
def test_a_record_names_the_backend_that_learned(variant: dict[str, str], asked: str, learned_on: str) -> None:
    record = perform({**MACHINE, "variant": variant}, asked)
    assert record["backend"] == learned_on
    assert record["instruction_set"] == (adtm.info()["instruction_set"] if learned_on == "native" else None)


def test_only_the_native_core_has_an_instruction_set(monkeypatch: pytest.MonkeyPatch) -> None:
    class Card(NativeBackend):
        name = "card"

    monkeypatch.setattr("adtm.machine.backends.native.NativeBackend", Card)
    record = perform(MACHINE)
    assert (record["backend"], record["instruction_set"]) == ("card", None)


def test_scores_do_not_depend_on_the_backend() -> None:
    native, reference = (
        {k: v for k, v in perform(MACHINE, name).items() if k not in ("backend", "instruction_set", "seconds")}
        for name in ("native", "reference")
    )
    assert native == reference


def test_a_task_asks_for_its_machine_seed_and_infinity() -> None:
    infinite: Task = {**MACHINE, "params": {**MACHINE["params"], "d": "inf"}, "seed": 7}
    machine = build_machine(infinite)
    assert isinstance(machine, adtm.ADTMClassifier)
    assert (machine.d, machine.random_state, machine.epochs) == (math.inf, 7, 3)
    standard = build_machine({**paper.machine_tasks(repeats=1, epochs=3, datasets=["heart"])[0]})
    assert isinstance(standard, adtm.TMClassifier)


def test_changes_of_the_data_reach_the_data() -> None:
    flipped: Task = {**MACHINE, "variant": {"flipped": True}}
    assert trial._data(flipped) is splits.literal_split("heart", MACHINE["seed"], flipped=True)
    assert trial._data(TREE) is splits.split("heart", TREE["seed"])


def test_the_clock_starts_when_the_data_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    data = splits.literal_split("heart", MACHINE["seed"])
    calls: list[str] = []

    def slow(dataset: str, seed: int) -> splits.LiteralSplit:
        time.sleep(0 if calls else 0.5)  # only the first call reads the data
        calls.append(dataset)
        return data

    monkeypatch.setattr(trial, "literal_split", slow)
    assert 0 < perform(MACHINE)["seconds"] < 0.45


def test_versions_name_the_library_that_learned() -> None:
    pytest.importorskip("xgboost")
    boosted: Task = {**TREE, "model": "XGBoost"}
    assert set(perform(TREE)["versions"]) == {"adtm", "numpy", "sklearn", "python"}
    assert set(perform(boosted)["versions"]) == {"adtm", "numpy", "sklearn", "python", "xgboost"}


def test_a_run_learns_on_one_thread_with_its_own_seed_and_booleanizer() -> None:
    """Runs share the cores among themselves."""
    task: Any = {"variant": {}, "seed": 3, "params": {"n_clauses": 6, "epochs": 2}}
    expected = adtm.ADTMClassifier(n_clauses=6, epochs=2, random_state=3, n_jobs=1, backend="native")
    assert trial.machine_of(task, "native").get_params() == expected.get_params()
    task |= {"variant": {"booleanizer": {"max_bits": 2}}, "params": {"random_state": 5}}
    own: Any = trial.machine_of(task, "auto")
    assert (own.booleanizer.max_bits, own.booleanizer.missing, own.random_state) == (2, "indicator", 5)
