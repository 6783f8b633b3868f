"""The parts of a rule set: outputs, rules and their conditions. Plain data.

Conditions are about the states of a column (``tables.columns``). A rule is kept on two levels. Raw: it casts
``max(0, limit - failed literals)`` votes, times its weights. Simplified: each column has a condition, the votes that
every state of the column takes away, and the rule casts ``max(0, votes - what the conditions take away)``. Both give
the same votes on every row. Making one from the other is left to ``simplify``, words to ``text``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Answers", "Condition", "Label", "Outputs", "Rule", "Test", "runs"]

Label: TypeAlias = str | bool | int | float
Answers: TypeAlias = Literal["two", "classes", "labels", "value"]


@dataclass(frozen=True)
class Outputs:
    """What the votes answer.

    Attributes
    ----------
    kind : {"two", "classes", "labels", "value"}
        ``"two"``: one vote; above 0 is the second label, below 0 the first. ``"classes"``: one vote for each label,
        the largest wins. ``"labels"``: one vote for each label, above 0 it is there, below 0 it is not. ``"value"``:
        one vote, which is a value: ``low`` at 0 and below, ``high`` at T and above.
    labels : tuple
        The classes in sorted order, or the names of the labels; () for a value.
    preference : tuple of int
        The answer where the votes do not decide: of the labels with equal votes, the first in this order; of kind
        ``"labels"`` for each label 1 or 0, whether a vote of 0 says that it is there.
    n_banks, n_outputs : int
        Banks of rules, and votes that each bank casts; vote ``bank * n_outputs + output``.
    T : int
        The vote target in training, which turns votes into shares.
    low, high : float
        The range of a value.
    """

    kind: Answers
    labels: tuple[Label, ...]
    preference: tuple[int, ...]
    n_banks: int
    n_outputs: int
    T: int
    low: float = 0.0
    high: float = 0.0

    @property
    def n_votes(self) -> int:
        """Votes in all."""
        return self.n_banks * self.n_outputs

    @property
    def step(self) -> float:
        """What one vote adds to a value."""
        return (self.high - self.low) / self.T

    def answer(self, votes: NDArray[Any]) -> NDArray[Any]:
        """The index of each row's label, votes being (rows, n_votes); 0 and 1 for each label, or the value."""
        if self.kind == "two":
            return np.where(votes[:, 0] == 0, self.preference[0], votes[:, 0] > 0).astype(np.intp)
        if self.kind == "labels":
            return (votes >= 1 - np.array(self.preference)).astype(np.intp)
        if self.kind == "value":
            share = np.clip(votes[:, 0], 0, self.T) / self.T
            return np.where(share == 1, self.high, self.low + share * (self.high - self.low))
        order = np.array(self.preference, np.intp)
        best: NDArray[np.intp] = order[np.argmax(votes[:, order], axis=1)]
        return best

    def asks_for(self, vote: int, weight: int) -> tuple[bool, Label]:
        """Whether a weight on that vote speaks for or against a label, and which; a value is spoken for by more."""
        if self.kind == "two":
            return True, self.labels[int(weight > 0)]
        return weight > 0, self.labels[vote] if self.labels else "more"

    def require_classes(self, what: str) -> None:
        """Refuse labels and values where one class is the answer."""
        if self.kind == "labels":
            raise ValueError(
                f"{what} must be asked of one label: take rules.about(label), for {list(self.labels)!r:.80}"
            )
        if self.kind == "value":
            raise ValueError(f"{what} must be asked of rules that answer with classes, got rules for a value")


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

    Examples
    --------
    >>> from adtm.rules.form import runs
    >>> runs((True, True, False))
    [(True, 0, 1), (False, 2, 2)]
    """
    found, first = [], 0
    for flag, group in groupby(flags):
        size = len(list(group))
        found.append((flag, first, first + size - 1))
        first += size
    return found


@dataclass(frozen=True)
class Rule:
    """One clause, or several that say the same.

    Attributes
    ----------
    bank : int
    clauses : tuple of int
        Their numbers in the bank; more than one where duplicates were merged.
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
