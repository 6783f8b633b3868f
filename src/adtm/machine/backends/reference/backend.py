"""The reference as a backend: banks learn one after the other, step by step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from adtm.machine.backends.protocol import OnHost, Rows, rows_taken
from adtm.machine.backends.reference.counting import Draws, Mask
from adtm.machine.backends.reference.outputs import Outputs, predicting_outputs
from adtm.machine.backends.reference.step import Bank, learn
from adtm.machine.backends.reference.vote import votes
from adtm.machine.faults import Faults
from adtm.machine.interrupt import stoppable
from adtm.machine.ledger import Ledger
from adtm.machine.memory import Memory
from adtm.machine.schedule import Streams
from adtm.machine.settings import Settings
from adtm.tables.literals import Literals


def _steps(streams: Streams, place: int) -> Iterator[tuple[int, int, int]]:
    """(row, output, target) of each step of a bank."""
    steps = slice(*streams.offsets[place : place + 2].tolist())
    parts = (streams.rows, streams.outputs, streams.targets)
    return zip(*(part[steps].tolist() for part in parts), strict=True)


def patch_view(settings: Settings) -> Callable[[Mask], Mask]:
    """How a machine sees a row: as the literals of its patches, or of itself. (literals,) -> (patches, n)"""
    return (lambda row: row[None]) if settings.patches is None else settings.patches.literals


class ReferenceTrainer:
    """A machine that learns by the specification."""

    def __init__(self, settings: Settings, memory: Memory, faults: Faults | None = None) -> None:
        self._settings, self._faults = settings, faults
        self._memory = memory.copy()

    def train(self, placed: Literals, streams: Streams) -> Ledger:
        samples, view = placed.unpack(), patch_view(self._settings)
        memory = self._memory.copy()  # an exception leaves the machine as after the last whole call
        counts: Counter[str] = Counter()
        with stoppable():
            for place, number in enumerate(memory.banks.tolist()):
                bank, draws = Bank.of(memory, place), Draws(self._settings.seed, number, counts)
                for row, output, target in _steps(streams, place):
                    learn(self._settings, bank, view(samples[row]), output, target, draws)
                    if self._faults is not None:
                        self._faults.impose(self._settings, memory, place)
                memory.steps[place] = bank.steps
        self._memory = memory
        return Ledger(**counts)

    def memory(self) -> Memory:
        return self._memory.copy()

    def finish(self) -> Memory:
        return self._memory

    def voter(self) -> ReferenceVoter:
        return ReferenceVoter(self._settings, self._memory)


class ReferenceVoter:
    """Votes while predicting."""

    def __init__(self, settings: Settings, memory: Memory) -> None:
        self._settings, self._view = settings, patch_view(settings)
        self._include = memory.states >= settings.n_states
        self._weights = memory.weights.copy()

    def votes(self, placed: Literals, rows: Rows | None = None, *, n_jobs: int = 1) -> NDArray[np.int32]:
        del n_jobs
        samples = [self._view(row) for row in rows_taken(placed, rows).unpack()]  # (patches, n) each
        banks = zip(self._include, self._weights, strict=True)
        return np.hstack([votes(W, self._outputs(include, samples)) for include, W in banks])

    def _outputs(self, include: Mask, samples: list[Mask]) -> Outputs:
        """What each clause says to its best patch of every sample. (samples, m)"""
        n_patches = len(samples[0]) if samples else 1
        every = np.vstack(samples) if samples else np.empty((0, include.shape[1]), np.bool_)
        said = predicting_outputs(include, every, self._settings.most_votes, empty=self._settings.empty)
        best: Outputs = said.reshape(len(samples), n_patches, len(include)).max(axis=1)
        return best


@dataclass(frozen=True)
class ReferenceBackend(OnHost):
    """The executable specification as a backend."""

    name: ClassVar[str] = "reference"

    def trainer(self, settings: Settings, memory: Memory, *, n_jobs: int = 1) -> ReferenceTrainer:
        del n_jobs  # the reference knows no threads
        return ReferenceTrainer(settings, memory)

    def voter(self, settings: Settings, memory: Memory) -> ReferenceVoter:
        return ReferenceVoter(settings, memory)
