"""Machines on a Dask cluster: whatever they are, and whichever worker dies, they are those of one machine."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adtm
from adtm import ADTMClassifier, ADTMRegressor, Pieces, TMClassifier
from adtm.machine.backends.dask import DaskBackend

from . import Rng, pick
from .parity import any_lesson, any_parameters


@contextmanager
def workers(*, processes: bool) -> Iterator[Any]:
    """A client of two workers; as processes they can be killed, and come again."""
    distributed = pytest.importorskip("distributed", reason="needs Dask: pip install '.[dask]'")
    with (
        tempfile.TemporaryDirectory() as folder,
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=processes, dashboard_address=None, local_directory=folder
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def compare(rng: Rng, client: Any, *, killing: bool) -> None:
    kind = pick(rng, [ADTMClassifier, ADTMClassifier, TMClassifier, ADTMRegressor])
    X = rng.integers(0, 3, (int(rng.integers(20, 200)), int(rng.integers(1, 6))))
    lesson, parameters = any_lesson(rng, kind, np.arange(len(X)) % pick(rng, [2, 3, 5])), any_parameters(rng, kind)
    parameters["epochs"] = 6 if killing else parameters["epochs"]
    found = []
    for backend in (DaskBackend(client), "native"):
        machine = kind(**parameters, backend=backend)
        timer = threading.Timer(float(rng.random()) * 0.3, kill_one, [rng, client])
        if killing and backend != "native":
            timer.start()
        try:
            machine.fit(X, **lesson)
            found.append((machine.states_.tobytes(), machine.model_.memory.weights.tobytes(), machine.ledger_))
        except ValueError as error:  # of weights that leave nothing to learn
            found.append(str(error))
        finally:
            timer.cancel()
    assert found[0] == found[1], f"{kind.__name__}, {parameters}"


def kill_one(rng: Rng, client: Any) -> None:
    """Kill one of two. One that is killed while it starts may never come again: Dask's nanny has not seen it yet."""
    with suppress(Exception):  # nobody answers just now
        present = sorted(client.run(os.getpid).values())
        if len(present) > 1:
            os.kill(pick(rng, present), signal.SIGKILL)


def packed(rng: Rng, client: Any) -> None:
    """Workers map a packed file instead of being sent its rows."""
    X, y = rng.random((50, 3)), np.arange(50) % 3
    with tempfile.TemporaryDirectory() as folder:
        data = adtm.pack(Pieces([(X, y)]), Path(folder) / "packed")
        one, other = (
            ADTMClassifier(n_clauses=10, epochs=2, choose=False, backend=backend).fit(data)
            for backend in (DaskBackend(client), "native")
        )
    np.testing.assert_array_equal(one.states_, other.states_)


def attack(seed: int) -> None:
    rng = np.random.default_rng(seed)
    killing = seed % 10 == 9
    with warnings.catch_warnings(action="ignore"), workers(processes=killing) as client:
        for _ in range(3):
            compare(rng, client, killing=killing)
        packed(rng, client)
