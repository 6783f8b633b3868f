"""The one way of fit and partial_fit: records, whole machines whichever thread asks, and refusals without a trace."""

from __future__ import annotations

import copy
import pickle
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

import adtm
from adtm import Ledger, Literals
from adtm.learning.calibrating import Calibration
from adtm.learning.estimator import fitted_of, restored
from adtm.learning.targets import ClassTarget
from adtm.machine.backends.native import NativeBackend, NativeTrainer
from adtm.machine.memory import Memory
from adtm.machine.model import Learning, Model
from adtm.machine.settings import Settings
from made_machines import LABELS, NUMBERS, SECONDS, small, whole

X, TWO, THREE = NUMBERS, LABELS, NUMBERS[:, 0] % 3


# ---- records ---------------------------------------------------------------------------------------------------------


def test_the_training_accuracy_can_be_left_out() -> None:
    machine = small().fit(X, TWO, eval_set=(X, TWO), train_accuracy=False)
    usual = small().fit(X, TWO, eval_set=(X, TWO))
    assert [record.train_accuracy for record in machine.history_] == [None] * 4
    assert [record.train_silent for record in machine.history_] == [None] * 4
    assert [record.eval_accuracy for record in machine.history_] == [r.train_accuracy for r in usual.history_]
    assert [record.eval_silent for record in machine.history_] == [r.train_silent for r in usual.history_]
    assert whole(machine) == whole(usual)


def test_without_any_accuracy_no_voter_is_made_while_learning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NativeTrainer, "voter", None)
    machine = small().fit(X, TWO, train_accuracy=False)
    assert machine.predict(X).shape == TWO.shape


class Voterless(NativeBackend):
    """A backend that learns and makes no voter."""

    def voter(self, settings: Settings, memory: Memory) -> NoReturn:
        raise AssertionError("a second voter was asked for")


def test_the_voter_of_the_last_accuracy_is_the_one_that_answers() -> None:
    machine = small().fit(X, TWO).set_params(backend=Voterless())
    assert machine.score(X, TWO) == machine.history_[-1].train_accuracy


@pytest.mark.parametrize(("callback", "models"), [(None, 1), (lambda machine, record: None, 4)])
def test_no_model_is_handed_over_twice(callback: Any, models: int, monkeypatch: pytest.MonkeyPatch) -> None:
    handed, usual = [], Learning.model
    monkeypatch.setattr(Learning, "model", lambda self, **last: handed.append(last) or usual(self, **last))
    small(probability="shares").fit(X, TWO, callback=callback)
    assert len(handed) == models


@pytest.mark.parametrize("value", [None, 1, "yes"])
def test_train_accuracy_must_be_a_flag(value: Any) -> None:
    with pytest.raises(ValueError, match=f"train_accuracy must be True or False, got {value!r}"):
        small().fit(X, TWO, train_accuracy=value)


@pytest.mark.parametrize("evaluate", [True, False])
def test_the_progress_bar_copes_without_accuracies(evaluate: bool, capsys: pytest.CaptureFixture[str]) -> None:
    small(verbose=1).fit(X, TWO, train_accuracy=False, eval_set=(X, TWO) if evaluate else None)
    shown = capsys.readouterr().err
    assert "4/4" in shown
    assert "train" not in shown
    assert ("eval 0." in shown) == evaluate


def test_partial_fit_leaves_the_history_of_the_fit_alone() -> None:
    machine = small().fit(X, TWO)
    history = machine.history_
    machine.partial_fit(X, TWO)
    assert machine.history_ == history
    assert len(history) == 4


def test_a_history_without_accuracies_is_saved_and_loaded(tmp_path: Path) -> None:
    machine = small().fit(X, TWO, train_accuracy=False)
    machine.save(tmp_path / "machine.safetensors")
    assert adtm.load(tmp_path / "machine.safetensors").history_ == machine.history_


# ---- threads ---------------------------------------------------------------------------------------------------------


def while_asking(machine: Any, ask: Callable[[], None], work: Callable[[], None]) -> list[BaseException]:
    """Do the work while three threads ask without a pause; returns what went wrong when they asked."""
    stop, errors = threading.Event(), []

    def keep_asking() -> None:
        try:
            while not stop.is_set():
                ask()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=keep_asking, daemon=True) for _ in range(3)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # so that threads meet in every place
    try:
        for thread in threads:
            thread.start()
        work()
    finally:
        stop.set()
        for thread in threads:
            thread.join(timeout=SECONDS)
        sys.setswitchinterval(interval)
    assert not any(thread.is_alive() for thread in threads)
    return errors


