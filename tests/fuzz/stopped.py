"""Searches, reproductions and packing that are stopped: resumed, they give what they give undisturbed.

A process of its own does the work. It gets Ctrl-C or is killed at any moment, several times, and the next one resumes.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from joblib.externals.loky import get_reusable_executor

import adtm
from adtm import ADTMClassifier
from adtm.paper.running.runner import run
from adtm.paper.studies import paper

from . import pick

SECONDS = 120  # longer than this nothing here takes
INTERRUPTED = 130
CHANGING = ("seconds", "origin", "fit_seconds")  # what differs between two runs of the same


def tune(folder: Path) -> Any:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 4, (300, 5))
    found = adtm.tune(
        X,
        X[:, 0] > X[:, 1],
        estimator=ADTMClassifier(n_clauses=20, n_members=2),
        space={"s": [2, (2, 9), 5], "tolerance": [0, 2], "T": [3, 9]},
        n_candidates=9,
        epochs=9,
        path=folder / "search",
    )
    trials = [(trial.parameters, trial.epochs, trial.score) for trial in found.trials_]
    return trials, found.best_estimator_.states_.tobytes(), found.best_estimator_.ledger_


def reproduce(folder: Path, jobs: int = 1) -> Any:
    tasks = paper.machine_tasks(repeats=1, epochs=20, datasets=["bankruptcy"])
    records: list[Any] = run(tasks, folder / "results", jobs=jobs, progress=False)
    return [{name: value for name, value in record.items() if name not in CHANGING} for record in records]


def reproduce_side_by_side(folder: Path) -> Any:
    return reproduce(folder, jobs=2)


def pack(folder: Path) -> Any:
    """CSV, as the threads of polars do not survive a fork."""
    rng = np.random.default_rng(5)
    for name in "abcdefgh":
        lines = "\n".join(f"{a},{b},{b > 4}" for a, b in rng.integers(0, 9, (200, 2)))
        (folder / f"{name}.csv").write_text(f"a,b,y\n{lines}\n")
    packed = adtm.pack(adtm.Pieces(folder / "*.csv", "y"), folder / "packed")
    return packed.literals.words.tobytes(), packed.y.tobytes()


WORK: list[Callable[[Path], Any]] = [tune, reproduce, pack]


@cache
def undisturbed(work: Callable[[Path], Any]) -> tuple[Any, float]:
    """What comes of it, and how long it takes."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        found = work(Path(folder)), time.monotonic() - begin
    if work is reproduce_side_by_side:
        get_reusable_executor().shutdown()  # a process of a campaign would wait for those of joblib before it ends
    return found


def _do(work: Callable[[Path], Any], folder: Path, expected: Any) -> int:
    """In a process of its own: 0 when all is as expected, INTERRUPTED after Ctrl-C."""
    try:
        os.setsid()  # Ctrl-C reaches all processes that are started from here on, as in a terminal
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        warnings.simplefilter("ignore")
        found = work(folder)
        if found == expected:
            return 0
        print(f"{work.__name__} gives {found!r:.2000}, not {expected!r:.2000}", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BaseException:
        traceback.print_exc()
    return 1


def stopped(work: Callable[[Path], Any], folder: Path, blow: int | None, after: float) -> int:
    """The exit code of a process that does the work and is hit after so many seconds."""
    expected, _ = undisturbed(work)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # until the child has its own handler
    child = os.fork()
    if child == 0:
        os._exit(_do(work, folder, expected))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    hit, limit = time.monotonic() + after, time.monotonic() + SECONDS
    while time.monotonic() < limit:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        if blow is not None and time.monotonic() > hit:
            os.kill(child, blow) if blow == signal.SIGKILL or os.getpgid(child) != child else os.killpg(child, blow)
            blow = None
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise AssertionError(f"{work.__name__} hangs")


def attack(seed: int) -> None:
    # AddressSanitizer's allocator does not survive a fork while another thread allocates.
    if not hasattr(os, "fork") or "libasan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("needs fork, without AddressSanitizer")
    rng = np.random.default_rng(seed)
    work = reproduce_side_by_side if seed % 20 == 19 else pick(rng, WORK)  # processes take seconds to start
    _, seconds = undisturbed(work)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(int(rng.integers(1, 5))):
            blow = pick(rng, [signal.SIGINT, signal.SIGKILL])
            code = stopped(work, Path(folder), blow, float(rng.random()) * seconds)
            assert code in (0, INTERRUPTED if blow == signal.SIGINT else -signal.SIGKILL), (work.__name__, blow, code)
        assert stopped(work, Path(folder), None, 0) == 0
