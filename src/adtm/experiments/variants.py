"""Machines that differ from the specification in one rule, for the sensitivity study and nowhere else.

- An empty clause may vote 1 while predicting: a matter of reading, so any trained machine will do.
- A jump past 2N may be refused instead of clamped: a matter of learning, so it takes a trainer of its own. It is the
  reference with all selected clauses of a step at once, fast enough for a study; but for the coins' own generator it
  gives the reference's bits (a test compares them).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.backends import Backend, Voter, get_backend
from adtm.backends.reference import Mask, ReferenceTrainer, fires, vote
from adtm.literals import Literals
from adtm.machine import Memory, Settings


def backend(variant: dict[str, Any]) -> str | Backend:
    """Who does the learning: with ``{"jump": "refused"}`` the trainer below, else the usual one."""
    return RefusingBackend() if variant.get("jump") == "refused" else "auto"


def predict(machine: Any, literals: Literals, variant: dict[str, Any]) -> NDArray[Any]:
    """Class indices; with ``{"empty": "vote"}`` clauses without literals vote as they do while learning."""
    if variant.get("empty") != "vote":
        told: NDArray[Any] = machine.predict(literals)
        return told
    include = machine.includes_[0]  # two classes: one bank, (clauses, literals)
    broken = ~literals.unpack() @ include.T  # (samples, clauses): some included literal is false
    votes: NDArray[np.int64] = np.where(broken, 0, 1) @ np.resize([1, -1], len(include))
    return (votes >= 0).astype(np.int64)


class BankTrainer(ReferenceTrainer):
    """The reference for the MVF-LA, all selected clauses of a step at once; `jump` is the rule to be replaced."""

    def __init__(self, settings: Settings, memory: Memory) -> None:
        super().__init__(settings, memory)
        self._coins = np.random.default_rng(settings.seed)

    def step(self, bank: int, literals: Mask, y: bool) -> None:
        T = self.settings.T
        outputs = fires(self._memory.states[bank] >= self.settings.n_states, literals)
        v = max(-T, min(T, vote(outputs)))
        selected = self.select(bank, T - v if y else T + v)
        gets_first = (np.arange(len(outputs)) % 2 == 0) == y
        self._type_i(bank, np.flatnonzero(selected & gets_first), literals, outputs)
        self._type_ii(bank, np.flatnonzero(selected & ~gets_first & outputs), literals)
        self._memory.steps[bank] += np.uint64(1)

    def _type_i(self, bank: int, clauses: NDArray[np.intp], literals: Mask, outputs: Mask) -> None:
        fired = outputs[clauses, None]
        up, weak = literals & fired, ~literals & fired  # (clauses, literals)
        moved = self._moved(bank, clauses, np.ones_like(up))
        for kind, offered in (("type_ia_strong", up), ("type_ia_weak", weak), ("type_ib", ~(up | weak))):
            self.count(kind, offered, moved)
        states = self._memory.states[bank, clauses].astype(np.int16)
        after = np.where(up, self.jump(states), np.maximum(states - 1, 0))
        self._memory.states[bank, clauses] = np.where(moved, after, states)

    def _type_ii(self, bank: int, clauses: NDArray[np.intp], literals: Mask) -> None:
        states = self._memory.states[bank, clauses].astype(np.int16)
        offered = ~literals & (states < self.settings.n_states)
        moved = self._moved(bank, clauses, offered)
        self.count("type_ii", offered, moved)
        self._memory.states[bank, clauses] = np.where(moved, self.jump(states), states)

    def _moved(self, bank: int, clauses: NDArray[np.intp], offered: Mask) -> Mask:
        """Offered updates whose coin, if they toss one, says yes. The tape is the reference's, the coins are not."""
        n, d = self._memory.states.shape[2], self.settings.d
        updates = self._memory.updates[bank, clauses].astype(np.int64)
        self._memory.updates[bank, clauses] += np.uint64(1)
        if math.isinf(d):
            return offered
        place, k = (updates % int(d))[:, None], np.arange(n)
        tossed = offered & (k >= place * n // int(d)) & (k < (place + 1) * n // int(d))
        self.counts["coins"] += int(np.count_nonzero(tossed))
        skipped: Mask = tossed & self._coins.integers(0, 2, tossed.shape, dtype=np.bool_)
        return offered & ~skipped

    def jump(self, states: NDArray[np.int16]) -> NDArray[np.int16]:
        """Where a strong step leads: clamped at 2N (kept here as 2N - 1)."""
        return np.minimum(states + self.settings.step, 2 * self.settings.n_states - 1)


class RefusingTrainer(BankTrainer):
    """Refuses a jump that would pass 2N, as the authors' program does."""

    def voter(self) -> Voter:  # type: ignore[override]
        return RefusingBackend().voter(self.settings, self.memory())

    def jump(self, states: NDArray[np.int16]) -> NDArray[np.int16]:
        after = states + self.settings.step
        return np.where(after < 2 * self.settings.n_states, after, states)


@dataclass(frozen=True)
class RefusingBackend:
    """Learns with refused jumps; votes are nobody's variant, so the native core counts them."""

    def trainer(self, settings: Settings, memory: Memory, *, n_jobs: int = 1) -> RefusingTrainer:
        del n_jobs  # one thread, as the reference
        return RefusingTrainer(settings, memory)

    def voter(self, settings: Settings, memory: Memory) -> Voter:
        return get_backend("native").voter(settings, memory)
