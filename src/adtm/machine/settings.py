"""The settings of a machine, and what follows from them alone: steps, rates and T of each clause."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from adtm.machine import weyl
from adtm.machine.draws import rate32
from adtm.machine.spread import Pair, real_values, whole_values
from adtm.tables.patches import Patches

# core/make_headers.py makes the core's struct from the annotations of Settings. So each field is a number of one of
# these types, a bool, or a Literal (a rule with its variants in core/rules.hpp), unless it says that it stays outside.
I32 = Annotated[int, "int32_t"]
U32 = Annotated[int, "uint32_t"]  # U32 | None: the core has the largest number for None
U64 = Annotated[int, "uint64_t"]
U64OrInf = Annotated[float, "uint64_t"]  # the core has 0 for infinity
_Value = TypeVar("_Value")
OutsideCore = Annotated[_Value, "read by Python alone, or given to the core as an array"]


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
    is an image and a clause looks for its best patch; ``selection`` also chooses among equal ones. ``n_members``
    machines of these settings vote together (``members``).
    """

    n_clauses: U32
    T: U32
    n_states: U32
    step: OutsideCore[int | Pair]
    d: U64OrInf
    weak: Literal["every", "rota", "bernoulli"]
    s: OutsideCore[float | Pair]
    boost: bool
    seed: U64
    selection: Literal["random", "weyl"] = "random"
    start: OutsideCore[Literal["random", "empty"]] = "random"
    goal: Literal["class", "value"] = "class"
    weights: Literal["fixed", "sided", "free"] = "fixed"
    tape: Literal["clocks", "counter"] = "clocks"
    jump: Literal["clamped", "refused"] = "clamped"
    empty: Literal["silent", "votes"] = "silent"
    tolerance: OutsideCore[int] = 0
    max_literals: U32 | None = None
    patches: OutsideCore[Patches | None] = None
    n_members: OutsideCore[int] = 1

    @property
    def one_s(self) -> float:
        """s, for those who know one for all clauses only."""
        if isinstance(self.s, tuple):
            raise ValueError(f"s must be one number here, got the spread {self.s}")
        return self.s

    @property
    def most_votes(self) -> U32:
        """F: votes that a clause casts at most."""
        return self.tolerance + 1

    @property
    def state_dtype(self) -> type[Any]:
        """One byte per automaton where the 2N states fit, else two."""
        return np.uint8 if self.n_states <= 128 else np.uint16

    @property
    def largest_weight(self) -> I32:
        """As far as a weight may grow, so that no vote leaves 32 bits."""
        return (2**31 - 1) // (self.n_members * self.n_clauses * self.most_votes)

    @property
    def vote_target(self) -> int:
        """The vote target of all members together."""
        return self.n_members * self.T


def draws_nothing(settings: Settings) -> bool:
    """Whether the same steps lead to the same machine with every seed."""
    drawn = {"random", "bernoulli"} & {settings.start, settings.selection, settings.weak}
    return math.isinf(settings.d) and not drawn


def state_bits(n_states: int) -> int:
    """Bits of an automaton's state; the topmost says whether its literal is included.

    >>> state_bits(1), state_bits(16), state_bits(100)
    (2, 5, 8)
    """
    return 1 + max(1, (n_states - 1).bit_length())


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

    >>> [auto_target(n) for n in (2, 20, 100, 2000)], auto_target(100, 8)
    ([1, 4, 10, 45], 57)
    """
    return round(math.sqrt(n_clauses)) if most_votes == 1 else round(2 * math.sqrt(n_clauses * most_votes))


def auto_parts(n_clauses: int, most_votes: int, *, learned_weights: bool = False) -> int:
    """T of ``T="auto"`` for a value: m·F/4 for m clauses that cast up to F votes, 4·m·F where weights are learned.

    Of a range in more parts, tables of few bits do not reach the upper end (docs/parameters.md). Weights can reach any,
    and move in finer steps the more parts there are.

    >>> auto_parts(500, 4), auto_parts(50, 4), auto_parts(50, 4, learned_weights=True)
    (500, 50, 800)
    """
    votes = n_clauses * most_votes
    return 4 * votes if learned_weights else max(1, votes // 4)
