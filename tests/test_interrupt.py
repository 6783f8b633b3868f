"""Ctrl-C: at any moment a whole number of epochs, and a whole machine."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from adtm import Ledger
from adtm.machine.backends.native import NativeTrainer
from adtm.machine.interrupt import finish_first, stoppable
from adtm.machine.model import Learning
from made_machines import LABELS, NUMBERS, SECONDS, assert_same_model, small, whole

X, TWO, THREE = NUMBERS, LABELS, NUMBERS[:, 0] % 3


@pytest.fixture(autouse=True)
def no_collection() -> Iterator[None]:
    """Hypothesis times Python's garbage collections, and an interrupt that meets it there reaches nobody."""
    gc.disable()
    yield
    gc.enable()


def raise_twice() -> None:
    signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("stopping", [False, True])
def test_what_was_learned_before_ctrl_c_answers_like_any_machine(stopping: bool, balance: tuple) -> None:
    def press(machine: Any, record: Any) -> None:
        if record.epoch == 3:
            raise KeyboardInterrupt

    parameters = {"probability": "calibrated", "early_stopping": stopping, "n_iter_no_change": 9}
    stopped, whole = small(epochs=9, **parameters), small(epochs=3, **parameters).fit(*balance)
    with pytest.raises(KeyboardInterrupt):
        stopped.fit(*balance, callback=press)
    assert_same_model(stopped.model_, whole.model_)
    np.testing.assert_array_equal(stopped.predict_proba(balance[0]), whole.predict_proba(balance[0]))
    assert stopped.held_out_score_ == whole.held_out_score_


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05])
def test_ctrl_c_at_any_moment_leaves_a_whole_number_of_epochs(delay: float, balance: tuple) -> None:
    X, y = balance
    machine = small(epochs=10**6)
    started = threading.Event()

    def interrupt() -> None:
        started.wait(timeout=60)
        threading.Event().wait(delay)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        machine.fit(X, y, callback=lambda machine, record: started.set())
    thread.join(timeout=60)
    n = len(machine.history_)
    assert n == machine.model_.epochs >= 1
    expected = small(epochs=n).fit(X, y)
    assert_same_model(machine.model_, expected.model_)
    np.testing.assert_array_equal(machine.decision_function(X), expected.decision_function(X))


def test_ctrl_c_waits_for_the_end_of_the_block_and_a_second_one_does_not() -> None:
    done = []

    def interrupted(times: int) -> None:
        with finish_first():
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)
            done.append(times)

    for times in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            interrupted(times)
    assert done == [1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_that_nobody_wants_stays_unheard() -> None:
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with finish_first():
            raise_twice()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, usual)


def test_work_that_may_stop_ends_with_the_outermost_block() -> None:
    done = []

    def nested(*, inside: bool) -> None:
        with finish_first(always=True):
            with stoppable():
                with stoppable():
                    pass
                if inside:
                    raise_twice()
            if not inside:
                raise_twice()
            done.append(inside)

    for inside in (True, False):
        with pytest.raises(KeyboardInterrupt):
            nested(inside=inside)
    assert done == [False]


def test_training_works_in_a_thread_where_signals_never_arrive(balance: tuple) -> None:
    machine = small()
    thread = threading.Thread(target=machine.fit, args=balance, daemon=True)
    thread.start()
    thread.join(timeout=60)
    assert not thread.is_alive()
    assert_same_model(machine.model_, small().fit(*balance).model_)


@pytest.fixture
def during(monkeypatch: pytest.MonkeyPatch) -> Callable[[type, str, Callable[[], None]], None]:
    """Press Ctrl-C right after a method has done its work, before its result is assigned."""

    def press(owner: type, name: str, how: Callable[[], None]) -> None:
        method = getattr(owner, name)

        def pressed(*arguments: Any, **more: Any) -> Any:
            result = method(*arguments, **more)
            how()
            return result

        monkeypatch.setattr(owner, name, pressed)

    return press


ONCE = lambda: signal.raise_signal(signal.SIGINT)  # noqa: E731


