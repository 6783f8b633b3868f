"""Backends: who does the learning and the voting. All of them give the same bits; ``reference`` defines which."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from adtm.machine.ledger import Ledger
from adtm.machine.memory import Memory
from adtm.machine.schedule import Streams
from adtm.machine.settings import Settings
from adtm.tables.literals import Literals

__all__ = ["BACKENDS", "Backend", "Trainer", "Voter", "get_backend"]

BACKENDS = ("auto", "native", "reference")


class Voter(Protocol):
    """A model made ready for voting."""

    def votes(self, literals: Literals, *, n_jobs: int = 1) -> NDArray[np.int32]:
        """Votes (samples, banks x outputs), the outputs of a bank side by side."""


class Trainer(Protocol):
    """A machine that is learning."""

    def train(self, literals: Literals, streams: Streams) -> Ledger:
        """Learn from each bank's stream; returns what was counted."""

    def memory(self) -> Memory:
        """A copy of the memory as it is now."""

    def finish(self) -> Memory:
        """The memory as it is now, at the end: nothing more is learned, and what only learning needs goes first."""

    def voter(self) -> Voter:
        """The present state made ready for voting."""


@runtime_checkable
class Backend(Protocol):
    """One way to run the machine."""

    def trainer(self, settings: Settings, memory: Memory, *, n_jobs: int = 1) -> Trainer:
        """A machine that goes on learning from ``memory`` (which is copied), on so many threads."""

    def voter(self, settings: Settings, memory: Memory) -> Voter:
        """A voter of that memory."""


def get_backend(name: str | Backend) -> Backend:
    """The backend of that name, ``"auto"`` being the native one; a backend itself is taken as it is."""
    if not isinstance(name, str) and isinstance(name, Backend):
        return name
    if name in ("auto", "native"):
        from adtm.machine.backends.native import NativeBackend

        return NativeBackend()
    if name == "reference":
        from adtm.machine.backends.reference import ReferenceBackend

        return ReferenceBackend()
    raise ValueError(f"backend must be one of {', '.join(map(repr, BACKENDS))}, got {name!r}")
