"""The memory of a machine, and how it starts. Learning itself is a backend's work."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from adtm import _core
from adtm.machine.draws import Purpose, bits, key, subkeys
from adtm.machine.ledger import Ledger
from adtm.machine.settings import Settings

States = NDArray[np.uint8] | NDArray[np.uint16]


@dataclass
class Memory:
    """All that a machine, or some banks of one, has learned, and where its counters stand.

    Every draw is made under the number of a bank in the whole machine, so that some banks alone learn what they would
    learn among all.

    >>> states = np.zeros((3, 4, 6), np.uint8)
    >>> memory = Memory.whole(states, np.zeros((3, 4), np.uint64), np.zeros(3, np.uint64))
    >>> memory.weights[0]
    array([[ 1, -1,  1, -1]], dtype=int32)
    >>> memory.take([2]).banks
    array([2], dtype=uint64)
    """

    states: States  # (banks, clauses, literals): of each automaton, minus one: 0 .. 2N-1; included from N on
    updates: NDArray[np.uint64]  # (banks, clauses): received by a clause, counted from its place on the coin tape
    steps: NDArray[np.uint64]  # (banks,): so far
    weights: NDArray[np.int32]  # (banks, outputs, clauses): added to a vote by a clause that fires; its polarity
    banks: NDArray[np.uint64]  # (banks,): numbers in the whole machine

    @classmethod
    def whole(
        cls,
        states: States,
        updates: NDArray[np.uint64],
        steps: NDArray[np.uint64],
        weights: NDArray[np.int32] | None = None,
    ) -> Memory:
        """The memory of a whole machine; its weights are +1, -1, ... unless others are given."""
        n_banks, n_clauses, _ = states.shape
        signs = alternating_weights(n_banks, 1, n_clauses) if weights is None else weights
        return cls(states, updates, steps, signs, np.arange(n_banks, dtype=np.uint64))

    @property
    def shape(self) -> tuple[int, int, int]:
        """Banks, clauses, literals."""
        n_banks, n_clauses, n_literals = self.states.shape
        return n_banks, n_clauses, n_literals

    def take(self, banks: ArrayLike) -> Memory:
        """A copy of the banks at these places, which keep their numbers."""
        places = np.asarray(banks, np.intp)
        return Memory(*(getattr(self, field.name)[places] for field in fields(self)))

    def copy(self) -> Memory:
        return Memory(*(getattr(self, field.name).copy() for field in fields(self)))


def alternating_weights(n_banks: int, n_outputs: int, n_clauses: int) -> NDArray[np.int32]:
    """+1, -1, +1, ...: half of the clauses vote for, half against."""
    weights = np.ones((n_banks, n_outputs, n_clauses), np.int32)
    weights[:, :, 1::2] = -1
    return weights


def positive_weights(n_banks: int, n_outputs: int, n_clauses: int) -> NDArray[np.int32]:
    """+1 for every clause: a value is a sum."""
    return np.ones((n_banks, n_outputs, n_clauses), np.int32)


def mixed_weights(n_banks: int, n_outputs: int, n_clauses: int) -> NDArray[np.int32]:
    """+1 or -1 by a constant coin for each clause and output; none has one sign in all outputs (if there are two)."""
    clauses = np.arange(n_clauses)
    plus = bits(subkeys(key(0, Purpose.WEIGHT), clauses.astype(np.uint64)), n_outputs)
    uniform = plus.all(axis=1) | ~plus.any(axis=1)
    plus[clauses, clauses % n_outputs] ^= uniform & (n_outputs > 1)
    return np.tile(np.where(plus, 1, -1).astype(np.int32).T, (n_banks, 1, 1))


def start_weights(settings: Settings, n_banks: int, n_outputs: int) -> NDArray[np.int32]:
    """The weights that the clauses of a machine start with: (banks, outputs, clauses)."""
    shape = (n_banks, n_outputs, settings.n_clauses)
    if settings.goal == "value":
        return positive_weights(*shape)
    return mixed_weights(*shape) if settings.weights == "free" else alternating_weights(*shape)


def random_start(settings: Settings, states: States, banks: NDArray[np.uint64], n_jobs: int) -> None:
    """Every automaton at N or N+1, a fair coin each (docs/spec.md, Start)."""
    _core.random_start(states, banks, seed=settings.seed, n_states=settings.n_states, n_jobs=n_jobs)


def empty_start(settings: Settings, states: States, banks: NDArray[np.uint64], n_jobs: int) -> None:
    """Every automaton at N, so every clause without a literal; nothing is drawn."""
    del banks, n_jobs
    states[:] = settings.n_states - 1


_START = {"random": random_start, "empty": empty_start}


class Start(Memory):
    """The memory of a machine that has seen nothing; its states are made when they are first asked for.

    >>> settings = Settings(2, 1, 100, 1, math.inf, "every", 3, True, 0, start="empty")
    >>> memory, _ = start(settings, n_banks=1, n_literals=4)
    >>> memory.shape, memory.is_made
    ((1, 2, 4), False)
    >>> memory.states.tolist(), memory.is_made
    ([[[99, 99, 99, 99], [99, 99, 99, 99]]], True)
    """

    _settings: Settings
    _n_literals: int
    _n_jobs: int

    @classmethod
    def of(
        cls, settings: Settings, banks: NDArray[np.uint64], *, n_literals: int, n_outputs: int, n_jobs: int
    ) -> Start:
        """A start without states. The constructor is that of ``Memory``, so a changed copy has states."""
        new, n_banks, m = cls.__new__(cls), len(banks), settings.n_clauses
        # Clauses stand at even distances on the coin tape, so that coins come at rate 1/d from the first update on.
        places = [0 if math.isinf(settings.d) else j * int(settings.d) // m for j in range(m)]
        new.updates = np.tile(np.array(places, np.uint64), (n_banks, 1))
        new.steps = np.zeros(n_banks, np.uint64)
        new.weights = start_weights(settings, n_banks, n_outputs)
        new.banks = banks
        new._settings, new._n_literals, new._n_jobs = settings, n_literals, n_jobs
        return new

    @property
    def shape(self) -> tuple[int, int, int]:
        return super().shape if self.is_made else (len(self.banks), self._settings.n_clauses, self._n_literals)

    @property
    def is_made(self) -> bool:
        """Whether the states have been asked for, and so may have changed."""
        return "states" in vars(self)

    def __getattr__(self, name: str) -> States:
        if name != "states":
            raise AttributeError(name)
        states: States = np.empty(self.shape, dtype=self._settings.state_dtype)
        _START[self._settings.start](self._settings, states, self.banks, self._n_jobs)
        self.states = states
        return states


def start(
    settings: Settings, *, n_banks: int, n_literals: int, n_outputs: int = 1, n_jobs: int = 1
) -> tuple[Start, Ledger]:
    """The memory of a machine that has seen nothing, and what it drew to get there."""
    return start_banks(settings, np.arange(n_banks), n_literals=n_literals, n_outputs=n_outputs, n_jobs=n_jobs)


def start_banks(
    settings: Settings, banks: ArrayLike, *, n_literals: int, n_outputs: int = 1, n_jobs: int = 1
) -> tuple[Start, Ledger]:
    """As ``start``, for the banks with these numbers only."""
    numbers = np.asarray(banks, np.uint64)
    memory = Start.of(settings, numbers, n_literals=n_literals, n_outputs=n_outputs, n_jobs=n_jobs)
    return memory, Ledger(start_draws=math.prod(memory.shape) if settings.start == "random" else 0)
