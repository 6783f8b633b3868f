"""What every backend offers: places for data, machines that learn, voters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from adtm.machine.ledger import Ledger
from adtm.machine.memory import Memory
from adtm.machine.schedule import Streams
from adtm.machine.settings import Settings
from adtm.tables.literals import Literals

Rows: TypeAlias = NDArray[np.intp] | slice


class Placed(Protocol):
    """Literals where a backend wants them; only that backend knows what else they are."""

    def __len__(self) -> int:
        """Samples."""

    @property
    def words_per_row(self) -> int:
        """64-bit words of a sample."""


class Voter(Protocol):
    """A model made ready for voting."""

    def votes(self, placed: Any, rows: Rows | None = None, *, n_jobs: int = 1) -> NDArray[np.int32]:
        """Votes (samples, banks x outputs) on all samples or these rows, the outputs of a bank side by side."""


class Trainer(Protocol):
    """A machine that is learning."""

    def train(self, placed: Any, streams: Streams) -> Ledger:
        """Learn from each bank's stream; returns what was counted."""

    def memory(self) -> Memory:
        """A copy of the memory as it is now."""

    def finish(self) -> Memory:
        """The memory as it is now, at the end: nothing more is learned, and what only learning needs goes first."""

    def voter(self) -> Voter:
        """The present state made ready for voting."""


@runtime_checkable
class BesideTrainer(Trainer, Protocol):
    """A machine that learns beside the CPU, which makes the next steps meanwhile."""

    def steps(self, epoch: Any) -> tuple[Any, Ledger]:
        """The steps of an ``Epoch`` (``members``) where this machine reads them, and the draws they took."""

    def begin(self, placed: Any, steps: Any) -> Callable[[], Ledger]:
        """Begin to learn from such steps; what is returned waits for the end and says what was counted."""


@runtime_checkable
class FarTrainer(Trainer, Protocol):
    """A machine so far away that it makes its steps there, and learns several epochs at a time."""

    def learn(self, placed: Any, epoch: Any, most: int, *, more: bool) -> list[Ledger]:
        """Learn an ``Epoch`` (``members``) and those after it, at most so many; returns what each has counted.

        With ``more``, the next one will most likely be asked for after these.
        """


@runtime_checkable
class Backend(Protocol):
    """One way to run the machine."""

    @property
    def name(self) -> str:
        """What records and messages call it."""

    def place(self, literals: Literals) -> Placed:
        """Take a data set in, once; it stays there as long as what is returned is held."""

    def trainer(self, settings: Settings, memory: Memory, *, n_jobs: int = 1) -> Trainer:
        """A machine that goes on learning from ``memory`` (which is copied), on so many threads."""

    def voter(self, settings: Settings, memory: Memory) -> Voter:
        """A voter of that memory."""


class OnHost:
    """A backend that reads literals where they are."""

    def place(self, literals: Literals) -> Literals:
        return literals


def rows_taken(literals: Literals, rows: Rows | None) -> Literals:
    """All literals or these rows of them."""
    return literals if rows is None else literals.take(rows)
