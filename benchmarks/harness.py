"""Runs the sides of a suite interleaved: epoch k of every side before epoch k + 1 of any, one at a time.

A side lives in a worker process for one repeat and sleeps on its standard input while the others work, so drifts of
the machine (clock, neighbours, heat) meet all sides alike. A side that fails is recorded with its error, and the rest
go on. The answers are kept as they came; `targets.py` turns them into ratios.
"""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import peers
from benchmarks.workloads import Side, Suite

WORKER = Path(__file__).parent / "worker.py"
THRESHOLD = 75
SLOW_SECONDS = 5.0

Say = Callable[[str], None]

#: What may be learned about a digit: which it is, the number it stands for, or five labels: even, above four, prime,
#: divisible by three, drawn with a loop.
TASKS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "classes": lambda digits: digits.astype(np.uint32),
    "value": lambda digits: digits.astype(np.float64),
    "labels": lambda digits: np.column_stack(
        [digits % 2 == 0, digits > 4, np.isin(digits, (2, 3, 5, 7)), digits % 3 == 0, np.isin(digits, (0, 6, 8, 9))]
    ).astype(np.uint32),
}


class SideError(RuntimeError):
    """The worker answered with an error or went away."""


class Worker:
    """The process of one side."""

    def __init__(self, side: Side, *, data: Path, seed: int) -> None:
        # OpenMP, BLAS and Numba take their thread counts from the environment.
        threads = {f"{name}_NUM_THREADS": str(side.n_jobs) for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
        cpu = {"ADTM_CPU": side.cpu} if side.cpu else {}
        self.process = subprocess.Popen(
            [peers.python_of(side.library), str(WORKER)],
            env={**os.environ, **threads, **cpu},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.about = self.ask(
            "load", library=side.library, params=side.params, n_jobs=side.n_jobs, seed=seed, data=str(data)
        )

    def ask(self, do: str, **options: Any) -> dict[str, Any]:
        assert self.process.stdin
        assert self.process.stdout
        try:
            self.process.stdin.write(json.dumps({"do": do, **options}) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise SideError(f"the worker ended with status {self.process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise SideError(answer["error"])
        return answer

    def close(self) -> None:
        if self.process.stdin:
            self.process.stdin.close()
        self.process.wait()


def prepare_data(folder: Path, *, n_train: int, n_test: int, held_out: bool = False, task: str = "classes") -> Path:
    """Write Boolean MNIST to a file that every worker can read: uint8 features, and y as the task has it.

    With `held_out` the samples to test on are the training samples after the first `n_train`.
    """
    name = f"mnist-{n_train}-{n_test}{'-held-out' if held_out else ''}{'' if task == 'classes' else f'-{task}'}"
    path = folder / f"{name}.npz"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {}
    tested = ("train", slice(n_train, n_train + n_test)) if held_out else ("test", slice(n_test))
    for part, (subset, rows) in (("train", ("train", slice(n_train))), ("test", tested)):
        images, digits = mnist(subset)
        arrays[f"X_{part}"] = (images[rows] > THRESHOLD).astype(np.uint8)
        arrays[f"y_{part}"] = TASKS[task](digits[rows])
    np.savez(path, **arrays)
    return path


def mnist(subset: str) -> tuple[np.ndarray, np.ndarray]:
    """The grey images, one row each, and their digits."""
    from adtm.datasets import fetch_mnist

    try:
        images, classes = fetch_mnist(subset=subset, return_X_y=True)
    except OSError as error:
        raise SystemExit(f"The benchmarks need MNIST. {error}") from error
    return np.asarray(images).reshape(len(images), -1), np.asarray(classes)


class _Entry:
    """A side with its worker of this repeat and what has been recorded of it over all repeats."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.worker: Worker | None = None
        self.record: dict[str, Any] = {
            "library": side.library,
            "params": side.params,
            "n_jobs": side.n_jobs,
            "error": None,
            "repeats": [],
        }

    def attempt(self, step: Callable[["_Entry"], None]) -> None:
        """Do one step, unless this side has failed before."""
        if self.record["error"] is not None:
            return
        try:
            step(self)
        except (SideError, peers.NotInstalledError) as error:
            self.record["error"] = str(error)

    def start(self, data: Path, seed: int) -> None:
        self.worker = Worker(self.side, data=data, seed=seed)
        self.record["about"] = self.worker.about
        self.record["repeats"].append({"seed": seed, "epoch_seconds": [], "predict_seconds": []})

    def train(self) -> None:
        assert self.worker
        self.record["repeats"][-1]["epoch_seconds"].append(self.worker.ask("epoch")["seconds"])

    def predict(self) -> None:
        assert self.worker
        answer = self.worker.ask("predict")
        self.record["repeats"][-1]["predict_seconds"].append(answer["seconds"])
        self.record["repeats"][-1]["accuracy"] = answer["accuracy"]

    def predicts_slowly(self) -> bool:
        """Whether one call has taken so long that a second would tell nothing new."""
        repeats = self.record["repeats"]
        return bool(repeats) and max(repeats[-1]["predict_seconds"], default=0.0) > SLOW_SECONDS

    def predict_singly(self, calls: int) -> None:
        assert self.worker
        self.record["repeats"][-1]["single"] = self.worker.ask("latency", calls=calls)

    def stop(self) -> None:
        if self.worker:
            self.worker.close()
        self.worker = None


def run_suite(suite: Suite, *, folder: Path, say: Say) -> dict[str, Any]:
    """Run all repeats of a suite; return everything that was measured, by side."""
    data = prepare_data(folder, n_train=suite.n_train, n_test=suite.n_test, held_out=suite.held_out, task=suite.task)
    entries = [_Entry(side) for side in suite.sides]
    for repeat in range(suite.repeats):
        # Each repeat begins with another side, so that none always follows the same neighbour.
        turn = repeat % len(entries)
        order = entries[turn:] + entries[:turn]
        say(f"{suite.name}: repeat {repeat + 1} of {suite.repeats}")
        try:
            _run_repeat(suite, order, data=data, seed=repeat + 1, say=say)
        finally:
            for entry in entries:
                entry.stop()
    settings = {name: getattr(suite, name) for name in ("title", "epochs", "repeats", "n_train", "n_test")}
    return {**settings, "sides": {entry.side.name: entry.record for entry in entries}}


def _run_repeat(suite: Suite, entries: list[_Entry], *, data: Path, seed: int, say: Say) -> None:
    for entry in entries:
        entry.attempt(lambda entry: entry.start(data, seed))
        if entry.record["error"]:
            say(f"  {entry.side.name}: {entry.record['error']}")
    for _ in range(suite.epochs):
        for entry in entries:
            entry.attempt(_Entry.train)
    for _ in range(suite.predictions):
        for entry in entries:
            if not entry.predicts_slowly():
                entry.attempt(_Entry.predict)
    if suite.single_predictions:
        for entry in entries:
            entry.attempt(lambda entry: entry.predict_singly(suite.single_predictions))
    for entry in entries:
        if entry.record["error"] is None:
            last = entry.record["repeats"][-1]
            seconds = " ".join(f"{value:.3f}" for value in last["epoch_seconds"])
            say(f"  {entry.side.name}: epochs {seconds} s, accuracy {100 * last['accuracy']:.2f} %")
