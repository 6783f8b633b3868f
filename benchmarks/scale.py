"""On paper: memory, traffic and hours of machines far larger than any that was trained here, from rates measured here.

    python benchmarks/scale.py            # measures for a minute, prints the table of docs/large_data.md
    python benchmarks/scale.py --packed   # packs Parquet files, learns from the packed file and from memory
    python benchmarks/scale.py --large    # 20 million rows, made in pieces, packed and learned: minutes and memory
    python benchmarks/scale.py --cluster  # models of 1, 2, 3 and 7 workers, and with a worker that joins
    python benchmarks/scale.py --speed    # how much faster ten classes are learned by more workers; wants free cores
    python benchmarks/scale.py --committee  # the same for a committee of eight

Rates are of processor time on one core, so that other programs do not matter. A step costs in proportion to the
clauses of a bank; what a row costs depends on how often it is already learned, so the mean of some epochs counts.
"""

from __future__ import annotations

import hashlib
import math
import multiprocessing
import sys
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import sklearn

import adtm
from adtm.machine.backends.dask import Task, learn_banks, same_code
from adtm.machine.heads import class_head
from adtm.machine.members import Epoch
from adtm.machine.schedule import Schedule
from adtm.markdown import markdown_table
from adtm.tables.literals import n_words_for

FEATURES = 750  # 30 numbers of 25 bits
CORES = (16, 1_000, 10_000)
PLAIN: dict[str, Any] = {"early_stopping": False, "probability": "shares", "choose": False}
LEARNING_BYTES = 2.7  # of an automaton while it learns (docs/architecture.md)


@dataclass(frozen=True)
class Rates:
    """Seconds of one core for a clause of a step, for a row to be packed by known thresholds and to be put in order."""

    clause: float
    row: float
    order: float


@dataclass(frozen=True)
class Need:
    """A machine: its classes (two are one bank), members, clauses of a bank, and rows."""

    name: str
    n_classes: int
    n_members: int
    n_clauses: int
    n_rows: float

    @property
    def n_banks(self) -> int:
        return self.n_members * (1 if self.n_classes == 2 else self.n_classes)

    @property
    def steps(self) -> float:
        """Of all banks in an epoch: with many classes a row is a step of its own and of three others."""
        return self.n_rows * self.n_members * (1 if self.n_classes == 2 else min(4, self.n_classes))

    @property
    def automata(self) -> float:
        return float(self.n_banks) * self.n_clauses * 2 * FEATURES

    def row(self, rates: Rates) -> list[str]:
        """The row of the table."""
        packed = self.n_rows * 8 * n_words_for(FEATURES)
        parts = (packed, self.automata * LEARNING_BYTES, self.automata)
        hours = [_hours(self.seconds(rates, min(cores, self.n_banks))) for cores in CORES]
        return [self.name, f"{self.n_banks:,}", *map(_bytes, parts), *hours]

    def seconds(self, rates: Rates, cores: int) -> float:
        """Of an epoch: the steps are shared out, but each core puts all rows in order, once for each member it has."""
        ordering = self.n_rows * max(1, self.n_members / cores) * rates.order
        return self.steps * self.n_clauses * rates.clause / cores + ordering


NEEDS = (
    Need("2 × 100, 2·10⁷", 2, 1, 100, 2e7),
    Need("2 × 100, 16 members, 2·10⁷", 2, 16, 100, 2e7),
    Need("10 × 2,000, 10⁸", 10, 1, 2_000, 1e8),
    Need("1,000 × 2,000, 10⁸", 1_000, 1, 2_000, 1e8),
    Need("10⁴ × 10⁴, 10⁹", 10_000, 1, 10_000, 1e9),
)


