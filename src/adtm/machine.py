"""What a machine is: its settings, its memory, and how the memory starts. Learning itself is a backend's work."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from adtm import _core, weyl
from adtm.draws import Purpose, bits, key, rate32, subkeys
from adtm.ledger import Ledger
from adtm.patches import Patches
from adtm.spread import Pair, real_values, whole_values

__all__ = [
    "Memory",
    "Settings",
    "auto_parts",
    "auto_target",
    "start",
    "start_banks",
    "start_weights",
    "strong_steps",
    "weak_rates",
]

States = NDArray[np.uint8] | NDArray[np.uint16]


@dataclass(frozen=True)
class Settings:
    """The machine's parameters after checking; docs/spec.md explains each.

    ``d`` is a whole number or ``math.inf``. ``step`` is the strong step; it and ``s`` are one number for all clauses,
    or a pair between which they are spread (``spread``). The others name a rule where a rule has variants: ``weak``
    whether ``"every"`` automaton makes its weak move (MVF-LA), one in ``s`` in turn (``"rota"``), or each with
    probability ``1/s`` (``"bernoulli"``, standard machine); ``selection`` and ``start`` how clauses and first states
    are chosen; ``goal`` what a target asks of the vote; ``weights`` what happens to the clauses' weights; ``tape`` who
    counts the updates between two coins; ``jump`` what becomes of a strong move past 2N; ``empty`` whether an empty
    clause votes while predicting. ``tolerance`` is how many failed literals a clause survives, ``max_literals`` from
    how many included literals on it gets no strong feedback of Type I (None: from no number on). With ``patches`` a row
    is an image and a clause looks for its best patch; ``selection`` also chooses among equal ones.
    """

    n_clauses: int
    T: int
    n_states: int
    step: int | Pair
    d: float
    weak: Literal["every", "rota", "bernoulli"]
    s: float | Pair
    boost: bool
    seed: int
    selection: Literal["random", "weyl"] = "random"
    start: Literal["random", "empty"] = "random"
    goal: Literal["class", "value"] = "class"
    weights: Literal["fixed", "sided", "free"] = "fixed"
    tape: Literal["clocks", "counter"] = "clocks"
    jump: Literal["clamped", "refused"] = "clamped"
    empty: Literal["silent", "votes"] = "silent"
    tolerance: int = 0
    max_literals: int | None = None
    patches: Patches | None = None

    @property
    def one_s(self) -> float:
        """s, for those who know one for all clauses only."""
        if isinstance(self.s, tuple):
            raise ValueError(f"s must be one number here, got the spread {self.s}")
        return self.s

    @property
    def most_votes(self) -> int:
        """F: votes that a clause casts at most."""
        return self.tolerance + 1

    @property
    def state_dtype(self) -> type[Any]:
        """One byte per automaton where the 2N states fit, else two."""
        return np.uint8 if self.n_states <= 128 else np.uint16

    @property
    def largest_weight(self) -> int:
        """As far as a weight may grow, so that no vote leaves 32 bits."""
        return (2**31 - 1) // (self.n_clauses * self.most_votes)


@lru_cache(maxsize=8)
def strong_steps(settings: Settings) -> NDArray[np.uint16]:
    """The strong step of each clause; a longer one than 2N - 1 would end at the same clamp. (m,)"""
    last = 2 * settings.n_states - 1
    return _constant(np.minimum(whole_values(settings.step, settings.n_clauses), last).astype(np.uint16))


@lru_cache(maxsize=8)
def weak_rates(settings: Settings) -> NDArray[np.uint32]:
    """Weak moves per weak feedback of each clause, times 2**32; 0 where every automaton moves. (m,)"""
    m, s = settings.n_clauses, settings.s
    if settings.weak == "rota":
        return _constant(np.array([weyl.rota_rate(value) for value in whole_values(s, m)], np.uint32))
    if settings.weak == "bernoulli":
        return _constant(np.array([rate32(value) for value in real_values(s, m)], np.uint32))
    return _constant(np.zeros(m, np.uint32))


def _constant(values: NDArray[Any]) -> NDArray[Any]:
    values.flags.writeable = False  # kept for the next caller
    return values


def auto_target(n_clauses: int, most_votes: int = 1) -> int:
    """T of ``T="auto"``: √m for clauses that cast one vote, 2·√(m·F) for those that cast up to F, rounded.

    Votes of clauses that err on their own add up like the steps of a walk: that far they go without knowing anything.

    Examples
    --------
    >>> from adtm.machine import auto_target
    >>> [auto_target(n) for n in (2, 20, 100, 2000)], auto_target(100, 8)
    ([1, 4, 10, 45], 57)
    """
    return round(math.sqrt(n_clauses)) if most_votes == 1 else round(2 * math.sqrt(n_clauses * most_votes))


def auto_parts(n_clauses: int, most_votes: int, *, learned_weights: bool = False) -> int:
    """T of ``T="auto"`` for a value: m·F/4 for m clauses that cast up to F votes, 4·m·F where weights are learned.

    Of a range in more parts, tables of few bits do not reach the upper end (docs/parameters.md). Weights can reach any,
    and move in finer steps the more parts there are.

    Examples
    --------
    >>> from adtm.machine import auto_parts
    >>> auto_parts(500, 4), auto_parts(50, 4), auto_parts(50, 4, learned_weights=True)
    (500, 50, 800)
    """
    votes = n_clauses * most_votes
    return 4 * votes if learned_weights else max(1, votes // 4)


@dataclass
class Memory:
    """All that a machine, or some banks of one, has learned, and where its counters stand.

    Attributes
    ----------
    states : (banks, clauses, literals) uint8 or uint16
        State of each automaton minus one: 0 .. 2N-1; included from N on.
    updates : (banks, clauses) uint64
        The clause's clock: updates received, counted from its place on the coin tape.
    steps : (banks,) uint64
        Steps of each bank so far.
    weights : (banks, outputs, clauses) int32
        What a clause adds to each vote of its bank when it fires; its sign is the clause's polarity.
    banks : (banks,) uint64
        The number of each bank in the whole machine. Every draw is made under this number, so that some banks alone
        learn what they would learn among all.

    Examples
    --------
    >>> import numpy as np
    >>> from adtm.machine import Memory
    >>> states = np.zeros((3, 4, 6), np.uint8)
    >>> memory = Memory.whole(states, np.zeros((3, 4), np.uint64), np.zeros(3, np.uint64))
    >>> memory.weights[0]
    array([[ 1, -1,  1, -1]], dtype=int32)
    >>> memory.take([2]).banks
    array([2], dtype=uint64)
    """

    states: States
    updates: NDArray[np.uint64]
    steps: NDArray[np.uint64]
    weights: NDArray[np.int32]
    banks: NDArray[np.uint64]

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
        found = alternating_weights(n_banks, 1, n_clauses) if weights is None else weights
        return cls(states, updates, steps, found, np.arange(n_banks, dtype=np.uint64))

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


def random_start(settings: Settings, states: States, banks: NDArray[np.uint64], n_jobs: int) -> int:
    """Every automaton at N or N+1, a fair coin each (docs/spec.md, Start); returns the draws."""
    _core.random_start(states, banks, seed=settings.seed, n_states=settings.n_states, n_jobs=n_jobs)
    return int(states.size)


def empty_start(settings: Settings, states: States, banks: NDArray[np.uint64], n_jobs: int) -> int:
    """Every automaton at N, so every clause without a literal; nothing is drawn."""
    del banks, n_jobs
    states[:] = settings.n_states - 1
    return 0


_START = {"random": random_start, "empty": empty_start}


def start(
    settings: Settings, *, n_banks: int, n_literals: int, n_outputs: int = 1, n_jobs: int = 1
) -> tuple[Memory, Ledger]:
    """The memory of a machine that has seen nothing, and what it drew to get there."""
    return start_banks(settings, np.arange(n_banks), n_literals=n_literals, n_outputs=n_outputs, n_jobs=n_jobs)


def start_banks(
    settings: Settings, banks: ArrayLike, *, n_literals: int, n_outputs: int = 1, n_jobs: int = 1
) -> tuple[Memory, Ledger]:
    """As ``start``, for the banks with these numbers only."""
    numbers = np.asarray(banks, np.uint64)
    n_banks, m = len(numbers), settings.n_clauses
    states: States = np.empty((n_banks, m, n_literals), dtype=settings.state_dtype)
    drawn = _START[settings.start](settings, states, numbers, n_jobs)
    # Clauses stand at even distances on the coin tape, so that coins come at rate 1/d from the first update on.
    places = [0 if math.isinf(settings.d) else j * int(settings.d) // m for j in range(m)]
    updates = np.tile(np.array(places, np.uint64), (n_banks, 1))
    weights = start_weights(settings, n_banks, n_outputs)
    memory = Memory(states, updates, np.zeros(n_banks, np.uint64), weights, numbers)
    return memory, Ledger(start_draws=drawn)
