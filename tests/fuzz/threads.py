"""Threads and signals: whoever asks gets the answer of a whole machine, and Ctrl-C at any moment leaves a whole one.

A machine with a fixed seed is determined by its number of epochs. So every answer, every file and every machine after
an interruption is looked up among those of a machine that nobody disturbed.
"""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import numpy as np

import adtm
from adtm import ADTMClassifier

Rng = np.random.Generator
SECONDS = 300  # longer than this nothing here takes, however busy the machine is
EPOCHS = 12  # of the longest life
CLASSES = [2, 3]


def new(n_classes: int, **parameters: Any) -> ADTMClassifier:
    return ADTMClassifier(n_clauses=70, T=15, d=7, random_state=n_classes, **parameters)


@cache
def data(n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(n_classes).integers(0, 4, (60, 4))
    return X, (X[:, 0] + X[:, 1]) % n_classes


def whole(machine: Any) -> tuple[Any, ...]:
    """All that must fit together."""
    model = machine.model_
    return (model.memory.states.tobytes(), model.memory.updates.tobytes(), model.samples, model.ledger)


@cache
def undisturbed(n_classes: int) -> tuple[list[tuple[Any, ...]], list[bytes]]:
    """What a machine is, and what its votes are, after 1, 2, ... epochs."""
    X, y = data(n_classes)
    machine, machines, votes = new(n_classes), [], []
    for _ in range(EPOCHS):
        machine.partial_fit(X, y, classes=np.arange(n_classes))
        machines.append(whole(machine))
        votes.append(machine.decision_function(X).tobytes())
    return machines, votes


def check(n_classes: int, machine: Any) -> None:
    machines, votes = undisturbed(n_classes)
    epochs = machine.model_.epochs
    assert whole(machine) == machines[epochs - 1], f"no machine of {epochs} epochs"
    found = machine.decision_function(data(n_classes)[0]).tobytes()
    assert found == votes[epochs - 1], f"not the votes of {epochs} epochs"


def asked_while_learning(rng: Rng) -> None:
    """Some threads ask, save and load while one learns."""
    n_classes = CLASSES[int(rng.integers(2))]
    X, y = data(n_classes)
    _, votes = undisturbed(n_classes)
    machine = new(n_classes, n_jobs=int(rng.integers(1, 4))).partial_fit(X, y, classes=np.arange(n_classes))
    done = threading.Event()
    actions = ["partial_fit", "partial_fit", "fit"]
    plan = [actions[int(rng.integers(3))] for _ in range(int(rng.integers(2, EPOCHS)))]
    fit_epochs = int(rng.integers(1, 4))
    kinds = [int(kind) for kind in rng.integers(0, 3, int(rng.integers(1, 5)))]

    def ask() -> None:
        assert machine.decision_function(X).tobytes() in votes, "an answer of no whole machine"

    def save(path: Path) -> None:
        machine.save(path)
        check(n_classes, adtm.load(path))

    def learn() -> None:
        epochs = 1
        for action in plan:
            epochs = fit_epochs if action == "fit" else epochs + 1
            if action == "fit":
                machine.set_params(epochs=fit_epochs).fit(X, y)
            else:
                machine.partial_fit(X, y)
            assert machine.model_.epochs == epochs
            check(n_classes, machine)

    def until_done(action: Callable[[], None]) -> None:
        while True:
            last = done.is_set()
            action()
            if last:
                return

    def action(k: int, kind: int, folder: str) -> Callable[[], None]:
        if kind == 0:
            return ask
        return partial(save, Path(folder) / (f"machine{k}" if kind == 1 else "the same for all"))

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(len(kinds)) as pool:
        asking = [pool.submit(until_done, action(k, kind, folder)) for k, kind in enumerate(kinds)]
        try:
            learn()
        finally:
            done.set()
        for future in asking:
            future.result(SECONDS)


def interrupted(rng: Rng) -> None:
    """A process learns while another sends it Ctrl-C, several times."""
    # AddressSanitizer's allocator does not survive a fork while another thread allocates.
    if not hasattr(os, "fork") or "libasan" in os.environ.get("LD_PRELOAD", ""):
        return
    n_classes, n_jobs = CLASSES[int(rng.integers(2))], int(rng.integers(1, 3))
    actions, pauses = rng.integers(0, 3, 60).tolist(), (rng.random(int(rng.integers(1, 8))) * 0.02).tolist()
    undisturbed(n_classes)  # before the fork: made once
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # until the child has its own handler
    child = os.fork()
    if child == 0:
        _learn_under_fire(n_classes, n_jobs, actions)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    status = None
    try:
        for pause in pauses:
            time.sleep(pause)
            os.kill(child, signal.SIGINT)
        limit = time.monotonic() + SECONDS
        while status is None and time.monotonic() < limit:
            pid, code = os.waitpid(child, os.WNOHANG)
            status = os.waitstatus_to_exitcode(code) if pid else time.sleep(0.001)
    finally:
        if status is None:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    assert status == 0, f"the process that was interrupted ended with {status}"


def _learn_under_fire(n_classes: int, n_jobs: int, actions: list[int]) -> NoReturn:
    """Ends the process: with 0 when the machine was whole after every call, interrupted or not."""
    armed = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal armed
        if armed:  # only while the machine is at work, and once for each call
            armed = False
            raise KeyboardInterrupt

    code = 1
    try:
        signal.signal(signal.SIGINT, interrupt)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        X, y = data(n_classes)
        machine = new(n_classes, n_jobs=n_jobs, epochs=3)
        for action in actions:
            epochs = machine.model_.epochs if hasattr(machine, "model_") else 0
            if epochs == EPOCHS:
                break
            try:
                armed = True
                machine.fit(X, y) if action == 0 else machine.partial_fit(X, y, classes=np.arange(n_classes))
                armed = False
            except KeyboardInterrupt:
                pass
            now = machine.model_.epochs if hasattr(machine, "model_") else 0
            assert now in ({epochs, 1, 2, 3} if action == 0 else {epochs, epochs + 1}), f"{epochs} epochs became {now}"
            if now:
                check(n_classes, machine)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def attack(seed: int) -> None:
    rng = np.random.default_rng(seed)
    (asked_while_learning if rng.random() < 0.5 else interrupted)(rng)
