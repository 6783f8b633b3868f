"""The native backend: hands arrays to the C++ core (adtm._core), which computes the same bits as the reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from adtm import _core
from adtm.machine import weyl
from adtm.machine.backends.protocol import OnHost, Rows, rows_taken
from adtm.machine.faults import Faults
from adtm.machine.ledger import Ledger
from adtm.machine.memory import Memory
from adtm.machine.schedule import Streams
from adtm.machine.settings import Settings, state_bits, strong_steps, weak_rates
from adtm.tables.literals import Literals


def _patch_sizes(settings: Settings) -> NDArray[np.uint32]:
    """The patches as the core reads them: seven sizes, or none."""
    patches = settings.patches
    return np.array([] if patches is None else [*patches.image, *patches.size, *patches.stride], np.uint32)


class NativeVoter:
    def __init__(self, core: _core.Voter) -> None:
        self._core = core

    def votes(self, placed: Literals, rows: Rows | None = None, *, n_jobs: int = 1) -> NDArray[np.int32]:
        return self._core.votes(rows_taken(placed, rows).words, n_jobs)


class NativeTrainer:
    """A machine in native memory. The states' type decides the width of an automaton: one byte or two."""

    def __init__(
        self, settings: Settings, memory: Memory, *, n_jobs: int = 1, cpu: str = "", faults: Faults | None = None
    ) -> None:
        self._n_jobs = n_jobs
        self._shape = memory.weights.shape[:2] + memory.states.shape[1:]
        self._dtype = memory.states.dtype
        self._banks = memory.banks.copy()
        self._stuck: tuple[NDArray[Any], NDArray[Any], NDArray[np.uint8], int] | None = None
        if faults is not None:
            kept, ones = (part.astype(self._dtype) for part in faults.registers(settings))
            self._stuck = (kept, ones, faults.silent.view(np.uint8), state_bits(settings.n_states))
        self._core = _core.Machine(
            np.ascontiguousarray(memory.states),
            np.ascontiguousarray(memory.updates),
            np.ascontiguousarray(memory.steps),
            np.ascontiguousarray(memory.weights),
            np.ascontiguousarray(memory.banks),
            settings=settings,
            strong_steps=strong_steps(settings),
            weak_rates=weak_rates(settings),
            phases=weyl.phases(*memory.states.shape[1:]) if settings.weak == "rota" else np.empty(0, np.uint32),
            patches=_patch_sizes(settings),
            n_jobs=n_jobs,
            cpu=cpu,
        )

    def train(self, placed: Literals, streams: Streams) -> Ledger:
        steps = (streams.rows, streams.outputs, streams.targets, streams.offsets)
        if self._stuck is not None:
            core: Any = self._core  # masks of either type of states
            return Ledger(**core.train_stuck(placed.words, *steps, *self._stuck))
        return Ledger(**self._core.train(placed.words, *steps, self._n_jobs))

    def memory(self) -> Memory:
        n_banks, n_outputs, n_clauses, n_literals = self._shape
        memory = Memory(
            np.empty((n_banks, n_clauses, n_literals), self._dtype),
            np.empty((n_banks, n_clauses), np.uint64),
            np.empty(n_banks, np.uint64),
            np.empty((n_banks, n_outputs, n_clauses), np.int32),
            self._banks.copy(),
        )
        self._core.dump(memory.states, memory.updates, memory.steps, memory.weights, self._n_jobs)
        return memory

    def finish(self) -> Memory:
        self._core.finish()
        return self.memory()

    def voter(self) -> NativeVoter:
        return NativeVoter(self._core.voter(self._n_jobs))


@dataclass(frozen=True)
class NativeBackend(OnHost):
    """The C++ core; ``cpu`` names an instruction set (else ADTM_CPU does, else the fastest is used)."""

    cpu: str = ""
    name: ClassVar[str] = "native"

    def trainer(self, settings: Settings, memory: Memory, *, n_jobs: int = 1) -> NativeTrainer:
        return NativeTrainer(settings, memory, n_jobs=n_jobs, cpu=self.cpu)

    def voter(self, settings: Settings, memory: Memory) -> NativeVoter:
        return NativeVoter(
            _core.voter(
                np.ascontiguousarray(memory.states),
                np.ascontiguousarray(memory.weights),
                settings,
                _patch_sizes(settings),
                cpu=self.cpu,
            )
        )