@pytest.mark.parametrize("how", [ONCE, raise_twice], ids=["once", "twice"])
@pytest.mark.parametrize(
    ("owner", "name"),
    [(NativeTrainer, "train"), (Learning, "stretch"), (Learning, "score"), (NativeTrainer, "memory")],
    ids=lambda value: getattr(value, "__name__", value),
)
@pytest.mark.parametrize("call", ["fit", "partial_fit"])
def test_ctrl_c_anywhere_leaves_a_whole_machine(call: str, owner: type, name: str, how: Any, during: Any) -> None:
    machine = small().fit(X, TWO)
    after = [whole(machine)]
    for epochs in range(1, 5):
        fitted = small(epochs=epochs).fit(X, 1 - TWO)
        after.append(whole(fitted))
    twin = copy.deepcopy(machine).partial_fit(X, 1 - TWO)
    after.append(whole(twin))
    during(owner, name, how)
    if call == "partial_fit" and name == "score":
        machine.partial_fit(X, 1 - TWO)  # which asks for none
        assert whole(machine) == after[-1]
        return
    with pytest.raises(KeyboardInterrupt):
        getattr(machine, call)(X, 1 - TWO)
    assert whole(machine) in after
    if call == "fit" and whole(machine) != after[0]:
        assert len(machine.history_) == machine.model_.epochs
        total = sum((record.ledger for record in machine.history_), Ledger(start_draws=machine.states_.size))
        assert machine.ledger_ == total
    votes = machine.decision_function(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(machine)).decision_function(X), votes)


@pytest.mark.parametrize("call", ["fit", "partial_fit"])
def test_one_ctrl_c_keeps_the_epoch_that_was_under_way(call: str, during: Any) -> None:
    machine = small().fit(X, TWO)
    learned = small(epochs=1).fit(X, TWO) if call == "fit" else copy.deepcopy(machine).partial_fit(X, TWO)
    during(NativeTrainer, "train", ONCE)
    with pytest.raises(KeyboardInterrupt):
        getattr(machine, call)(X, TWO)
    assert whole(machine) == whole(learned)


def test_two_in_a_fit_keep_the_epoch_without_its_accuracies(during: Any) -> None:
    machine = small()
    during(Learning, "score", raise_twice)
    with pytest.raises(KeyboardInterrupt):
        machine.fit(X, TWO)
    (record,) = machine.history_
    assert (record.epoch, record.train_accuracy, machine.model_.epochs) == (1, None, 1)
    assert whole(machine) == whole(small(epochs=1).fit(X, TWO, train_accuracy=False))


def test_a_second_ctrl_c_stops_the_reference_in_the_middle_of_an_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    from adtm.machine.backends.reference import backend

    machine = small(backend="reference", epochs=2).fit(X, TWO)
    before, learn, steps = whole(machine), backend.learn, []

    def pressed(*arguments: Any) -> None:
        steps.append(learn(*arguments))
        if len(steps) in (5, 10):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(backend, "learn", pressed)
    with pytest.raises(KeyboardInterrupt):
        machine.partial_fit(X, TWO)
    assert len(steps) == 10
    assert whole(machine) == before


def test_signals_held_by_an_inner_block_are_the_outer_ones_when_it_ends() -> None:
    done = []

    def nested(times: int, *, may_stop: bool = False) -> None:
        with finish_first():
            with finish_first(always=True):
                for _ in range(times):
                    if may_stop:
                        with stoppable():
                            signal.raise_signal(signal.SIGINT)
                    else:
                        signal.raise_signal(signal.SIGINT)
                done.append(("inner", times))
            done.append(("outer", times))

    for times, expected in ((1, ["inner", "outer"]), (2, ["inner"]), (3, ["inner"])):
        done.clear()
        with pytest.raises(KeyboardInterrupt):
            nested(times)
        assert [name for name, _ in done] == expected
    done.clear()
    with pytest.raises(KeyboardInterrupt):
        nested(2, may_stop=True)
    assert done == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("delay", [0.0, 0.001, 0.002, 0.003, 0.005, 0.01])
def test_ctrl_c_at_any_moment_of_partial_fit_leaves_a_whole_machine(delay: float) -> None:
    machine = small(n_clauses=200).fit(X, THREE)
    epochs = machine.model_.epochs
    started = threading.Event()

    def interrupt() -> None:
        started.wait(timeout=SECONDS)
        threading.Event().wait(delay)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()

    def go_on() -> None:
        started.set()
        while True:
            machine.partial_fit(X, THREE)

    with pytest.raises(KeyboardInterrupt):
        go_on()
    thread.join(timeout=SECONDS)
    assert machine.model_.epochs >= epochs
    twin = small(n_clauses=200, epochs=machine.model_.epochs).fit(X, THREE)
    assert whole(machine) == whole(twin)
    np.testing.assert_array_equal(machine.decision_function(X), twin.decision_function(X))
