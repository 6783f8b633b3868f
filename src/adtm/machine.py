"""What a machine is: its settings, its memory, and how the memory starts. Learning itself is a backend's work."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from adtm.draws import Purpose, bits, key
from adtm.ledger import Ledger

__all__ = ["Memory", "Settings", "start"]

States = NDArray[np.uint8] | NDArray[np.uint16]


@dataclass(frozen=True)
class Settings:
    """The machine's parameters after checking; docs/spec.md explains each.

    ``d`` is a whole number or ``math.inf``. ``step`` is the strong step. ``weak`` names the rule of weak feedback:
    ``"every"`` automaton steps (MVF-LA), one in ``s`` in turn (``"rota"``), or each with probability ``1/s``
    (``"bernoulli"``, standard machine). ``selection`` and ``start`` name the rules for clauses and first states.
    """

    n_clauses: int
    T: int
    n_states: int
    step: int
    d: float
    weak: Literal["every", "rota", "bernoulli"]
    s: float
    boost: bool
    seed: int
    selection: Literal["random", "weyl"] = "random"
    start: Literal["random", "empty"] = "random"

    @property
    def state_dtype(self) -> type[Any]:
        """One byte per automaton where the 2N states fit, else two."""
        return np.uint8 if self.n_states <= 128 else np.uint16


@dataclass
class Memory:
    """All that a machine has learned, and where its counters stand.

    Attributes
    ----------
    states : (banks, clauses, literals) uint8 or uint16
        State of each automaton minus one: 0 .. 2N-1; included from N on.
    updates : (banks, clauses) uint64
        The clause's clock: updates received, counted from its place on the coin tape.
    steps : (banks,) uint64
        Steps of each bank so far.
    """

    states: States
    updates: NDArray[np.uint64]
    steps: NDArray[np.uint64]

    def copy(self) -> Memory:
        return Memory(self.states.copy(), self.updates.copy(), self.steps.copy())


def random_start(settings: Settings, states: States) -> int:
    """Every automaton at N or N+1, a fair coin each; returns the draws."""
    n_banks, n_clauses, n_literals = states.shape
    for bank in range(n_banks):
        for clause in range(n_clauses):
            coins = bits(key(settings.seed, Purpose.START, bank, clause), n_literals)
            states[bank, clause] = settings.n_states - 1 + coins
    return int(states.size)


def empty_start(settings: Settings, states: States) -> int:
    """Every automaton at N, so every clause without a literal; nothing is drawn."""
    states[:] = settings.n_states - 1
    return 0


_START = {"random": random_start, "empty": empty_start}


def start(settings: Settings, *, n_banks: int, n_literals: int) -> tuple[Memory, Ledger]:
    """The memory of a machine that has seen nothing, and what it drew to get there."""
    m = settings.n_clauses
    states: States = np.empty((n_banks, m, n_literals), dtype=settings.state_dtype)
    draws = _START[settings.start](settings, states)
    # Clauses stand at even distances on the coin tape, so that coins come at rate 1/d from the first update on.
    places = [0 if math.isinf(settings.d) else j * int(settings.d) // m for j in range(m)]
    clock = np.array(places, np.uint64)
    memory = Memory(states, np.tile(clock, (n_banks, 1)), np.zeros(n_banks, np.uint64))
    return memory, Ledger(start_draws=draws)
