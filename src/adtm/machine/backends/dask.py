"""Banks on the workers of a Dask cluster: each worker learns some of them for an epoch, in one task.

Banks never read each other, so a worker needs the rows, its banks and their steps, and nothing is exchanged before the
epoch is over. Rows are sent to every worker once, or mapped by each from a packed file that it can read. The states
come back after every epoch: where a worker is lost, others learn its banks again from there, and the bits are the same.
The native core does the work; connecting is left to ``adtm.cluster``.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from adtm.cluster import connect, present_client
from adtm.extras import need
from adtm.machine.backends.native import NativeBackend
from adtm.machine.backends.protocol import Rows, Voter
from adtm.machine.ledger import Ledger
from adtm.machine.memory import Memory
from adtm.machine.schedule import Streams
from adtm.machine.settings import Settings
from adtm.tables.literals import Literals
from adtm.tables.packedfile import Contents

#: How often the banks of lost workers are sent to others before an epoch is given up.
TRIES = 5


class OnCluster:
    """Rows that the workers of a client have, or find in a file."""

    def __init__(self, client: Any, literals: Literals) -> None:
        self.literals, self._client, self._sent = literals, client, None

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
            self._sent = self._client.scatter(self.literals, broadcast=True, hash=False)
        return self._sent


class DaskTrainer:
    """A machine whose banks learn on a cluster; its memory is here between two epochs."""

    def __init__(self, client: Any, settings: Settings, memory: Memory) -> None:
        self._client, self._settings, self._memory = client, settings, memory.copy()

    def train(self, placed: OnCluster, streams: Streams) -> Ledger:
        memory, ledger, left = self._memory.copy(), Ledger(), set(range(len(self._memory.banks)))
        for attempt in range(TRIES):
            for banks, future in self._sent(placed, streams, np.array(sorted(left)), again=attempt > 0):
                try:
                    part, counts = future.result()
                except self._lost:
                    continue
                for each in fields(Memory):
                    getattr(memory, each.name)[banks] = getattr(part, each.name)
                ledger += counts
                left -= set(banks.tolist())
            if not left:
                self._memory = memory
                return ledger
        raise ConnectionError(f"workers were lost {TRIES} times in one epoch; what was learned before is kept")

    def _sent(
        self, placed: OnCluster, streams: Streams, left: NDArray[np.intp], *, again: bool
    ) -> list[tuple[NDArray[np.intp], Any]]:
        """Tasks for the banks that are left, each with its banks: one for each worker."""
        client, tasks = self._client, []
        if client.status != "running":
            raise ConnectionError("lost the scheduler; what was learned before is kept")
        with suppress(*self._lost, OSError):  # of a worker that goes meanwhile: its banks are sent again
            rows = placed.there(again=again)
            for worker, n_threads, own in _shares(client, np.diff(streams.offsets)[left]):
                banks = left[own]
                parts = (self._memory.take(banks), streams.take(banks))
                sent = client.scatter([parts], workers=[worker], hash=False)[0]
                told = (self._settings, sent, rows, n_threads, version("adtm"))
                where = {"workers": [worker], "allow_other_workers": True}
                tasks.append((banks, client.submit(learn_banks, *told, **where, pure=False)))
        return tasks

    @property
    def _lost(self) -> tuple[type[BaseException], ...]:
        """What a task raises that was on a worker, or whose data were, when it went."""
        distributed = need("distributed", "backend='dask'", extra="dask")
        return distributed.CancelledError, distributed.KilledWorker, distributed.comm.CommClosedError

    def memory(self) -> Memory:
        return self._memory.copy()

    def finish(self) -> Memory:
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

    Examples
    --------
    >>> from adtm.machine.backends.dask import DaskBackend
    >>> DaskBackend("tcp://host:8786").name
    'dask'
    """

    client: Any = None
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
        return DaskTrainer(self._connected(), settings, memory)

    def voter(self, settings: Settings, memory: Memory) -> DaskVoter:
        return DaskVoter(NativeBackend().voter(settings, memory))


def _shares(client: Any, steps: NDArray[np.uint64]) -> list[tuple[str, int, NDArray[np.intp]]]:
    """Which worker learns which banks, and by how many threads: those with the most steps first, to who has least."""
    workers = client.scheduler_info(n_workers=-1)["workers"]
    if not workers:
        client.wait_for_workers(1, timeout=60)
        workers = client.scheduler_info(n_workers=-1)["workers"]
    threads = {address: int(about["nthreads"]) for address, about in sorted(workers.items())}
    given: dict[str, list[int]] = {address: [] for address in threads}
    load = dict.fromkeys(threads, 0.0)
    for bank in np.argsort(-steps.astype(np.int64), kind="stable").tolist():
        worker = min(load, key=lambda address: (load[address], address))
        given[worker].append(bank)
        load[worker] += (1 + float(steps[bank])) / threads[worker]
    return [(worker, threads[worker], np.sort(np.array(own))) for worker, own in given.items() if own]


# ---- on a worker -----------------------------------------------------------------------------------------------------

_MAPPED: dict[tuple[Path, int, int], Literals] = {}  # files that this process has mapped, as they were then


def learn_banks(
    settings: Settings, parts: tuple[Memory, Streams], rows: Literals | Path, n_threads: int, sender: str
) -> tuple[Memory, Ledger]:
    """One epoch of some banks."""
    if version("adtm") != sender:
        raise ValueError(f"a worker must have adtm {sender} as the program that sends to it, got {version('adtm')}")
    memory, streams = parts
    trainer = NativeBackend().trainer(settings, memory, n_jobs=n_threads)
    ledger = trainer.train(_mapped(rows) if isinstance(rows, Path) else rows, streams)
    return trainer.finish(), ledger


def _mapped(path: Path) -> Literals:
    if not path.is_file():
        raise FileNotFoundError(f"a worker finds no packed file at {str(path)!r}: all must see it under this name")
    about = path.stat()
    key = (path, about.st_mtime_ns, about.st_size)
    if key not in _MAPPED:
        _MAPPED.clear()
        _MAPPED[key] = Contents.of(path).literals
    return _MAPPED[key]
