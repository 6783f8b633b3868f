"""The cuda backend: data, machines and voters on one card."""

from __future__ import annotations

from typing import Any, ClassVar

from adtm.machine.ahead import Recent
from adtm.machine.backends.cuda.card import card
from adtm.machine.backends.cuda.data import InPieces, OnCard, placed_on
from adtm.machine.backends.cuda.steps import Steps
from adtm.machine.backends.cuda.trainer import CudaTrainer
from adtm.machine.backends.cuda.voter import CudaVoter, voter_of
from adtm.machine.ledger import Ledger
from adtm.machine.members import Epoch
from adtm.machine.memory import Memory
from adtm.machine.settings import Settings
from adtm.tables.literals import Literals


class CudaBackend:
    """One card, by default the one that CuPy uses, for so many ``machines`` that learn at the same time."""

    name: ClassVar[str] = "cuda"

    def __init__(self, on: Any = None, *, machines: int = 1) -> None:
        self._card: Any = card() if on is None else on
        self._machines = machines
        self._steps: Recent[Epoch, tuple[Steps, Ledger]] = Recent(kept=2)  # which machines may share

    def place(self, literals: Literals) -> OnCard | InPieces:
        return placed_on(self._card, literals)

    def trainer(self, settings: Settings, memory: Memory, *, n_jobs: int = 1) -> CudaTrainer:
        del n_jobs  # of the CPU
        return CudaTrainer(self._card, settings, memory, steps=self._steps, machines=self._machines)

    def voter(self, settings: Settings, memory: Memory) -> CudaVoter:
        return voter_of(self._card, settings, memory)

    def shared_out(self, most: int | None = None) -> tuple[CudaBackend, int]:
        """A backend for so many machines that learn at the same time, each in a thread of its own."""
        machines = max(1, self._card.n_processors // 5)
        machines = machines if most is None else max(1, min(machines, most))
        return CudaBackend(self._card, machines=machines), machines