def test_one_thread_may_ask_while_another_learns() -> None:
    machine = small().fit(X, THREE)
    allowed = set()
    twin = copy.deepcopy(machine)
    for _ in range(31):
        allowed.add(twin.decision_function(X).tobytes())
        twin.partial_fit(X, THREE)

    def ask() -> None:
        assert machine.decision_function(X).tobytes() in allowed

    def work() -> None:
        for _ in range(30):
            machine.partial_fit(X, THREE)

    assert while_asking(machine, ask, work) == []
    # Nothing of an older model was left behind.
    fresh = pickle.loads(pickle.dumps(machine))
    np.testing.assert_array_equal(machine.decision_function(X), fresh.decision_function(X))


@pytest.mark.parametrize("call", ["fit", "partial_fit"])
def test_a_question_in_the_moment_of_replacement_is_answered(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = small().fit(X, TWO)
    before, memory, asked = machine.decision_function(X), NativeTrainer.memory, []

    def watched(self: NativeTrainer) -> Any:
        asked.append(machine.decision_function(X))
        return memory(self)

    monkeypatch.setattr(NativeTrainer, "memory", watched)
    getattr(machine, call)(X, 1 - TWO)
    np.testing.assert_array_equal(asked, [before])
    assert not np.array_equal(machine.decision_function(X), before)


def test_a_voter_made_too_late_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = small().fit(X, TWO).partial_fit(X, TWO)
    expected = copy.deepcopy(machine).partial_fit(X, 1 - TWO).decision_function(X)
    make, begun, learned = NativeBackend.voter, threading.Event(), threading.Event()

    def slow(self: NativeBackend, *arguments: Any) -> Any:
        voter = make(self, *arguments)
        begun.set()
        learned.wait(timeout=SECONDS)
        return voter

    monkeypatch.setattr(NativeBackend, "voter", slow)
    thread = threading.Thread(target=machine.predict, args=(X,), daemon=True)
    thread.start()
    assert begun.wait(timeout=SECONDS)
    machine.partial_fit(X, 1 - TWO)
    learned.set()
    thread.join(timeout=SECONDS)
    assert not thread.is_alive()
    np.testing.assert_array_equal(machine.decision_function(X), expected)


def test_a_machine_that_is_fitted_anew_is_one_or_the_other_to_whoever_asks() -> None:
    # Other columns' values, other labels, another number of classes and of literals: a mixture would be noticed.
    words = np.array(["no", "yes"])[TWO]
    machine = small(epochs=1).fit(X, words)
    first, second = machine.predict(X).tolist(), small(epochs=1).fit(2 * X + 7, THREE).predict(X).tolist()

    def ask() -> None:
        assert machine.predict(X).tolist() in (first, second)
        assert abs(machine.predict_proba(X).sum(axis=1) - 1).max() < 1e-9

    def work() -> None:
        for _ in range(25):
            machine.fit(2 * X + 7, THREE)
            machine.fit(X, words)

    assert while_asking(machine, ask, work) == []


def test_probabilities_are_those_of_one_machine_while_another_takes_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = small(probability="calibrated").fit(X, TWO)
    before, voter = machine.predict_proba(X), Model.voter

    def replaced(self: Model, backend: Any) -> Any:
        restored(machine, replace(fitted_of(machine), calibration=Calibration(known=1e6)))  # as another thread's fit
        return voter(self, backend)

    monkeypatch.setattr(Model, "voter", replaced)
    np.testing.assert_array_equal(machine.predict_proba(X), before)
    assert not np.array_equal(machine.predict_proba(X), before)


def test_while_a_fit_runs_the_machine_answers_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = small().fit(X, TWO)
    before, learn, epochs = machine.decision_function(X), Learning.stretch, []

    def watched(self: Learning, *arguments: Any, **most: int) -> list[Ledger]:
        np.testing.assert_array_equal(machine.decision_function(X), before)
        epochs.append(machine.model_.epochs)
        return learn(self, *arguments, **most)

    monkeypatch.setattr(Learning, "stretch", watched)
    machine.set_params(epochs=3).fit(X, 1 - TWO)
    assert (epochs, machine.model_.epochs) == ([4, 4, 4], 3)
    assert not np.array_equal(machine.decision_function(X), before)


def test_stretches_of_several_epochs_add_up_to_those_that_were_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    once = Learning.stretch

    def three(self: Learning, *arguments: Any, most: int, more: bool) -> list[Ledger]:
        return [ledger for _ in range(min(3, most)) for ledger in once(self, *arguments, most=1, more=more)]

    whole = small(epochs=5).fit(X, TWO, train_accuracy=False)
    monkeypatch.setattr(Learning, "stretch", three)
    machine = small(epochs=5).fit(X, TWO, train_accuracy=False)
    assert [record.epoch for record in machine.history_] == [1, 2, 3, 4, 5]
    np.testing.assert_array_equal(machine.states_, whole.states_)


# ---- refused calls ---------------------------------------------------------------------------------------------------


def tuples() -> np.ndarray:
    y = np.empty(len(X), object)
    y[:] = [(int(label), 1) for label in TWO]
    return y


REFUSED: dict[str, Callable[[Any], Any]] = {
    "labels that are tuples": lambda machine: machine.fit(X, tuples()),
    "labels that are tuples, further on": lambda machine: machine.partial_fit(X, tuples()),
    "a bad eval_set": lambda machine: machine.fit(X, TWO, eval_set=(X[:, :2], TWO)),
    "labels of an eval_set": lambda machine: machine.fit(X, TWO, eval_set=(X, TWO + 7)),
    "an eval_set of tuples": lambda machine: machine.fit(X, TWO, eval_set=(X, tuples())),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_call_changes_nothing_and_draws_nothing(name: str) -> None:
    generator = np.random.default_rng(2)
    machine = small(random_state=generator).fit(X, TWO)
    before, drawn = dict(vars(machine)), copy.deepcopy(generator.bit_generator.state)
    with pytest.raises(ValueError, match=r"label|features|classes"):
        REFUSED[name](machine)
    assert vars(machine) == before
    assert all(vars(machine)[attribute] is value for attribute, value in before.items())
    assert generator.bit_generator.state == drawn


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
@pytest.mark.parametrize("fitted", [True, False])
def test_a_machine_that_does_not_fit_into_memory_changes_nothing(
    fitted: bool, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = small(random_state=make(2))
    if fitted:
        machine.fit(X, TWO)
    before, drawn = dict(vars(machine)), pickle.dumps(machine.random_state)

    def too_large(*arguments: Any, **more: Any) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(NativeTrainer, "__init__", too_large)
        with pytest.raises(MemoryError):
            machine.fit(X, TWO)
        with pytest.raises(MemoryError):
            machine.partial_fit(X, TWO, classes=[0, 1])
    assert vars(machine) == before
    assert pickle.dumps(machine.random_state) == drawn


def test_a_model_that_cannot_be_taken_back_leaves_the_machine_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = small().fit(X, TWO)
    before, votes = whole(machine), machine.decision_function(X)

    def too_large(self: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(NativeTrainer, "memory", too_large)
    for call in (machine.fit, machine.partial_fit):
        with pytest.raises(MemoryError):
            call(X, 1 - TWO)
        assert whole(machine) == before
        np.testing.assert_array_equal(machine.decision_function(X), votes)


def test_there_may_be_65536_classes_and_no_more() -> None:
    assert ClassTarget.learn([0, 1], 2, range(65536))[1].tolist() == [0, 1]
    with pytest.raises(ValueError, match="classes must hold at most 65536 classes, got 65537 classes"):
        ClassTarget.learn([0, 1], 2, range(65537))


def test_the_booleanizer_of_the_caller_stays_as_it_is() -> None:
    booleanizer = adtm.Booleanizer(max_bits=2)
    machine = small(booleanizer=booleanizer).fit(X, TWO)
    assert machine.booleanizer_ is not booleanizer
    assert not hasattr(booleanizer, "n_bits_")


def test_the_names_of_columns_go_when_a_machine_is_fitted_anew_without_them() -> None:
    import pandas as pd

    machine = small().fit(pd.DataFrame(X, columns=list("abc")), TWO)
    assert machine.feature_names_in_.tolist() == ["a", "b", "c"]
    machine.fit(Literals.from_boolean(X > 1), TWO)
    assert not hasattr(machine, "feature_names_in_")


def test_what_a_callback_sets_on_the_machine_stays() -> None:
    def look(machine: Any, record: Any) -> None:
        machine.set_params(verbose=0, n_jobs=2)
        machine.note = record.epoch

    machine = small().fit(X, TWO, callback=look)
    assert (machine.n_jobs, machine.note, len(machine.history_)) == (2, 4, 4)


def test_a_callback_that_fits_other_data_leaves_no_mixture_of_both() -> None:
    def fit_anew(machine: Any, record: Any) -> None:
        if record.epoch == 4:
            machine.fit(X[:, :1], LABELS)

    machine, alone = small().fit(X, TWO, callback=fit_anew), small().fit(X, TWO)
    assert machine.classes_.tolist() == alone.classes_.tolist()
    assert (machine.predict_proba(X) == alone.predict_proba(X)).all()
    assert machine.held_out_score_ == alone.held_out_score_


def test_the_seconds_of_the_records_are_seconds() -> None:
    begin = time.perf_counter()
    machine = small().fit(NUMBERS, LABELS)
    assert 0 < sum(record.seconds for record in machine.history_) <= time.perf_counter() - begin


def test_rows_to_evaluate_are_scored_in_every_epoch_though_the_training_rows_are_not() -> None:
    history = small(epochs=3).fit(X, TWO, eval_set=(X, TWO), train_accuracy=False).history_
    assert [record.train_accuracy for record in history] == [None] * 3
    assert all(record.eval_accuracy is not None for record in history)
