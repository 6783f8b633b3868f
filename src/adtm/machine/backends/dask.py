"""Banks on the workers of a Dask cluster: each worker learns some of them for a stretch of epochs, in one task.

Banks never read each other, so a worker needs the rows, y and its banks, and nothing is exchanged before the stretch is
over: it makes the steps of its banks itself. A stretch is one epoch where somebody looks at the machine after each, and
workers learn the next one meanwhile; else as many as take about a minute. Rows and y are sent once, to one worker from
which the others take them (Dask's own broadcast waits for minutes where a worker goes meanwhile); rows of a packed file
are mapped by each. The states come back after every stretch: where a worker is lost, others learn its banks again from
there, and the bits are the same. The native core does the work; connecting is left to ``adtm.cluster``.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from adtm.cluster import connect, present_client
from adtm.extras import need
from adtm.machine.backends.native import NativeBackend
from adtm.machine.backends.protocol import Rows, Voter
from adtm.machine.interrupt import stoppable
from adtm.machine.ledger import Ledger
from adtm.machine.members import Epoch
from adtm.machine.memory import Memory
from adtm.machine.schedule import Streams
from adtm.machine.settings import Settings
from adtm.tables.literals import Literals
from adtm.tables.packedfile import Contents

#: How often the banks of lost workers are sent to others before an epoch is given up.
TRIES = 5
#: Seconds of a stretch of epochs after which states come back, and results that are fetched side by side.
STRETCH, GATHERED = 60.0, 16
#: How much longer the busiest worker has to be busy, before banks are handed over from worker to worker.
WORTH_A_CUT = 1.05
#: How many steps cost as much as one in which every clause is updated (measured on tables and on digits: 80 to 400).
UPDATE = 200.0
#: How many times as long as for a scheduler a program waits for workers.
RESTART = 6
Steps: TypeAlias = Epoch | Streams
#: Some banks, and the tasks that learn them, one after the other.
Chain: TypeAlias = tuple[NDArray[np.intp], list[Any]]
#: Some banks, and who learns them for how many epochs, in turn.
Share: TypeAlias = tuple[NDArray[np.intp], list[tuple[str, int]]]
#: The tasks that have learned banks with these numbers.
Held: TypeAlias = dict[tuple[int, ...], Any]


class OnCluster:
    """Rows that the workers of a client have, or find in a file, and what their steps follow from."""

    def __init__(self, client: Any, literals: Literals) -> None:
        self.literals, self._client, self._sent = literals, client, None
        self._told: tuple[Epoch | None, Any] = (None, None)

    def __len__(self) -> int:
        return len(self.literals)

    @property
    def words_per_row(self) -> int:
        return self.literals.words_per_row

    def there(self, *, again: bool = False) -> Any:
        """What a task is given in place of the rows."""
        if self.literals.path is not None:
            return self.literals.path
        if self._sent is None or again:
            self._sent = self._client.scatter(self.literals, hash=False)
        return self._sent

    def told(self, steps: Steps, *, again: bool = False) -> Any:
        """What a task is given in place of y and the rows that count, which epochs share."""
        if isinstance(steps, Streams):
            return self._client.scatter(steps, hash=False)
        base = replace(steps, epoch=0, first=0)
        if self._told[0] != base or again:
            self._told = base, self._client.scatter(base, hash=False)
        return self._told[1]


class DaskTrainer:
    """A machine whose banks learn on a cluster; its memory is here between two stretches of epochs."""

    def __init__(self, client: Any, settings: Settings, memory: Memory, patience: float) -> None:
        self._client, self._settings, self._memory, self._patience = client, settings, memory.copy(), patience
        self._seconds = math.inf  # of an epoch
        self._work: NDArray[np.float64] | None = None  # of each bank in an epoch
        self._plan: tuple[Any, list[Share]] = (None, [])  # what it was made for, and who learns what
        self._held: Held = {}  # banks whose present states a worker has, too
        self._ahead: tuple[OnCluster, Epoch, list[Chain]] | None = None  # an epoch that workers learn already

    def train(self, placed: OnCluster, streams: Streams) -> Ledger:
        return self._learn(placed, streams, 1, self._sent(placed, streams, 1, self._all, self._held))[0]

    def learn(self, placed: OnCluster, epoch: Epoch, most: int, *, more: bool) -> list[Ledger]:
        if self._work is None:
            self._work = _work(np.repeat(epoch.shown, epoch.head.n_banks), 0.0)
        begin, n, before = time.perf_counter(), max(1, min(most, int(STRETCH / self._seconds))), self._memory
        ahead, self._ahead = self._ahead, None
        chains = ahead[2] if ahead is not None and ahead[0] is placed and ahead[1] == epoch else []
        chains = chains or self._sent(placed, epoch, n, self._all, self._held)
        if most == 1 and more:  # somebody looks at this epoch while workers learn the next one
            follows = self._sent(placed, epoch.next(), 1, self._all, _last(chains), only_held=True)
            self._ahead = placed, epoch.next(), follows
        try:
            ledgers = self._learn(placed, epoch, n, chains)
        except BaseException:
            self._ahead = None
            raise
        self._seconds = (time.perf_counter() - begin) / n
        self._work = _work(self._memory.steps - before.steps, (self._memory.updates - before.updates).mean(axis=1))
        return ledgers

    @property
    def _all(self) -> NDArray[np.intp]:
        return np.arange(len(self._memory.banks))

    def _learn(self, placed: OnCluster, steps: Steps, n: int, chains: list[Chain]) -> list[Ledger]:
        memory, ledgers, left = self._memory.copy(), [Ledger()] * n, set(self._all.tolist())
        held: Held = {}
        for attempt in range(TRIES):
            if attempt > 0:
                chains = self._sent(placed, steps, n, np.array(sorted(left)), None)
            with ThreadPoolExecutor(GATHERED) as pool, stoppable(), self._cancelled(chains):
                for (banks, futures), parts in zip(chains, pool.map(self._results, chains), strict=True):
                    if parts is None:
                        continue
                    held |= _last([(banks, futures)])
                    for each in fields(Memory):
                        getattr(memory, each.name)[banks] = getattr(parts[-1][0], each.name)
                    counts = (ledger for _, own in parts for ledger in own)
                    ledgers = [a + b for a, b in zip(ledgers, counts, strict=True)]
                    left -= set(banks.tolist())
            if not left:
                self._memory, self._held = memory, held
                return ledgers
        raise ConnectionError(f"workers were lost {TRIES} times in a row; what was learned before is kept")

    def _results(self, chain: Chain) -> list[tuple[Memory, list[Ledger]]] | None:
        """What the tasks of some banks have learned; None if a worker was lost."""
        try:
            return [future.result() for future in chain[1]]
        except self._lost:
            return None

    @contextmanager
    def _cancelled(self, chains: list[Chain]) -> Iterator[None]:
        """Nobody waits for tasks of which one has failed, or after a second Ctrl-C."""
        try:
            yield
        except BaseException:
            self._client.cancel([future for _, futures in chains for future in futures], force=True)
            raise

    def _sent(
        self,
        placed: OnCluster,
        steps: Steps,
        n: int,
        banks: NDArray[np.intp],
        held: Held | None,
        *,
        only_held: bool = False,
    ) -> list[Chain]:
        """Tasks for some banks, one after the other where a second worker takes some over.

        ``held`` are banks whose states workers have; None is another attempt, which trusts no worker to have anything.
        With ``only_held`` nothing is sent if the states of other banks would have to be.
        """
        client, threads = self._client, _workers(self._client, self._patience)
        sent: list[Chain] = []
        # Of a worker that goes meanwhile (KeyError: Dask's scheduler, while data go to it): its banks are sent again.
        with suppress(*self._lost, OSError, KeyError):
            plan = [(banks[own], parts) for own, parts in self._planned(threads, banks, n)]
            if only_held and not all(_key(own) in (held or {}) for own, _ in plan):
                return []
            rows, told = placed.there(again=held is None), placed.told(steps, again=held is None)
            memories = self._states([own for own, _ in plan], held or {})
            at = (steps.epoch, steps.first) if isinstance(steps, Epoch) else (0, 0)
            for (own, parts), memory in zip(plan, memories, strict=True):
                before, futures = 0, []
                for place, (worker, epochs) in enumerate(parts):
                    task = Task(self._settings, at, before, epochs, threads[worker], same_code())
                    where = {"workers": [worker], "allow_other_workers": True, "priority": len(parts) - 1 - 2 * place}
                    memory = client.submit(learn_banks, task, memory, rows, told, **where, pure=False)
                    before += epochs
                    futures.append(memory)
                sent.append((own, futures))
        return sent

    def _planned(self, threads: dict[str, int], banks: NDArray[np.intp], n: int) -> list[Share]:
        """Who learns what: as before, unless that takes much longer than the best."""
        work = (np.ones(len(self._memory.banks)) if self._work is None else self._work)[banks]
        best, made_for = shares(threads, work, n), (threads, banks.tolist(), n)
        if self._plan[0] != made_for or _busiest(self._plan[1], threads, work) > WORTH_A_CUT * _busiest(
            best, threads, work
        ):
            self._plan = made_for, best
        return self._plan[1]

    def _states(self, banks: list[NDArray[np.intp]], held: Held) -> list[Any]:
        """What tasks are given in place of the states of some banks each; only what no worker has is sent."""
        missing = [self._memory.take(own) for own in banks if _key(own) not in held]
        sent = iter(self._client.scatter(missing, hash=False) if missing else [])
        return [held[_key(own)] if _key(own) in held else next(sent) for own in banks]

    @property
    def _lost(self) -> tuple[type[BaseException], ...]:
        """What a task raises that was on a worker, or whose data were, when it went."""
        distributed = need("distributed", "backend='dask'", extra="dask")
        return distributed.CancelledError, distributed.KilledWorker, distributed.comm.CommClosedError

    def memory(self) -> Memory:
        return self._memory.copy()

    def finish(self) -> Memory:
        self._ahead = None
        return self._memory

    def voter(self) -> DaskVoter:
        return DaskVoter(NativeBackend().voter(self._settings, self._memory))


class DaskVoter:
    """Votes are cast here: they take less time than sending rows."""

    def __init__(self, voter: Voter) -> None:
        self._voter = voter

    def votes(self, placed: OnCluster, rows: Rows | None = None, *, n_jobs: int = 1) -> NDArray[np.int32]:
        return self._voter.votes(placed.literals, rows, n_jobs=n_jobs)


@dataclass
class DaskBackend:
    """Banks and members of committees on a cluster.

    Parameters
    ----------
    client : distributed.Client, str or None
        Or the address of a scheduler; None is the client that the program has made.
    patience : float
        Seconds to wait for a scheduler that is gone before an error; for a worker when the last one is gone, six times
        as many.

    Examples
    --------
    >>> from adtm.machine.backends.dask import DaskBackend
    >>> DaskBackend("tcp://host:8786").name
    'dask'
    """

    client: Any = None
    patience: float = 10.0
    name: ClassVar[str] = "dask"
    _known: Any = field(default=None, init=False, repr=False, compare=False)

    def _connected(self) -> Any:
        if self._known is None or self._known.status != "running":
            given = self.client
            self._known = connect(given) if isinstance(given, str) else present_client() if given is None else given
        if self._known.status != "running":
            raise ConnectionError("the client has lost its scheduler")
        return self._known

    def place(self, literals: Literals) -> OnCluster:
        return OnCluster(self._connected(), literals)

    def trainer(self, settings: Settings, memory: Memory, *, n_jobs: int = 1) -> DaskTrainer:
        del n_jobs  # a worker has its own threads
        return DaskTrainer(self._connected(), settings, memory, self.patience)

    def voter(self, settings: Settings, memory: Memory) -> DaskVoter:
        return DaskVoter(NativeBackend().voter(settings, memory))


def _work(steps: NDArray[Any], updates: NDArray[Any] | float) -> NDArray[np.float64]:
    """The work of banks by their steps and the updates of a clause, as shares of the largest."""
    cost = steps + UPDATE * updates
    return np.asarray(np.maximum(cost / max(1, cost.max()), 0.01))


def _workers(client: Any, patience: float) -> dict[str, int]:
    """The workers that are there, and the threads of each; a ConnectionError if nobody comes in so many seconds.

    Workers that start again take longer than a scheduler that answers again.
    """
    begin, gone = time.monotonic(), "scheduler"
    while client.status in ("running", "connecting"):
        with suppress(OSError):  # a TimeoutError is one
            workers = client.nthreads(callback_timeout=patience)
            if workers:
                return dict(sorted(workers.items()))
            gone = "last worker"
        if time.monotonic() - begin > patience * (RESTART if gone == "last worker" else 1):
            break
        time.sleep(0.05)
    raise ConnectionError(f"lost the {gone}; what was learned before is kept")


def _key(banks: NDArray[np.intp]) -> tuple[int, ...]:
    return tuple(banks.tolist())


def _last(chains: list[Chain]) -> Held:
    return {_key(banks): futures[-1] for banks, futures in chains}


def _busiest(plan: list[Share], threads: Mapping[str, int], work: NDArray[np.float64]) -> float:
    """How long the worker learns that has most to do."""
    load = dict.fromkeys(threads, 0.0)
    for banks, parts in plan:
        for worker, epochs in parts:
            load[worker] += epochs * float(work[banks].sum()) / threads[worker]
    return max(load.values())


def shares(threads: Mapping[str, int], work: NDArray[np.float64], n: int) -> list[Share]:
    """Which workers learn which banks for n epochs: the banks, and who learns them for how many epochs, in turn.

    Whole banks, those with the most work first, go to who is done with them first. If that leaves workers waiting, the
    banks are laid in a row that is cut into equal lengths (McNaughton's rule): the worker after a cut begins with the
    first epochs of the bank that was cut, and the worker before it ends with the others.

    >>> shares({"a": 1, "b": 1}, np.ones(3), 1)
    [(array([0, 2]), [('a', 1)]), (array([1]), [('b', 1)])]
    >>> shares({"a": 1, "b": 1}, np.ones(3), 4)
    [(array([1]), [('b', 2), ('a', 2)]), (array([0]), [('a', 4)]), (array([2]), [('b', 4)])]
    """
    load, given = dict.fromkeys(threads, 0.0), {worker: list[int]() for worker in threads}
    for bank in np.argsort(-work, kind="stable").tolist():
        after = {worker: busy + float(work[bank]) / threads[worker] for worker, busy in load.items()}
        worker = min(after, key=lambda address: (after[address], address))
        given[worker].append(bank)
        load[worker] = after[worker]
    whole: list[Share] = [(np.sort(own), [(worker, n)]) for worker, own in given.items() if own]
    cut = whole if n == 1 else _cut(threads, work, n)
    worth = _busiest(whole, threads, work) > WORTH_A_CUT * _busiest(cut, threads, work)
    return cut if worth else whole


def _cut(threads: Mapping[str, int], work: NDArray[np.float64], n: int) -> list[Share]:
    workers, even = list(threads), max(work.sum() / sum(threads.values()), work.max() / max(threads.values()))
    whole: dict[str, list[int]] = {worker: [] for worker in workers}
    cut: list[Share] = []
    place, room = 0, n * even * threads[workers[0]]
    for bank, cost in enumerate(work.tolist()):
        last = place == len(workers) - 1
        fits = n if last else min(n, max(0, round(room / cost)))  # epochs
        if fits == n:
            whole[workers[place]].append(bank)
            room -= n * cost
            continue
        worker, place = workers[place], place + 1
        room = n * even * threads[workers[place]] - (n - fits) * cost
        if fits == 0:
            whole[workers[place]].append(bank)
        else:
            cut.append((np.array([bank]), [(workers[place], n - fits), (worker, fits)]))
    # What others wait for is sent first: a worker begins with what it gets first.
    return [*cut, *((np.array(own), [(worker, n)]) for worker, own in whole.items() if own)]


# ---- on a worker -----------------------------------------------------------------------------------------------------

_MAPPED: dict[tuple[Path, int, int], Literals] = {}  # files that this process has mapped, as they were then


@dataclass(frozen=True)
class Task:
    """Some epochs of some banks."""

    settings: Settings
    at: tuple[int, int]  # epochs and samples before the stretch
    before: int  # epochs of the stretch that others have learned
    n_epochs: int
    n_threads: int
    sender: str  # what ``same_code`` says there


@lru_cache
def same_code() -> str:
    """What program and workers must have in common: the version of adtm, and a digest of the code that learns.

    Between two versions the code changes, too. The compiled core has another digest on every kind of machine, and so it
    is not part of it.
    """
    mark = hashlib.sha256()
    folder = Path(__file__).parents[1]
    for path in sorted(folder.rglob("*.py")):
        mark.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return f"{version('adtm')} ({mark.hexdigest()[:8]})"


def learn_banks(
    task: Task, learned: Memory | tuple[Memory, list[Ledger]], rows: Literals | Path, steps: Steps
) -> tuple[Memory, list[Ledger]]:
    """The memory of banks after some epochs, and what each epoch counted."""
    if same_code() != task.sender:
        raise ValueError(f"a worker must have adtm {task.sender} as the program that sends to it, got {same_code()}")
    memory = learned if isinstance(learned, Memory) else learned[0]
    trainer = NativeBackend().trainer(task.settings, memory, n_jobs=task.n_threads)
    placed, ledgers = _mapped(rows) if isinstance(rows, Path) else rows, []
    for number in range(task.before, task.before + task.n_epochs):
        if _is_cancelled():
            break
        streams, drawn = _steps(steps, task.at, number, memory.banks.astype(np.intp))
        ledgers.append(drawn + trainer.train(placed, streams))
    return trainer.finish(), ledgers


def _is_cancelled() -> bool:
    """Whether nobody waits any more for the task that this thread carries out, if it does for a worker."""
    distributed = need("distributed", "backend='dask'", extra="dask")
    try:
        worker = distributed.get_worker()
    except ValueError:
        return False
    task = worker.state.tasks.get(worker.get_current_task())
    return task is None or task.state == "cancelled"


def _steps(steps: Steps, at: tuple[int, int], number: int, banks: NDArray[np.intp]) -> tuple[Streams, Ledger]:
    if isinstance(steps, Streams):
        return steps.take(banks), Ledger()
    epoch, first = at
    return replace(steps, epoch=epoch, first=first).next(number).of_banks(banks)


def _mapped(path: Path) -> Literals:
    if not path.is_file():
        raise FileNotFoundError(f"a worker finds no packed file at {str(path)!r}: all must see it under this name")
    about = path.stat()
    key = (path, about.st_mtime_ns, about.st_size)
    if key not in _MAPPED:
        _MAPPED.clear()
        _MAPPED[key] = Contents.of(path).literals
    return _MAPPED[key]
