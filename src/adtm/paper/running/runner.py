"""Many tasks, done: on all cores or on a Dask cluster, resumable at any point.

One writer, in this process, appends each record as it arrives; a restart reads the file and does what is missing.
What a task computes is left to `trial`, how a record is kept to `records`.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from types import FrameType
from typing import Any

import adtm
from adtm.extras import need
from adtm.paper.running import baselines, variants
from adtm.paper.running.provenance import fingerprint
from adtm.paper.running.records import Record, RecordWriter, Task, read_records, task_key
from adtm.paper.running.trial import perform

CONNECT_SECONDS = 10
LOG_SECONDS = 15  # between two lines of progress where there is no terminal to draw on
# Rough seconds of a run, only to foretell the time left; everything else counts as the machines do.
EXPECTED_SECONDS = {"EBM": 27.0, "ANN-3": 0.5, "ANN-2": 0.2, "ANN-1": 0.15, "RF": 0.16}
REFERENCE_EPOCH_SECONDS = 0.06  # of a variant that is not native
MACHINE_SECONDS = 0.06
EPOCH_SECONDS = {"noisy_xor": 0.12, "mnist": 1.1, "fashion_mnist": 1.3, "imdb": 2.0}  # with 500 clauses


def run(
    tasks: Sequence[Task],
    directory: str | Path,
    jobs: int | None = None,
    scheduler: str | None = None,
    progress: bool = True,
) -> list[Record]:
    """Do the tasks that have no record yet; return the records of all, in the order of the tasks.

    Parameters
    ----------
    tasks : sequence of Task
    directory : path
        Where ``records.jsonl`` is kept. Runs that have a record there, made by the same code with the same
        data and libraries, are not repeated.
    jobs : int, optional
        Processes; all cores by default. The records do not depend on it.
    scheduler : str, optional
        Address of a Dask scheduler ("tcp://host:8786"); its workers then do the runs (needs the extra ``dask``).
    progress : bool
        Show progress and the time left on standard error.

    Examples
    --------
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
    wanted = {task_key(task): task for task in tasks}
    with RecordWriter(directory) as writer:
        done = _known(directory)
        todo = [task for key, task in wanted.items() if key not in done]
        writer.require_space(len(todo))
        baselines.require({task["model"] for task in todo})
        with _ctrl_c_noticed() as raise_if_pressed, _progress(todo, hidden=not progress or not todo) as advance:
            for record in _finished(todo, jobs, scheduler):
                writer.append(record)
                done[record["key"]] = record
                advance(record["task"])
                raise_if_pressed()
    return [done[key] for key in wanted]


def _known(directory: str | Path) -> dict[str, Record]:
    """Records that may stand for a run of today: another core, other data or another library may learn otherwise."""
    return {record["key"]: record for record in read_records(directory) if _is_current(record)}


def _is_current(record: Record) -> bool:
    same_version = record["versions"]["adtm"] == adtm.__version__
    return same_version and record["fingerprint"] == fingerprint(record["task"]["model"])


def _finished(todo: Sequence[Task], jobs: int | None, scheduler: str | None) -> Iterator[Record]:
    """Yield records as runs finish, in any order."""
    from joblib import Parallel, delayed, parallel_config

    if not todo:
        return
    local = parallel_config(backend="loky", initializer=_serve, initargs=(os.getpid(),))
    with _cluster(scheduler) if scheduler else local:
        parallel = Parallel(
            n_jobs=-1 if scheduler or jobs is None else jobs,
            return_as="generator_unordered",
            batch_size=1,  # a finished run must reach the file at once, not wait for others of its batch
        )
        yield from parallel(delayed(perform)(task) for task in todo)


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
    distributed = need("distributed", "A scheduler", extra="dask")
    from joblib import parallel_config

    with ExitStack() as stack:
        try:
            client: Any = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
            stack.enter_context(client)
            client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except (OSError, ValueError) as error:  # TimeoutError is an OSError
            raise ConnectionError(f"scheduler {address!r} has no worker or does not answer: {error}") from error
        stack.enter_context(parallel_config(backend="dask", client=client))
        try:
            yield
        except distributed.CancelledError as error:
            message = f"lost the scheduler {address!r}; finished runs are safe, the same call goes on from there"
            raise ConnectionError(message) from error


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


def _weight(task: Task) -> float:
    params = task["params"]
    if task["dataset"] in EPOCH_SECONDS:
        return EPOCH_SECONDS[task["dataset"]] * float(params["epochs"] * params["n_clauses"]) / 500
    if variants.LEARNING & task["variant"].keys():
        return REFERENCE_EPOCH_SECONDS * float(params["epochs"])
    return EXPECTED_SECONDS.get(task["model"], MACHINE_SECONDS)


def _progress(todo: Iterable[Task], hidden: bool) -> AbstractContextManager[Callable[[Task], None]]:
    if hidden:
        return nullcontext(lambda task: None)
    return _bar(list(todo)) if sys.stderr.isatty() else _lines(list(todo))


@contextmanager
def _bar(todo: list[Task]) -> Iterator[Callable[[Task], None]]:
    """A bar measured in expected seconds, so that a few slow runs do not spoil the time left."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns: list[Any] = [TextColumn("{task.fields[runs]} of {task.fields[all]} runs"), BarColumn()]
    columns += [TimeElapsedColumn(), TextColumn("elapsed,"), TimeRemainingColumn(), TextColumn("left")]
    with Progress(*columns, console=Console(stderr=True)) as bar:
        row = bar.add_task("", total=sum(map(_weight, todo)), runs=0, all=len(todo))

        def advance(task: Task) -> None:
            bar.update(row, advance=_weight(task), runs=bar.tasks[0].fields["runs"] + 1)

        yield advance


@contextmanager
def _lines(todo: list[Task]) -> Iterator[Callable[[Task], None]]:
    """A line now and then, for logs."""
    total, started = sum(map(_weight, todo)), time.monotonic()
    state = {"runs": 0, "weight": 0.0, "said": started}

    def advance(task: Task) -> None:
        state["runs"] += 1
        state["weight"] += _weight(task)
        now = time.monotonic()
        if now - state["said"] >= LOG_SECONDS or state["runs"] == len(todo):
            state["said"] = now
            left = (now - started) * (total / state["weight"] - 1)
            print(f"{state['runs']} of {len(todo)} runs, about {left:.0f} s left", file=sys.stderr, flush=True)

    yield advance
