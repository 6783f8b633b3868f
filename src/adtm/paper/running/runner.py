"""Many tasks, done: on all cores or on a Dask cluster, resumable at any point.

One writer, in this process, appends each record as it arrives; a restart reads the file and does what is missing.
What a task computes is left to `trial`, how a record is kept to `records`, order and time left to `forecast`.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from types import FrameType

import adtm
from adtm.cluster import connect, until_lost
from adtm.machine.backends import get_backend, shared_out
from adtm.paper.plan import Task
from adtm.paper.running import baselines, variants
from adtm.paper.running.forecast import Forecast, ordered
from adtm.paper.running.provenance import fingerprint
from adtm.paper.running.records import Record, RecordWriter, read_records, task_key
from adtm.paper.running.trial import perform

LOG_SECONDS, SCREEN_SECONDS = 15, 0.5  # between two lines of a log, between two states of the bar


def run(
    tasks: Sequence[Task],
    directory: str | Path,
    jobs: int | None = None,
    scheduler: str | None = None,
    backend: str = "auto",
    progress: bool = True,
) -> list[Record]:
    """Do the tasks that have no record yet; return the records of all, in the order of the tasks.

    Runs that have a record in the directory's ``records.jsonl``, made by the same code with the same data and
    libraries, are not repeated; a record holds for every backend unless one is asked for by name. The runs are done by
    so many processes, by as many threads if the backend is a card, or by the workers of a Dask scheduler
    ("tcp://host:8786"): the records do not depend on it.

    >>> import tempfile
    >>> from adtm.paper.studies import paper
    >>> tasks = paper.machine_tasks(repeats=1, epochs=2, datasets=["bankruptcy"])
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     first = run(tasks, directory, jobs=1, progress=False)
    ...     again = run(tasks, directory, jobs=1, progress=False)
    >>> len(first), again == first
    (8, True)
    """
    if jobs is not None and jobs < 1:
        raise ValueError(f"jobs must be >= 1 or None for all cores, got {jobs}")
    get_backend(backend)  # an unknown name is refused before anything is done
    wanted = {task_key(task): task for task in tasks}
    with RecordWriter(directory) as writer:
        done = {record["key"]: record for record in read_records(directory) if _holds(record, backend)}
        todo = ordered(task for key, task in wanted.items() if key not in done)
        writer.require_space(len(todo))
        baselines.require({task["model"] for task in todo})
        with _ctrl_c_noticed() as raise_if_pressed:
            for record in _finished(todo, done.values(), jobs, scheduler, backend=backend, progress=progress):
                writer.append(record)
                done[record["key"]] = record
                raise_if_pressed()
    return [done[key] for key in wanted]


def _holds(record: Record, backend: str) -> bool:
    """Whether a record may stand for a run of today: other code, data or libraries may learn something else."""
    task = record["task"]
    same_version = record["versions"]["adtm"] == adtm.__version__
    same_backend = (
        backend == "auto"
        or record["backend"] is None
        or record["backend"] == get_backend(variants.backend_for(task, backend)).name
    )
    return same_version and same_backend and record["fingerprint"] == fingerprint(task["model"])


def _finished(
    todo: Sequence[Task],
    known: Iterable[Record],
    jobs: int | None,
    scheduler: str | None,
    *,
    backend: str,
    progress: bool,
) -> Iterator[Record]:
    """Yield records as runs finish, in any order."""
    from joblib import Parallel, delayed, effective_n_jobs, parallel_config

    if not todo:
        return
    # Threads of a process: several share a card.
    at_once = 1 if scheduler else shared_out(get_backend(backend), len(todo))[1]
    n_jobs = -1 if scheduler or jobs is None else jobs
    if at_once > 1:
        n_jobs = jobs or at_once
        here = parallel_config(backend="threading")
    else:
        here = parallel_config(backend="loky", initializer=_serve, initargs=(os.getpid(),))
    with _cluster(scheduler) if scheduler else here:
        # A finished run must reach the file at once, not wait for others of its batch.
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
        forecast = Forecast(todo, effective_n_jobs(n_jobs), known)
        with _progress(forecast, len(todo)) if progress else nullcontext(lambda record: None) as advance:
            alone: AbstractContextManager[list[int]] = nullcontext([])
            no_processes = scheduler or at_once > 1 or effective_n_jobs(n_jobs) == 1
            with alone if no_processes else _ctrl_c_held_back() as pressed:
                records = parallel(delayed(perform)(task, backend) for task in todo)
            if pressed:
                records.throw(KeyboardInterrupt())  # as if it had come with a record: joblib ends the processes
            for record in records:
                advance(record)
                yield record


@contextmanager
def _ctrl_c_held_back() -> Iterator[list[int]]:
    """Note Ctrl-C in the list and do no more: processes that are started meanwhile never hear it at all."""
    pressed: list[int] = []
    handler = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if sys.platform == "win32" or not main or not callable(handler):
        yield pressed
        return
    from multiprocessing.resource_tracker import ensure_running

    ensure_running()  # joblib would start it in the middle, and it lets Ctrl-C through again
    signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))  # other threads hear it all the same
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # processes have it from this thread
    try:
        yield pressed
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)


def _serve(parent: int) -> None:
    """In a worker process: leave Ctrl-C to the parent, and end when it does, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


