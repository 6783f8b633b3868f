"""The cuda backend: data, machines and voters on one card."""

from __future__ import annotations

from typing import Any, ClassVar

from adtm.machine.backends.cuda.card import card
from adtm.machine.backends.cuda.data import OnCard, placed_on
from adtm.machine.backends.cuda.trainer import CudaTrainer
from adtm.machine.backends.cuda.voter import CudaVoter, voter_of
from adtm.machine.memory import Memory
from adtm.machine.settings import Settings
from adtm.tables.literals import Literals


class CudaBackend:
    """One card; without ``on`` the one that CuPy uses."""

    name: ClassVar[str] = "cuda"

    def __init__(self, on: Any = None) -> None:
        self._card = card() if on is None else on

    def place(self, literals: Literals) -> OnCard:
        return placed_on(self._card, literals)

    def trainer(self, settings: Settings, memory: Memory, *, n_jobs: int = 1) -> CudaTrainer:
        del n_jobs  # of the CPU
        return CudaTrainer(self._card, settings, memory)

    def voter(self, settings: Settings, memory: Memory) -> CudaVoter:
        return voter_of(self._card, settings, memory)
