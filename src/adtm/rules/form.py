"""The parts of a rule set: rules and their conditions. Plain data.

A rule is kept on two levels. Raw: it casts ``max(0, limit - failed literals)`` votes, times its weights. Simplified:
each column has a condition, the votes that every state of the column takes away, and the rule casts
``max(0, votes - what the conditions take away)``. Both give the same votes on every row. Making one from the other is
left to ``simplify``, words to ``text``; the states are those of ``tables.columns``, and ``machine.heads.outputs`` says
what the votes answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise


@dataclass(frozen=True)
class Condition:
    """What a rule asks of one column.

    Attributes
    ----------
    column : int
    misses : tuple of int
        For each state of the column the votes that it takes away; 0 where the condition holds.
    """

    column: int
    misses: tuple[int, ...]

    @cached_property
    def tests(self) -> tuple[Test, ...]:
        """The same as plain yes-or-no tests, the strictest first; the votes of all that fail are taken away."""
        levels = sorted({0, *self.misses})
        return tuple(
            Test(self.column, tuple(taken <= low for taken in self.misses), high - low)
            for low, high in pairwise(levels)
        )


@dataclass(frozen=True)
class Test:
    """The states of a column that a rule allows, and the votes that all others take away."""

    column: int
    allowed: tuple[bool, ...]
    misses: int

    __test__ = False  # pytest collects what is called so


def runs(flags: Sequence[bool]) -> list[tuple[bool, int, int]]:
    """Neighbouring states that are alike: (flag, first, last) of each run.

    >>> runs((True, True, False))
    [(True, 0, 1), (False, 2, 2)]
    """
    alike, first = [], 0
    for flag, group in groupby(flags):
        size = len(list(group))
        alike.append((flag, first, first + size - 1))
        first += size
    return alike


@dataclass(frozen=True)
class Rule:
    """One clause, or several that say the same.

    Attributes
    ----------
    bank : int
    clauses : tuple of int
        Their numbers in the bank, those of a committee member after member; more than one where duplicates were merged.
    weights : tuple of int
        For each output of the bank what one vote of the rule counts, duplicates added up.
    limit : int
        Raw: the rule casts ``max(0, limit - failed literals)`` votes; 1 is the AND of its literals.
    literals : tuple of int
        Ascending. Literal ``k < n_features`` is feature ``k``, ``n_features + k`` its negation.
    votes : int
        Simplified: the most votes it casts.
    conditions : tuple of Condition
        In the order of the columns.
    """

    bank: int
    clauses: tuple[int, ...]
    weights: tuple[int, ...]
    limit: int
    literals: tuple[int, ...]
    votes: int
    conditions: tuple[Condition, ...]

    @property
    def tests(self) -> tuple[Test, ...]:
        """All tests of all conditions."""
        return tuple(test for condition in self.conditions for test in condition.tests)

    @property
    def n_conditions(self) -> int:
        """How many tests a reader has to read."""
        return len(self.tests)
