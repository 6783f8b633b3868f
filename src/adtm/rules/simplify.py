"""From the literals of a clause to conditions on columns, without changing a vote.

Every literal fails in some states of its column. Added up over a clause's literals on that column, each state takes
away so many votes. Two things then change nothing: what every state takes away can be taken from the rule's votes at
once, and a state can never take away more than the rule has. For an AND, a rule of one vote, this is all that people
do by hand: ``x <= 3 and x <= 5`` is ``x <= 3``, ``not A and not B`` is ``not in {A, B}``, ``x <= 3 and not x <= 5``
never holds. Reading clauses out of a machine is left to ``build``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from adtm.rules.form import Condition, Rule
from adtm.rules.patch import patch_features
from adtm.tables.columns import Column
from adtm.tables.patches import Patches


@dataclass(frozen=True)
class Features:
    """Which column each feature belongs to, and what it says there.

    ``table`` has for each feature its column, its bit there, and 1 if it is that bit's negation: (features, 3).
    """

    columns: tuple[Column, ...]
    patch: Patches | None = None

    @cached_property
    def table(self) -> NDArray[np.int64]:
        if self.patch is not None:
            return patch_features(self.patch, self.columns)
        features = [(index, bit, 0) for index, column in enumerate(self.columns) for bit in range(column.n_bits)]
        return np.array(features, np.int64).reshape(-1, 3)

    @cached_property
    def column_of(self) -> list[int]:
        """The column of each feature."""
        return [int(column) for column in self.table[:, 0]]

    @cached_property
    def first(self) -> list[int]:
        """The first feature of each column, and last the number of features; not for patches."""
        return [0, *np.cumsum([column.n_bits for column in self.columns]).tolist()]

    @property
    def n_features(self) -> int:
        return len(self.table)

    def fails(self, literal: int) -> NDArray[np.bool_]:
        """In which states of its column a literal fails: (n_states,) bool. Made once for each literal."""
        if literal not in self._fails:
            column, bit, flipped = (int(each) for each in self.table[literal % self.n_features])
            holds = self.columns[column].holds(bit)
            self._fails[literal] = holds if (literal >= self.n_features) != bool(flipped) else ~holds
        return self._fails[literal]

    def condition(self, literal: int) -> Condition:
        """What a literal alone asks of its column; most are alone in many clauses, so this is made once, too."""
        if literal not in self._conditions:
            misses = tuple(self.fails(literal).astype(int).tolist())
            self._conditions[literal] = Condition(self.column_of[literal % self.n_features], misses)
        return self._conditions[literal]

    @cached_property
    def _fails(self) -> dict[int, NDArray[np.bool_]]:
        return {}

    @cached_property
    def _conditions(self) -> dict[int, Condition]:
        return {}

    def by_column(self, literals: Iterable[int]) -> dict[int, list[int]]:
        """The literals of each column, columns ascending."""
        own: dict[int, list[int]] = {}
        for literal in literals:
            own.setdefault(self.column_of[literal % self.n_features], []).append(literal)
        return dict(sorted(own.items()))


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
    votes, alone, taken = limit, {}, {}
    for column, own in features.by_column(literals).items():
        if len(own) == 1:
            alone[column] = features.condition(own[0])
            continue
        misses = np.sum([features.fails(literal) for literal in own], axis=0, dtype=np.int64)
        always = int(misses.min())
        taken[column] = misses - always
        votes -= always
    if votes <= 0 or not any(weights):
        return None
    together = {
        column: Condition(column, tuple(np.minimum(misses, votes).tolist()))
        for column, misses in taken.items()
        if misses.any()
    }
    conditions = tuple(condition for _, condition in sorted((alone | together).items()))
    if limit == 1:
        literals = _needed(features, literals)
    return Rule(bank, tuple(clauses), tuple(weights), limit, tuple(literals), votes, conditions)


def with_literals(features: Features, rule: Rule, literals: Iterable[int], *, limit: int) -> Rule | None:
    """The rule with other literals and another limit; None if it never casts a vote."""
    return simplified(
        features, bank=rule.bank, clauses=rule.clauses, weights=rule.weights, limit=limit, literals=literals
    )


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
    """Merge the rules of a bank that say the same, adding their weights; rules whose weights cancel are dropped."""
    same: dict[tuple[int, int, tuple[Condition, ...]], Rule] = {}
    for rule in rules:
        key = (rule.bank, rule.votes, rule.conditions)
        if key in same:
            first = same[key]
            weights = tuple(a + b for a, b in zip(first.weights, rule.weights, strict=True))
            rule = replace(first, clauses=first.clauses + rule.clauses, weights=weights)
        same[key] = rule
    return [rule for rule in same.values() if any(rule.weights)]
