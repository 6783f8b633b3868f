"""The coin tape: which automata toss a coin at an update of their clause, and what the coin says.

``Settings.tape`` names who counts: the clauses' clocks, or one counter for all of them, as in the authors' program.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.machine.backends.reference.counting import Draws, Mask
from adtm.machine.draws import Purpose


def tossing(d: float, clocks: NDArray[np.uint64], n: int) -> Mask:
    """In a cycle of d updates each automaton tosses once, in order, evenly spread. (clauses,) -> (clauses, n)"""
    if math.isinf(d):
        return np.zeros((len(clocks), n), np.bool_)
    place = clocks % np.uint64(d)
    first, end = ((at * np.uint64(n) // np.uint64(d)).astype(np.uint32) for at in (place, place + np.uint64(1)))
    k = np.arange(n, dtype=np.uint32)
    return (first[:, None] <= k) & (k < end[:, None])


@dataclass(frozen=True)
class TapeCounter:
    """One counter for a whole bank: where it stands before each clause, and its ticks for a pair of literals."""

    before: NDArray[np.uint64]  # (clauses,)
    ticks: int  # 2, one for each automaton of the pair; or 1, which both share

    def tossing(self, d: float, n: int) -> Mask:
        """The automata at whose tick the counter is a multiple of d. -> (clauses, n)"""
        if math.isinf(d):
            return np.zeros((len(self.before), n), np.bool_)
        width: Any = np.uint32 if d < 2**31 else np.uint64  # half of the time, where it is enough
        pair = 1 + self.ticks * np.arange(n // 2, dtype=width)
        ticks = np.concatenate([pair, pair + width(self.ticks - 1)])  # literals, then their negations
        place = (self.before % np.uint64(d)).astype(width)
        tossed: Mask = (place[:, None] + ticks) % width(d) == 0
        return tossed

    def of(self, clauses: NDArray[np.intp]) -> TapeCounter:
        """The same, for some clauses."""
        return TapeCounter(self.before[clauses], self.ticks)


def toss(
    d: float,
    clauses: NDArray[np.intp],
    clocks: NDArray[np.uint64],
    n: int,
    draws: Draws,
    *,
    counter: TapeCounter | None = None,
) -> tuple[Mask, Mask]:
    """Which automata toss, and which may move: those that do not toss, and those whose coin says yes."""
    tossed = tossing(d, clocks, n) if counter is None else counter.tossing(d, n)
    if not tossed.any():
        return tossed, ~tossed
    cycles = clocks // np.uint64(d) if counter is None else clocks  # an automaton may toss twice in d updates
    return tossed, ~tossed | draws.coins(Purpose.COIN, clauses, cycles, n)


# Each says where the counter of a step stands before the clauses that get Type I, and before those that get Type II.


def clocks_only(step: int, first: Mask, second: Mask, n: int, draws: Draws) -> tuple[None, None]:
    """Each clause has its own clock; nothing is shared."""
    del step, first, second, n, draws
    return None, None


def random_counter(step: int, first: Mask, second: Mask, n: int, draws: Draws) -> tuple[TapeCounter, TapeCounter]:
    """From a random point at each sample, clause after clause: n ticks for a Type I, n / 2 for a Type II."""
    begin = draws.of_step(Purpose.COUNTER, step, 1).astype(np.uint64)
    spent = np.where(first, n, np.where(second, n // 2, 0)).astype(np.uint64)
    before = begin + np.cumsum(spent) - spent
    return TapeCounter(before, ticks=2), TapeCounter(before, ticks=1)


RULES = {"clocks": clocks_only, "counter": random_counter}
