"""The objective of a few short rules: the logistic loss of classes, the squared error of a value.

An objective knows the rows, their true answers and the answers of all rules. It says how much some more votes lower the
loss. Which votes to add is decided by ``greedy_search``; how good the answers are is measured by ``shorten``.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from adtm.machine.heads import Outputs
from adtm.rules.form import Rule
from adtm.rules.measures import speaks_for
from adtm.rules.ruleset import RuleSet
from adtm.rules.votes import total_votes
from adtm.tables.literals import Literals

#: What one vote counts in the logistic loss.
_SCALE = 0.25
#: The odds that a part is right must be at least so many times those of all rows. A part that only balances the votes
#: of others tells a reader nothing.
_BETTER_ODDS = 1.5
#: The mean of a value where a part holds must differ by at least so many standard deviations from that of all rows.
_OTHER_MEAN = 0.2
#: The first votes of a part of a value, in standard deviations.
_FIRST = (1 / 3, 2 / 3)
#: The range of a value is divided into at least so many steps.
_STEPS = 50


@dataclass(frozen=True)
class Price:
    """How much one step must lower the loss, summed over the rows. Smaller gains are overfitting.

    Attributes
    ----------
    part, vote, condition : float
        The price of one more of each.
    share : float
        A condition must also gain this share of what its part gains without it: on many rows most conditions gain a
        little.
    """

    part: float
    vote: float
    condition: float
    share: float


class Objective(Protocol):
    """What the votes should be, and how much some votes lower the loss."""

    @property
    def price(self) -> Price:
        """The least gain of a step."""

    @property
    def first_votes(self) -> tuple[int, ...]:
        """The numbers of votes that a new part may start with."""

    @property
    def most_votes(self) -> int:
        """The most votes of one part."""

    def votes(self) -> NDArray[np.float64]:
        """The votes without any rule: (rows, what is compared)."""

    def adds(self, signs: NDArray[np.int64]) -> NDArray[np.float64]:
        """What one vote of a rule with these signs of weights adds: (kinds, what is compared)."""

    def gains(self, votes: NDArray[np.float64], steps: NDArray[np.float64]) -> NDArray[np.float32]:
        """How much each of these steps lowers the loss of each row: (steps, rows)."""

    def lacking(self, votes: NDArray[np.float64]) -> int:
        """The votes that all rows lack on average, rounded; 0 where nothing can be added to all rows."""

    def is_informative(self, rule: Rule, holds: NDArray[np.float32]) -> bool:
        """Whether the rows on which a part of the rule holds differ enough from all rows."""

    def is_default(self, rule: Rule) -> bool:
        """Whether rows without any rule get what this one says."""


class ClassObjective:
    """The label of each row: half the truth, half the answer of all rules.

    The votes of all rules distinguish clear rows from unclear ones, which the truth alone does not.
    """

    first_votes = (1,)
    most_votes = 9  # weights that a reader can compare
    price = Price(part=0.1, vote=0.05, condition=0.05, share=0.02)

    def __init__(self, rules: RuleSet, literals: Literals, wanted: NDArray[np.intp]) -> None:
        outputs = self._outputs = rules.outputs
        votes = np.clip(total_votes(outputs, rules.rules, literals), -outputs.T, outputs.T)
        share = (votes + outputs.T) / (2 * outputs.T)
        said = np.hstack([1 - share, share]) if outputs.kind == "two" else share
        said = said / np.maximum(said.sum(axis=1, keepdims=True), 1e-9)
        self._wanted = wanted
        self._targets = (np.eye(len(outputs.labels))[wanted] + said) / 2  # (rows, labels), adding to 1

    def votes(self) -> NDArray[np.float64]:
        return np.zeros_like(self._targets)

    def adds(self, signs: NDArray[np.int64]) -> NDArray[np.float64]:
        # Of two labels the first has no vote of its own.
        return np.pad(signs, ((0, 0), (int(self._outputs.kind == "two"), 0))).astype(np.float64)

    def gains(self, votes: NDArray[np.float64], steps: NDArray[np.float64]) -> NDArray[np.float32]:
        shares = np.exp(_SCALE * (votes - votes.max(axis=1, keepdims=True)))
        shares /= shares.sum(axis=1, keepdims=True)
        steps = _SCALE * steps.T
        return np.asarray((self._targets @ steps - np.log(shares @ np.exp(steps))).T, np.float32)

    def lacking(self, votes: NDArray[np.float64]) -> int:
        del votes
        return 0

    def is_informative(self, rule: Rule, holds: NDArray[np.float32]) -> bool:
        """Whether it is right often enough. Half a row is added on both sides, so that nothing is divided by 0."""
        label, side = speaks_for(self._outputs, rule)
        right = ((self._wanted == label) == bool(side)).astype(np.float32)
        hits, rows = float(holds @ right), float(holds.sum())
        odds, all_odds = (hits + 0.5) / (rows - hits + 0.5), (right.sum() + 0.5) / (len(right) - right.sum() + 0.5)
        return bool(odds >= _BETTER_ODDS * all_odds)

    def is_default(self, rule: Rule) -> bool:
        label, side = speaks_for(self._outputs, rule)
        return (label == self._outputs.preference[0]) == bool(side)


class ValueObjective:
    """The value of each row, half the truth and half the answer of all rules, in votes of ``outputs``.

    The loss is the squared error over twice the variance, one half for each row that is answered with the mean. Steps
    cost more than those of classes, since the largest of many means is too large by chance. The price of a vote shrinks
    it again: ``outputs.T`` votes, the whole range, cost 16.
    """

    def __init__(self, rules: RuleSet, literals: Literals, values: NDArray[np.float64], outputs: Outputs) -> None:
        said = rules.outputs.answer(total_votes(rules.outputs, rules.rules, literals))
        self._truth = _in_votes(values, outputs)
        self._targets = (self._truth + _in_votes(said, outputs)) / 2
        self._spread = float(self._truth.std())
        self._scale = 0.5 / max(self._spread**2, 1e-9)
        self.first_votes = tuple(max(1, round(share * self._spread)) for share in _FIRST)
        self.most_votes = outputs.T
        self.price = Price(part=1, vote=16 / outputs.T, condition=2, share=0.5)

    def votes(self) -> NDArray[np.float64]:
        return np.zeros((len(self._targets), 1))

    def adds(self, signs: NDArray[np.int64]) -> NDArray[np.float64]:
        return signs.astype(np.float64)

    def gains(self, votes: NDArray[np.float64], steps: NDArray[np.float64]) -> NDArray[np.float32]:
        lacks = self._targets - votes[:, 0]
        return np.asarray(self._scale * steps * (2 * lacks - steps), np.float32)

    def lacking(self, votes: NDArray[np.float64]) -> int:
        return int(np.rint((self._targets - votes[:, 0]).mean()))

    def is_informative(self, rule: Rule, holds: NDArray[np.float32]) -> bool:
        """Whether the mean lies far enough on the rule's side. One row with the mean of all rows is added."""
        off = float(holds @ (self._truth - self._truth.mean())) / (float(holds.sum()) + 1)
        return bool(off * np.sign(rule.weights[0]) >= _OTHER_MEAN * self._spread)

    def is_default(self, rule: Rule) -> bool:
        del rule
        return True  # the votes that all rows get make up for it