@contextmanager
def _cluster(address: str) -> Iterator[None]:
    """Let joblib's own Dask backend send the runs to a cluster."""
    from joblib import parallel_config

    kept = "finished runs are safe, the same call goes on from there"
    with connect(address) as client, parallel_config(backend="dask", client=client), until_lost(address, kept):
        yield


@contextmanager
def _ctrl_c_noticed() -> Iterator[Callable[[], None]]:
    """See to it that Ctrl-C ends the runs, also where a library swallows it or turns it into an error of its own.

    A KeyboardInterrupt inside a callback from C does not get through; the function given raises it once more.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield lambda: None
        return
    pressed = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True
        before(number, frame)

    def raise_if_pressed() -> None:
        if pressed:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, note)
    try:
        yield raise_if_pressed
    except Exception:
        raise_if_pressed()
        raise
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _progress(forecast: Forecast, n_runs: int) -> Iterator[Callable[[Record], None]]:
    """Take note of each record and show the time left: as a bar on a terminal, else as a line now and then."""
    on_screen = sys.stderr.isatty()
    every = SCREEN_SECONDS if on_screen else LOG_SECONDS
    runs, started, said = 0, 0.0, time.monotonic()
    with _bar(n_runs) if on_screen else nullcontext(_line) as show:

        def advance(record: Record) -> None:
            nonlocal runs, started, said
            runs, now = runs + 1, time.monotonic()
            started = started or now - record["seconds"]  # without the time that processes take to start
            forecast.finished(record["task"], now - started)
            if now - said >= every or runs == n_runs:
                said = now
                show(runs, n_runs, forecast.seconds_left(now - started))

        yield advance


def _line(runs: int, n_runs: int, left: float) -> None:
    print(f"{runs} of {n_runs} runs, about {left:.0f} s left", file=sys.stderr, flush=True)


@contextmanager
def _bar(n_runs: int) -> Iterator[Callable[[int, int, float], None]]:
    """A bar of the time, elapsed and left."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    text = TextColumn("elapsed, {task.description}")
    with Progress(BarColumn(), TimeElapsedColumn(), text, console=Console(stderr=True)) as bar:
        row = bar.add_task(f"0 of {n_runs} runs", total=None)

        def show(runs: int, n_runs: int, left: float) -> None:
            elapsed = bar.tasks[0].elapsed or 0.0
            words = f"about {left:.0f} s left, {runs} of {n_runs} runs"
            bar.update(row, total=elapsed + left, completed=elapsed, description=words)

        yield show
