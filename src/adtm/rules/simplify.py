"""From the literals of a clause to conditions on columns, without changing a vote.

Every literal fails in some states of its column. Added up over a clause's literals on that column, each state takes
away so many votes. Two things then change nothing: what every state takes away can be taken from the rule's votes at
once, and a state can never take away more than the rule has. For an AND, a rule of one vote, this is all that people
do by hand: ``x <= 3 and x <= 5`` is ``x <= 3``, ``not A and not B`` is ``not in {A, B}``, ``x <= 3 and not x <= 5``
never holds. Clauses are read here; what the machine's files look like is left to ``build``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from adtm.rules.form import Condition, Rule, TableColumn

__all__ = ["Features", "merged", "simplified"]


@dataclass(frozen=True)
class Features:
    """Where the features of each column lie."""

    columns: tuple[TableColumn, ...]
    first: tuple[int, ...] = field(init=False)
    column_of: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        widths = [column.n_bits for column in self.columns]
        first = np.concatenate([[0], np.cumsum(widths, dtype=np.int64)]).tolist()
        object.__setattr__(self, "first", tuple(first))
        object.__setattr__(self, "column_of", tuple(np.repeat(np.arange(len(widths)), widths).tolist()))

    @property
    def n_features(self) -> int:
        return len(self.column_of)

    def fails(self, literal: int) -> NDArray[np.bool_]:
        """In which states of its column a literal fails: (n_states,) bool."""
        feature = literal % self.n_features
        column = self.column_of[feature]
        holds = self.columns[column].holds(feature - self.first[column])
        return holds if literal >= self.n_features else ~holds

    def by_column(self, literals: Iterable[int]) -> dict[int, list[int]]:
        """The literals of each column, columns ascending."""
        found: dict[int, list[int]] = {}
        for literal in literals:
            found.setdefault(self.column_of[literal % self.n_features], []).append(literal)
        return dict(sorted(found.items()))


def simplified(
    features: Features,
    *,
    bank: int,
    clauses: Sequence[int],
    weights: Sequence[int],
    limit: int,
    literals: Iterable[int],
) -> Rule | None:
    """The rule of a clause that casts ``max(0, limit - failed literals)`` votes; None if it never casts one."""
    literals = sorted(literals)
    taken, votes = {}, limit
    for column, own in features.by_column(literals).items():
        misses = np.sum([features.fails(literal) for literal in own], axis=0, dtype=np.int64)
        always = int(misses.min())
        taken[column] = misses - always
        votes -= always
    if votes <= 0 or not any(weights):
        return None
    conditions = tuple(
        Condition(column, tuple(np.minimum(misses, votes).tolist())) for column, misses in taken.items() if misses.any()
    )
    if limit == 1:
        literals = _needed(features, literals)
    return Rule(bank, tuple(clauses), tuple(weights), limit, tuple(literals), votes, conditions)


def _needed(features: Features, literals: Sequence[int]) -> list[int]:
    """The literals of an AND without those that the others imply."""
    kept: list[int] = []
    for own in features.by_column(literals).values():
        if len(own) > 1:
            fails = {literal: features.fails(literal) for literal in own}
            covered = np.sum(list(fails.values()), axis=0)
            for literal in sorted(own, key=lambda literal: int(fails[literal].sum())):  # what says least goes first
                if covered[fails[literal]].min(initial=2) > 1:
                    covered -= fails.pop(literal)
            own = sorted(fails)
        kept += own
    return sorted(kept)


def merged(rules: Iterable[Rule]) -> list[Rule]:
    """Rules that say the same in one bank as one rule, weights added; those that cancel each other out are gone."""
    same: dict[tuple[int, int, tuple[Condition, ...]], Rule] = {}
    for rule in rules:
        key = (rule.bank, rule.votes, rule.conditions)
        if key in same:
            first = same[key]
            weights = tuple(a + b for a, b in zip(first.weights, rule.weights, strict=True))
            rule = replace(first, clauses=first.clauses + rule.clauses, weights=weights)
        same[key] = rule
    return [rule for rule in same.values() if any(rule.weights)]
