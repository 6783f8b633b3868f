"""Draws of one bank, and the counts of a ledger."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from adtm.machine.draws import Purpose, bits, key, subkeys, words

Mask = NDArray[np.bool_]


@dataclass
class Draws:
    """The draws of the bank with this number under a seed, and what is counted while it learns.

    A draw that is made is not always a draw that is counted: the specification counts a coin only where an update
    reaches its automaton. So counting is the caller's.
    """

    seed: int
    bank: int
    counts: Counter[str] = field(default_factory=Counter)

    def of_step(self, purpose: Purpose, step: int, n: int) -> NDArray[np.uint32]:
        """n words for one step of the bank."""
        return words(key(self.seed, purpose, self.bank, step), n)

    def of_updates(
        self, purpose: Purpose, clauses: NDArray[np.intp], at: NDArray[np.uint64], n: int
    ) -> NDArray[np.uint32]:
        """n words for each clause at its own count: (clauses, n)."""
        return words(self._keys(purpose, clauses, at), n)

    def coins(self, purpose: Purpose, clauses: NDArray[np.intp], at: NDArray[np.uint64], n: int) -> Mask:
        """n coins for each clause at its own count: (clauses, n)."""
        return bits(self._keys(purpose, clauses, at), n)

    def count(self, kind: str, offered: Mask, moves: Mask) -> None:
        """Updates of one kind: how many automata it reached, and how many of those did not move."""
        n = int(np.count_nonzero(offered))
        self.counts[f"{kind}_offered"] += n
        self.counts[f"{kind}_skipped"] += n - int(np.count_nonzero(offered & moves))

    def count_coins(self, tossed: Mask) -> None:
        """Automata that an update reached and that tossed a coin."""
        self.counts["coins"] += int(np.count_nonzero(tossed))

    def _keys(self, purpose: Purpose, clauses: NDArray[np.intp], at: NDArray[np.uint64]) -> NDArray[np.uint64]:
        return subkeys(subkeys(key(self.seed, purpose, self.bank), clauses.astype(np.uint64)), at)