def measured(n_rows: int = 20_000, n_clauses: int = 100, epochs: int = 4) -> Rates:
    """The rates of this machine, on made data."""
    X, y = made(n_rows, 0)
    booleanizer = adtm.Booleanizer(missing="indicator").fit(X)
    begin = time.process_time()
    literals = booleanizer.literals(X)
    packing = (time.process_time() - begin) / n_rows
    machine = adtm.ADTMClassifier(n_clauses=n_clauses, epochs=epochs, **PLAIN)
    begin = time.process_time()
    machine.fit(literals, y, train_accuracy=False)
    clause = (time.process_time() - begin) / (epochs * n_rows * n_clauses)
    many = np.arange(50 * n_rows) % 10
    begin = time.process_time()
    Epoch(class_head(10), many, [None], Schedule("weyl", "rotate", 3), 0, 0, 0).streams()
    return Rates(clause, packing, (time.process_time() - begin) / len(many))


def made(n_rows: int, seed: int) -> tuple[Any, Any]:
    """Rows of 30 numbers and their classes."""
    X = np.random.default_rng(seed).random((n_rows, FEATURES // 25))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] > 0.8).astype(int)


def packed(n_files: int = 5, n_rows: int = 100_000, n_clauses: int = 100) -> str:
    """How fast Parquet files are packed, and an epoch over the packed file beside one in memory: processor time."""
    import polars

    with tempfile.TemporaryDirectory() as directory:
        for seed in range(n_files):
            X, y = made(n_rows, seed)
            frame = polars.DataFrame({f"x{j}": X[:, j] for j in range(X.shape[1])}).with_columns(label=y)
            frame.write_parquet(Path(directory, f"{seed}.parquet"))
        begin = time.process_time()
        file = adtm.pack(f"{directory}/*.parquet", Path(directory, "data.packed"), "label")
        rate = 60 * len(file) / (time.process_time() - begin)
        inside = adtm.Literals.from_boolean(file.literals.unpack()[:, : file.literals.n_features])
        times: dict[str, list[float]] = {"file": [], "memory": []}
        for _ in range(5):  # in turn, so that other programs disturb both
            for name, rows in (("file", file.literals), ("memory", inside)):
                machine = adtm.ADTMClassifier(n_clauses=n_clauses, epochs=1, n_jobs=1, **PLAIN)
                begin = time.process_time()
                machine.fit(rows, file.y, train_accuracy=False)
                times[name].append(time.process_time() - begin)
        there, here = min(times["file"]), min(times["memory"])
        return (
            f"{len(file):,} rows of {FEATURES // 25} numbers: {rate:,.0f} rows packed in a minute of one core; "
            f"an epoch {there:.2f} s from the file, {here:.2f} s from memory ({there / here:.3f})"
        )


def large(n_rows: int = 20_000_000, n_clauses: int = 100) -> str:
    """Time and memory of rows that are never in memory together: made in pieces, packed, and learned in two epochs."""
    n = n_rows // 100  # of a piece
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory, "data.packed")
        pieces = adtm.Pieces(lambda: (made(n, seed) for seed in range(100)))
        watched(f"{n_rows:,} rows packed", lambda: adtm.pack(pieces, place))
        for shuffle in ("blocks", "sorted"):
            machine = adtm.ADTMClassifier(n_clauses=n_clauses, epochs=2, shuffle=shuffle, choose=False)
            watched(f"two epochs, {shuffle}", lambda it=machine: it.fit(adtm.Packed(place)))
            print("accuracy", *(f"{each.train_accuracy:.4f}" for each in machine.history_))
        return f"{_bytes(place.stat().st_size)} of file"


def watched(what: str, work: Any) -> None:
    """Print what work takes: seconds, and the most memory that is not a mapped file (Linux)."""
    most, over = [0], threading.Event()

    def watch() -> None:
        while not over.wait(0.05):
            status = Path("/proc/self/status").read_text()
            most[0] = max(most[0], int(status.split("RssAnon:")[1].split()[0]))

    watching = threading.Thread(target=watch)
    watching.start()
    begin, own = time.perf_counter(), time.process_time()
    try:
        work()
    finally:
        over.set()
        watching.join()
    times = (time.perf_counter() - begin, time.process_time() - own)
    print(f"{what}: {times[0]:.0f} s, {times[1]:.0f} s of processor time, at most {_bytes(most[0] * 1024)} of memory")


def cluster(n_rows: int = 4_000) -> str:
    """Digests of states and ledger of eight members: on this machine, on workers, and where one joins on the way."""
    import distributed

    X, y = made(n_rows, 0)

    def digest(callback: Any = None, **run: Any) -> str:
        machine = adtm.ADTMClassifier(n_clauses=20, n_members=8, epochs=3, **PLAIN, **run)
        return _digest(machine.fit(X, y, callback=callback))

    told = [f"here: {digest()}"]
    for n_workers in (1, 2, 3, 7):
        begin = time.perf_counter()
        local = distributed.LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None)
        with local, distributed.Client(local):
            told.append(f"{n_workers} workers: {digest(backend='dask')}, {time.perf_counter() - begin:.1f} s")
            if n_workers == 1:
                told.append(f"and one more from the second epoch on: {digest(_joins(local), backend='dask')}")
    return "\n".join(told)


