"""The coin tape: which automata toss a coin at an update of their clause, and what the coin says."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from adtm.backends.reference.counting import Draws, Mask
from adtm.draws import Purpose

__all__ = ["toss", "tossing"]


def tossing(d: float, clocks: NDArray[np.uint64], n: int) -> Mask:
    """In a cycle of d updates each automaton tosses once, in order, evenly spread. (clauses,) -> (clauses, n)"""
    if math.isinf(d):
        return np.zeros((len(clocks), n), np.bool_)
    place = clocks % np.uint64(d)
    first, end = ((at * np.uint64(n) // np.uint64(d)).astype(np.uint32) for at in (place, place + np.uint64(1)))
    k = np.arange(n, dtype=np.uint32)
    return (first[:, None] <= k) & (k < end[:, None])


def toss(d: float, clauses: NDArray[np.intp], clocks: NDArray[np.uint64], n: int, draws: Draws) -> tuple[Mask, Mask]:
    """Which automata toss, and which may move: those that do not toss, and those whose coin says yes."""
    tossed = tossing(d, clocks, n)
    if not tossed.any():
        return tossed, ~tossed
    return tossed, ~tossed | draws.coins(Purpose.COIN, clauses, clocks // np.uint64(d), n)
