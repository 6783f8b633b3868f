"""The greedy search for a few short rules: parts of the machine's rules, and how many votes each casts.

A *part* of a rule is the AND of some of its literals. The search keeps the votes of the parts taken so far on every row
and lowers the loss step by step: it adds a part, adds or removes a vote, or replaces a part by another. ``objective``
is the loss; ``shorten`` decides when to stop and measures the cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from adtm.rules.form import Rule
from adtm.rules.objective import Objective
from adtm.rules.ruleset import RuleSet
from adtm.rules.simplify import merged, with_literals
from adtm.rules.votes import Failed, rule_weights
from adtm.tables.literals import Literals

#: Two parts that share this much of the rows they hold on say the same.
_ALIKE = 0.9
#: How many parts of a clause are tried, each with another first column, until one says something new.
_TRIES = 4
#: How many times every part may be replaced by a better one.
_PASSES = 2


@dataclass(frozen=True, eq=False)
class _Clause:
    """A rule of the machine: the signs of its weights as a kind, its literals as rows of ``holds``, their columns."""

    rule: Rule
    kind: int
    own: NDArray[np.intp]
    columns: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class _Part:
    """Some literals of a clause, and the rows they hold on: (rows,) of 0 and 1."""

    clause: _Clause
    literals: tuple[int, ...]
    holds: NDArray[np.float32]


class Search:
    """A few parts of rules and their votes, changed one step at a time to lower the loss.

    Parameters
    ----------
    rules : RuleSet
        About a table, with classes or a value.
    literals : Literals
        The rows on which the loss is measured.
    objective : Objective
        The loss.
    n_conditions : int
        The most conditions of a part.
    """

    def __init__(self, rules: RuleSet, literals: Literals, objective: Objective, n_conditions: int) -> None:
        self._rules, self._objective, self._price, self._n_conditions = rules, objective, objective.price, n_conditions
        self._literals = sorted({literal for rule in rules.rules for literal in rule.literals})
        self._holds = (1 - Failed(literals).of(self._literals)).astype(np.float32)  # (literals, rows)
        signs, kinds = np.unique(np.sign(rule_weights(rules.outputs, rules.rules)), axis=0, return_inverse=True)
        self._adds = objective.adds(signs)  # what one vote of each kind of rule adds
        self._clauses = list(self._distinct(kinds.ravel()))
        self._votes, self._start = objective.votes(), 0
        self._taken: dict[_Part, int] = {}
        self._level()

    def __len__(self) -> int:
        return len(self._taken)

    def reach(self, n_rules: int) -> None:
        """Take up to ``n_rules`` parts, as long as they help, and replace each by a better one where there is one."""
        for _ in range(_PASSES + 1):
            while len(self) < n_rules and self.add():
                pass
            if not self._exchange():
                return

    def add(self) -> bool:
        """Take the part that lowers the loss most; return whether there was one."""
        taken, at_least = None, self._price.part
        for count in self._objective.first_votes:
            part, worth = self._best(count, at_least=at_least)
            if part is not None:
                taken, at_least = (part, count), worth
        if taken is None:
            return False
        self._move(*taken)
        self._weigh()
        return True

    def rules(self) -> list[Rule]:
        """The parts as rules, those without which the loss would be largest first; last the votes that all rows get."""
        rules = []
        for part, count in sorted(self._taken.items(), key=lambda item: self._gain_without(*item)):
            rule = part.clause.rule
            weights = tuple(count * int(np.sign(weight)) for weight in rule.weights)
            own = [self._literals[k] for k in part.literals]
            short = with_literals(self._rules.features, replace(rule, weights=weights), own, limit=1)
            assert short is not None, "a part holds on some row"
            rules.append(short)
        if self._start:
            rules.append(Rule(bank=0, clauses=(), weights=(self._start,), limit=1, literals=(), votes=1, conditions=()))
        return merged(rules)

    # ---- steps ---------------------------------------------------------------------------------------------------

    def _exchange(self) -> bool:
        """Replace every part by the best one in its place, or drop it; return whether any changed."""
        changed = False
        for part, count in list(self._taken.items()):
            self._move(part, -count)
            worth = float(part.holds @ self._gains(count)[part.clause.kind])
            other, _ = self._best(count, at_least=worth + self._price.vote)
            if other is not None or worth > self._price.part:
                self._move(other or part, count)
            changed |= other is not None or worth <= self._price.part
        self._weigh()
        return changed

    def _weigh(self) -> None:
        """Add or remove the vote that lowers the loss most, until no vote is worth its price."""
        parts = list(self._taken)
        holds = np.array([part.holds for part in parts])
        kinds = [part.clause.kind for part in parts]
        while parts:
            self._level()
            counts = np.array([self._taken[part] for part in parts])
            more = (holds * self._gains(1)[kinds]).sum(axis=1) - self._price.vote
            less = (holds * self._gains(-1)[kinds]).sum(axis=1) + self._price.vote
            steps = np.array([np.where(counts < self._objective.most_votes, more, 0), np.where(counts > 1, less, 0)])
            down, best = np.unravel_index(int(np.argmax(steps)), steps.shape)
            if steps[down, best] <= 1e-3:  # float32: a step and its way back must not both seem to gain
                return
            self._move(parts[best], -1 if down else 1)

    def _level(self) -> None:
        """Give all rows the votes that they lack, by a rule without conditions."""
        step = self._objective.lacking(self._votes)
        self._votes += step
        self._start += step

    def _move(self, part: _Part, count: int) -> None:
        self._votes += count * part.holds[:, None] * self._adds[part.clause.kind]
        self._taken[part] = self._taken.get(part, 0) + count
        if self._taken[part] == 0:
            del self._taken[part]

    def _gain_without(self, part: _Part, count: int) -> float:
        return float(part.holds @ self._gains(-count)[part.clause.kind])

    def _gains(self, count: int) -> NDArray[np.float32]:
        """How much ``count`` votes of each kind lower the loss of each row: (kinds, rows)."""
        return self._objective.gains(self._votes, count * self._adds)

    # ---- parts ---------------------------------------------------------------------------------------------------

    def _best(self, count: int, *, at_least: float) -> tuple[_Part | None, float]:
        """The part that gains most with ``count`` votes, if it gains enough, is new and informative; its gain."""
        gains, best = self._gains(count), None
        refused: set[tuple[int, tuple[int, ...]]] = set()
        for clause in self._clauses:
            barred = np.zeros(len(clause.own))
            for _ in range(_TRIES):
                worth, chosen = self._grown(clause, gains[clause.kind], barred)
                if worth <= at_least:
                    break
                own = tuple(sorted(int(clause.own[k]) for k in chosen))
                if (clause.kind, own) not in refused:
                    part = _Part(clause, own, np.asarray(self._holds[list(own)].min(axis=0), np.float32))
                    if self._objective.is_informative(clause.rule, part.holds) and not self._is_said(part):
                        best, at_least = part, worth
                        break
                    refused.add((clause.kind, own))
                barred[clause.columns == clause.columns[chosen[0]]] = -np.inf
        return best, at_least

    def _grown(
        self, clause: _Clause, gain: NDArray[np.float32], barred: NDArray[np.float64]
    ) -> tuple[float, list[int]]:
        """Add the literal of a clause that gains most, while one gains; return the gain and the literals.

        A literal whose ``barred`` is minus infinity cannot be the first.
        """
        holds = self._holds.take(clause.own, axis=0)
        worth, chosen, columns = -np.inf, list[int](), set[int]()
        sums: NDArray[np.floating] = holds @ gain + barred
        while True:  # thousands of times for each part that is taken: every call counts
            best = int(sums.argmax())
            now = float(sums[best])
            if chosen and now <= worth + max(self._price.condition, self._price.share * abs(worth)):
                return worth, chosen
            worth = now
            chosen.append(best)
            if worth == -np.inf:
                return worth, chosen
            columns.add(int(clause.columns[best]))
            gain = gain * holds[best]
            sums = holds @ gain
            if len(columns) >= self._n_conditions:  # a column is one condition, as an interval is
                sums[[column not in columns for column in clause.columns.tolist()]] = -np.inf

    def _is_said(self, part: _Part) -> bool:
        """Whether another part says the same: equal votes on nearly the same rows, or opposite votes elsewhere.

        The latter says the same only if rows without any rule get this answer.
        """
        for other in self._taken:
            mine, theirs = self._adds[part.clause.kind], self._adds[other.clause.kind]
            if (mine == theirs).all():
                rows = other.holds
            elif (mine == -theirs).all() and self._objective.is_default(part.clause.rule):
                rows = 1 - other.holds
            else:
                continue
            if part.holds @ rows >= _ALIKE * np.maximum(part.holds, rows).sum():
                return True
        return False

    def _distinct(self, kinds: NDArray[np.intp]) -> Iterator[_Clause]:
        place = {literal: k for k, literal in enumerate(self._literals)}
        column_of, n_features = self._rules.features.column_of, self._rules.n_features
        seen = set()
        for rule, kind in zip(self._rules.rules, kinds.tolist(), strict=True):
            if rule.literals and (kind, rule.literals) not in seen:
                seen.add((kind, rule.literals))
                columns = np.array([column_of[literal % n_features] for literal in rule.literals])
                yield _Clause(rule, kind, np.array([place[literal] for literal in rule.literals]), columns)