def speed(n_rows: int = 20_000, n_clauses: int = 1_000, epochs: int = 11, repeats: int = 2) -> str:
    """How fast ten classes are learned by 1, 2 and 4 worker processes of one thread."""
    return _speed(n_rows, n_clauses, epochs, repeats, n_members=1, counts=(1, 2, 4))


def committee(n_rows: int = 20_000, n_clauses: int = 400, epochs: int = 25, repeats: int = 7) -> str:
    """How fast a committee of eight for two classes, of the default's size, is learned by 1 and 8 worker processes."""
    return _speed(n_rows, n_clauses, epochs, repeats, n_members=8, counts=(1, 8))


def _speed(n_rows: int, n_clauses: int, epochs: int, repeats: int, *, n_members: int, counts: tuple[int, ...]) -> str:
    """Seconds of an epoch, and the share of linear speed, beside one worker.

    The first epoch is left out: workers start and get the rows. What is lost has two parts: workers that wait, and work
    that takes longer where more processes share caches, memory and the clock of the processor. Processes that know
    nothing of each other stand beside them: these lose the second part only.
    """
    import distributed

    X = np.random.default_rng(0).integers(0, 2, (n_rows, 784), dtype=np.uint8)
    classes, rows = (X[:, :10].astype(int) @ (1 << np.arange(10))) % 10, adtm.Literals.from_boolean(X)
    y = classes if n_members == 1 else classes > 4
    own: dict[str, Any] = {"n_clauses": n_clauses, "T": n_clauses // 10, "tolerance": 0, "s": 5}
    machine = adtm.ADTMClassifier(n_members=n_members, n_jobs=1, **own, **PLAIN)
    alone = alone_busy = 0.0
    for n_workers in counts:
        linear = []
        local = distributed.LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None)
        with local, distributed.Client(local) as client:
            for _ in range(1 if n_workers == 1 else repeats):
                machine.set_params(backend="dask", epochs=epochs)
                with distributed.get_task_stream(client) as tasks:
                    machine.fit(rows, y, train_accuracy=False)
                took = sum(each.seconds for each in machine.history_[1:]) / (epochs - 1)
                busy = _busy(tasks.data, n_workers) / (epochs - 1)
                alone, alone_busy = alone or took, alone_busy or busy
                parts = f"workers busy {busy / took / n_workers:.2f}, work {busy / alone_busy:.2f} times as long"
                linear.append(alone / took / n_workers)
                told = f"{took:.3f} s, {linear[-1]:.2f} of linear ({parts})"
                print(f"{n_workers} workers: {told}", _digest(machine), flush=True)
            if n_workers == 1:
                continue
            print(f"{n_workers} workers: {np.median(linear):.2f} of linear, the median of {repeats}", flush=True)
            stamps: list[float] = []
            machine.set_params(epochs=4).fit(rows, y, train_accuracy=False, callback=_stamping(stamps))
            took = (stamps[-1] - stamps[0]) / (len(stamps) - 1)
            print(f"{n_workers} workers, a callback after each: {took:.3f} s", flush=True)
        took = _apart(machine.set_params(epochs=epochs), rows, y, n_workers)
        print(f"{n_workers} processes: {took:.3f} s, {alone_busy / took / n_workers:.2f} of linear", flush=True)
    return ""


