"""The reference backend: the executable specification (docs/spec.md), one method per rule.

Readable before all: whole clauses as NumPy rows, one step after the other, nothing deferred. Every other backend must
give the same states, counters and ledger, bit for bit. A rule that has variants is one method that looks up one
function, so a new variant is one more function.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adtm import weyl
from adtm.draws import Purpose, bits, key, rate32, words
from adtm.ledger import Ledger
from adtm.literals import Literals
from adtm.machine import Memory, Settings
from adtm.schedule import Streams

__all__ = ["ReferenceBackend", "ReferenceTrainer", "ReferenceVoter"]

Mask = NDArray[np.bool_]


def fires(include: Mask, literals: Mask) -> Mask:
    """Clause outputs while learning: the AND of the included literals; an empty clause gives 1. (m, n), (n,) -> (m,)"""
    missed: Mask = np.any(include & ~literals, axis=1)
    return ~missed


def vote(outputs: Mask) -> int:
    """Positive clauses (even index) minus negative clauses (odd index)."""
    return int(outputs[0::2].sum()) - int(outputs[1::2].sum())


class ReferenceTrainer:
    """Learns one step of one bank at a time; the methods below ``step`` are the rules of the specification."""

    def __init__(self, settings: Settings, memory: Memory) -> None:
        self.settings = settings
        self._memory = memory.copy()
        self.counts: Counter[str] = Counter()

    def train(self, literals: Literals, streams: Streams) -> Ledger:
        samples = literals.unpack()
        before = self._memory
        self._memory = before.copy()
        self.counts = Counter()
        try:
            for bank in range(len(self._memory.steps)):
                for i in range(int(streams.start[bank]), int(streams.start[bank + 1])):
                    self.step(bank, samples[streams.rows[i]], bool(streams.targets[i]))
        except BaseException:
            self._memory = before  # interrupted: as after the last whole call
            raise
        return Ledger(**self.counts)

    def memory(self) -> Memory:
        return self._memory.copy()

    def voter(self) -> ReferenceVoter:
        return ReferenceVoter(self.settings, self.memory())

    # ---- one learning step of a bank -----------------------------------------------------------------------------

    def step(self, bank: int, literals: Mask, y: bool) -> None:
        """Evaluate, vote, select, give feedback."""
        T = self.settings.T
        outputs = fires(self._memory.states[bank] >= self.settings.n_states, literals)
        v = max(-T, min(T, vote(outputs)))
        for j in np.flatnonzero(self.select(bank, T - v if y else T + v)).tolist():
            if (j % 2 == 0) == y:
                self.type_i(bank, j, literals, bool(outputs[j]))
            elif outputs[j]:
                self.type_ii(bank, j, literals)
        self._memory.steps[bank] += np.uint64(1)

    def select(self, bank: int, gap: int) -> Mask:
        """A share of gap / 2T of the clauses; nothing is drawn for none or all of them."""
        m, T = self.settings.n_clauses, self.settings.T
        if gap in (0, 2 * T):
            return np.full(m, gap > 0)
        return _SELECTION[self.settings.selection](self, bank, int(self._memory.steps[bank])) < (gap << 32) // (2 * T)

    def type_i(self, bank: int, j: int, literals: Mask, fired: bool) -> None:
        """Ia when the clause fires: true literals strongly up, false ones weakly down. Ib when not: all weakly down."""
        u = self.next_update(bank, j)
        up = literals if fired else np.zeros_like(literals)
        strong, weak = self.moves(bank, j, u, up)
        kinds = (("type_ia_strong", up, strong), ("type_ia_weak" if fired else "type_ib", ~up, weak))
        for kind, offered, moved in kinds:
            self.count(kind, offered, moved)
        self.move(bank, j, up & strong, self.settings.step)
        self.move(bank, j, ~up & weak, -1)

    def type_ii(self, bank: int, j: int, literals: Mask) -> None:
        """The clause fires and should not: false literals that are excluded move strongly up."""
        u = self.next_update(bank, j)
        offered = ~literals & (self._memory.states[bank, j] < self.settings.n_states)
        tossed, heads = self.toss(bank, j, u)
        self.counts["coins"] += int((tossed & offered).sum())
        moved = offered & (~tossed | heads)
        self.count("type_ii", offered, moved)
        self.move(bank, j, moved, self.settings.step)

    # ---- rules ---------------------------------------------------------------------------------------------------

    def next_update(self, bank: int, j: int) -> int:
        """The clause's clock: one tick for each Type I, and each Type II while it fires."""
        u = int(self._memory.updates[bank, j])
        self._memory.updates[bank, j] = u + 1
        return u

    def moves(self, bank: int, j: int, u: int, up: Mask) -> tuple[Mask, Mask]:
        """Which automata of a Type I update move if theirs is the strong move, and which if it is the weak one."""
        return _WEAK[self.settings.weak](self, bank, j, u, up)

    def toss(self, bank: int, j: int, u: int) -> tuple[Mask, Mask]:
        """Which automata are in their stochastic structure at update u, and what their coins say.

        The coin tape: in a cycle of d updates each automaton tosses once, in order, evenly spread.
        """
        n, d = self._memory.states.shape[2], self.settings.d
        tossed = np.zeros(n, np.bool_)
        if math.isinf(d):
            return tossed, tossed
        cycle, r = divmod(u, int(d))
        tossed[r * n // int(d) : (r + 1) * n // int(d)] = True
        return tossed, bits(key(self.settings.seed, Purpose.COIN, bank, j, cycle), n)

    def move(self, bank: int, j: int, which: Mask, by: int) -> None:
        """Move the states, clamped to 1 .. 2N (kept here as 0 .. 2N - 1)."""
        row = self._memory.states[bank, j]
        row[which] = np.clip(row[which].astype(np.int64) + by, 0, 2 * self.settings.n_states - 1)

    def count(self, kind: str, offered: Mask, moved: Mask) -> None:
        self.counts[f"{kind}_offered"] += int(offered.sum())
        self.counts[f"{kind}_skipped"] += int((offered & ~moved).sum())


def random_selection(trainer: ReferenceTrainer, bank: int, step: int) -> NDArray[np.uint32]:
    """One draw for each clause."""
    m = trainer.settings.n_clauses
    trainer.counts["selection_draws"] += m
    return words(key(trainer.settings.seed, Purpose.SELECT, bank, step), m)


def weyl_selection(trainer: ReferenceTrainer, bank: int, step: int) -> NDArray[np.uint32]:
    """Evenly spread over the clauses of a step and over the steps of a clause."""
    del bank
    return weyl.words(step * weyl.STEP, weyl.CLAUSE, trainer.settings.n_clauses)


_SELECTION = {"random": random_selection, "weyl": weyl_selection}


def every_weak(trainer: ReferenceTrainer, bank: int, j: int, u: int, up: Mask) -> tuple[Mask, Mask]:
    """MVF-LA: every automaton moves, except those whose coin says no."""
    del up
    tossed, heads = trainer.toss(bank, j, u)
    trainer.counts["coins"] += int(tossed.sum())
    moved = ~tossed | heads
    return moved, moved


def rota_weak(trainer: ReferenceTrainer, bank: int, j: int, u: int, up: Mask) -> tuple[Mask, Mask]:
    """As MVF-LA, but weak moves are for those whose turn it is: their word wraps around when the rate is added."""
    rate = weyl.rota_rate(int(trainer.settings.s))
    phases = weyl.phases(trainer.settings.n_clauses, len(up))[weyl.PHASE_STRIDE * j :][: len(up)]
    turn = phases + np.uint32((u + 1) * rate % 2**32) < rate
    strong, weak = every_weak(trainer, bank, j, u, up)
    return strong, weak & turn


def bernoulli_weak(trainer: ReferenceTrainer, bank: int, j: int, u: int, up: Mask) -> tuple[Mask, Mask]:
    """Standard machine: weak moves with probability 1/s; strong ones with (s-1)/s, or always when boosted."""
    n, settings = len(up), trainer.settings
    seldom = words(key(settings.seed, Purpose.WEAK, bank, j, u), n) < rate32(settings.s)
    trainer.counts["coins"] += int((~up).sum()) if settings.boost else n
    return (np.ones(n, np.bool_) if settings.boost else ~seldom), seldom


_WEAK = {"every": every_weak, "rota": rota_weak, "bernoulli": bernoulli_weak}


class ReferenceVoter:
    """Votes while predicting: an empty clause gives 0."""

    def __init__(self, settings: Settings, memory: Memory) -> None:
        self._include = memory.states >= settings.n_states

    def votes(self, literals: Literals, *, n_jobs: int = 1) -> NDArray[np.int32]:
        del n_jobs
        samples = literals.unpack()
        votes = np.zeros((len(samples), len(self._include)), np.int32)
        for bank, include in enumerate(self._include):
            not_empty = include.any(axis=1)
            for i, sample in enumerate(samples):
                votes[i, bank] = vote(fires(include, sample) & not_empty)
        return votes


@dataclass(frozen=True)
class ReferenceBackend:
    """The executable specification as a backend."""

    def trainer(self, settings: Settings, memory: Memory, *, n_jobs: int = 1) -> ReferenceTrainer:
        del n_jobs  # the reference knows no threads
        return ReferenceTrainer(settings, memory)

    def voter(self, settings: Settings, memory: Memory) -> ReferenceVoter:
        return ReferenceVoter(settings, memory)