def _in_votes(values: NDArray[np.float64], outputs: Outputs) -> NDArray[np.float64]:
    """Values as votes that give them; 0 where no vote changes the one value that there is."""
    return (values - outputs.low) / outputs.step if outputs.step else np.zeros(len(values))


def of_both_signs(rules: RuleSet) -> RuleSet:
    """The rules of a value in round steps of its unit, each of them once to add and once to subtract.

    A step is 1, 2 or 5 times a power of ten, and the range is widened to whole steps: readers add round numbers.
    """
    both = [replace(rule, weights=(sign,)) for rule in rules.rules for sign in (1, -1)]
    return replace(rules, outputs=_in_round_steps(rules.outputs), rules=tuple(both))


def _in_round_steps(outputs: Outputs) -> Outputs:
    least = (outputs.high - outputs.low) / _STEPS
    if least < sys.float_info.min:  # y has one value, or values too near to each other for round steps between them
        return replace(outputs, T=1)
    power = 10.0 ** math.floor(math.log10(least))
    step = max(times * power for times in (1, 2, 5) if times * power <= least * (1 + 1e-9))
    first, last = math.floor(outputs.low / step), math.ceil(outputs.high / step)
    if not math.isfinite(last * step - first * step):  # beyond the largest numbers there is no round one
        return replace(outputs, T=_STEPS)
    return replace(outputs, T=last - first, low=first * step, high=last * step)