def _busy(tasks: Any, n_workers: int) -> float:
    """Seconds that workers were at work on tasks of theirs, the first of each left out: the first epoch."""
    spans = sorted(
        (each["start"], each["stop"])
        for task in tasks
        if task["key"].startswith("learn_banks")
        for each in task["startstops"]
        if each["action"] == "compute"
    )
    return sum(stop - start for start, stop in spans[n_workers:])


def _apart(machine: Any, rows: Any, labels: Any, n_processes: int) -> float:
    """Seconds of an epoch where each process learns some of the banks, without Dask: those of the slowest."""
    first = sklearn.clone(machine).set_params(epochs=1, backend="native").fit(rows, labels, train_accuracy=False)
    head = replace(first.model_.head, counts=())
    schedule = Schedule("weyl", machine.other_class, machine.n_other_classes)
    epoch = Epoch(head, np.searchsorted(first.classes_, labels), [None] * machine.n_members, schedule, 0, 1, 0)
    task = Task(first.model_.settings, (1, 0), 0, machine.epochs - 1, 1, same_code())
    parts = [first.model_.memory.take(own) for own in np.array_split(first.model_.memory.banks, n_processes)]
    with ProcessPoolExecutor(n_processes, multiprocessing.get_context("spawn")) as pool:
        list(pool.map(_started, range(n_processes)))
        taken = [pool.submit(_taken, task, part, rows, epoch) for part in parts]
        return max(future.result() for future in taken) / (machine.epochs - 1)


def _started(_: int) -> None:
    """What a process does once; so long that every process gets one."""
    import distributed  # noqa: F401

    time.sleep(1)


def _taken(task: Any, memory: Any, rows: Any, epoch: Any) -> float:
    begin = time.perf_counter()
    learn_banks(task, memory, rows, epoch)
    return time.perf_counter() - begin


def _stamping(stamps: list[float]) -> Any:
    return lambda *_: stamps.append(time.perf_counter())


def _digest(machine: Any) -> str:
    return hashlib.sha256(machine.states_.tobytes() + repr(machine.ledger_).encode()).hexdigest()[:16]


def _joins(local: Any) -> Any:
    def callback(machine: Any, _: Any) -> None:
        if machine.n_epochs_ == 1:
            local.scale(2)
            local.wait_for_workers(2)

    return callback


def table(rates: Rates) -> str:
    """What each of ``NEEDS`` takes, as Markdown."""
    heads = ("classes × clauses, rows", "banks", "rows", "states", "traffic", *(f"{cores:,} cores" for cores in CORES))
    return markdown_table(heads, [each.row(rates) for each in NEEDS])


def _bytes(n: float) -> str:
    power = min(4, int(math.log(max(n, 1), 1000)))
    return f"{n / 1000**power:.3g} {('B', 'kB', 'MB', 'GB', 'TB')[power]}"


def _hours(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:,.0f} h"


if __name__ == "__main__":
    if sys.argv[1:]:
        asked = {
            "--packed": packed,
            "--large": large,
            "--cluster": cluster,
            "--speed": speed,
            "--committee": committee,
        }[sys.argv[1]]
        sys.exit(print(asked(*map(int, sys.argv[2:]))))
    found = measured()
    rows = f"{found.row * 1e6:.2f} µs to pack a row, {found.order * 1e6:.2f} µs to put it in order"
    print(f"{found.clause * 1e9:.1f} ns for a clause of a step, {rows}\n")
    print(table(found))
