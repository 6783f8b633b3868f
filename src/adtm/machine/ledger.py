"""The ledger: what a machine was offered, what it skipped, and every random number it drew. Exact."""

from __future__ import annotations

import operator
from dataclasses import dataclass, fields

#: The counts of random numbers, and what these are drawn for.
DRAWS = {
    "coins": "coins of automata",
    "selection_draws": "clause selection",
    "patch_draws": "patches",
    "other_class_draws": "other class",
    "start_draws": "start",
    "shuffle_draws": "order of samples",
}


@dataclass(frozen=True)
class Ledger:
    """Counts of automaton updates and random draws.

    An update is *offered* when feedback reaches an automaton, and *skipped* when its random draw says no; the others
    are *applied* (a move against the end of the state range counts as applied: the transition was taken).

    Attributes
    ----------
    type_ia_strong_offered, type_ia_strong_skipped : int
        Literal 1 in a clause that fires, Type I.
    type_ia_weak_offered, type_ia_weak_skipped : int
        Literal 0 in a clause that fires, Type I.
    type_ib_offered, type_ib_skipped : int
        Any literal of a clause that does not fire, Type I.
    type_ii_offered, type_ii_skipped : int
        Excluded literal 0 in a clause that fires, Type II.
    coins : int
        Random draws of automata: fair coins of the ADTM, draws with probability 1/s of the standard machine.
    selection_draws, other_class_draws, start_draws, shuffle_draws : int
        Draws for choosing clauses, the other class, the start states (one per automaton) and the order of samples.
    patch_draws : int
        Draws for choosing the patch that a clause learns from.

    Examples
    --------
    >>> from adtm import Ledger
    >>> (Ledger(coins=3) + Ledger(coins=4, selection_draws=1)).draws
    8
    """

    type_ia_strong_offered: int = 0
    type_ia_strong_skipped: int = 0
    type_ia_weak_offered: int = 0
    type_ia_weak_skipped: int = 0
    type_ib_offered: int = 0
    type_ib_skipped: int = 0
    type_ii_offered: int = 0
    type_ii_skipped: int = 0
    coins: int = 0
    selection_draws: int = 0
    other_class_draws: int = 0
    start_draws: int = 0
    shuffle_draws: int = 0
    patch_draws: int = 0

    @property
    def offered(self) -> int:
        """Automaton updates offered, of every type."""
        return self.type_ia_strong_offered + self.type_ia_weak_offered + self.type_ib_offered + self.type_ii_offered

    @property
    def skipped(self) -> int:
        """Updates whose draw said no."""
        return self.type_ia_strong_skipped + self.type_ia_weak_skipped + self.type_ib_skipped + self.type_ii_skipped

    @property
    def applied(self) -> int:
        """Updates that were carried out."""
        return self.offered - self.skipped

    @property
    def draws(self) -> int:
        """Random numbers of every kind."""
        return sum(getattr(self, name) for name in DRAWS)

    def __add__(self, other: Ledger) -> Ledger:
        return Ledger(*map(operator.add, vars(self).values(), vars(other).values()))

    def __sub__(self, other: Ledger) -> Ledger:
        return Ledger(*map(operator.sub, vars(self).values(), vars(other).values()))

    def as_dict(self) -> dict[str, int]:
        """The counts by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}
