"""The head of a value: one bank, whose vote is the answer."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from adtm.machine.heads.outputs import Label, Outputs
from adtm.machine.heads.protocol import Targets, Votes
from adtm.machine.ledger import Ledger
from adtm.machine.schedule import Schedule, Streams


@dataclass(frozen=True)
class Value:
    """One bank whose vote is a value: ``low`` at a vote of 0, ``high`` at T; what lies beyond is answered with the end.

    The added votes of ``n_members`` such banks are a value, too: ``high`` at n_members * T.

    >>> Value(T=10, low=-1.0, high=1.0).answer(np.array([[-3], [0], [5], [99]], np.int32)).tolist()
    [-1.0, -1.0, 0.0, 1.0]
    """

    T: int
    low: float
    high: float
    n_banks: int = 1
    n_outputs: int = 1
    n_members: int = 1

    def counted(self, y: Targets) -> Self:
        del y
        return self

    def streams(self, y: Targets, schedule: Schedule, *, seed: int, epoch: int, first: int) -> tuple[Streams, Ledger]:
        del first
        order, drawn = schedule.order(seed, epoch, len(y))
        return Streams.single(order, self.targets(y)[order]), Ledger(shuffle_draws=drawn)

    def targets(self, y: Targets) -> NDArray[np.int32]:
        """Values as votes, to the nearest (an even one of two); beyond the range, its end."""
        if self.high == self.low:
            return np.zeros(len(y), np.int32)
        return np.rint((np.clip(y, self.low, self.high) - self.low) / (self.high - self.low) * self.T).astype(np.int32)

    def outputs(self, *, labels: Sequence[Label] | None = None, T: int | None = None) -> Outputs:
        del labels
        return Outputs(
            "value", (), (), 1, 1, self.n_members * self.T if T is None else T, float(self.low), float(self.high)
        )

    def answer(self, votes: Votes, *, n_jobs: int = 1) -> NDArray[np.float64]:
        return self.outputs().answer(votes, n_jobs=n_jobs)

    def tally(self, votes: Votes, y: Targets) -> dict[str, float]:
        with np.errstate(over="ignore"):  # of numbers at the end of their range the sum may be infinite
            return {"error": float(np.abs(self.answer(votes) - y).sum())}


def size_of(values: NDArray[np.float64]) -> int:
    """The power of two that no value reaches: over it, which is exact, squares and sums are finite."""
    return math.frexp(np.abs(values).max(initial=0))[1]


def value_scores(
    values: NDArray[Any], answers: NDArray[Any], weights: NDArray[np.float64] | None = None
) -> tuple[float, float]:
    """R² and the mean absolute error of answers, for numbers of any size; ``weights`` say how much each counts.

    R² of values that are all the same is 1 where the answers are right, else 0.

    >>> value_scores(np.array([0, 2e300]), np.array([5e299, 2e300]))
    (0.875, 2.5e+299)
    >>> value_scores(np.array([3, 3]), np.array([3, 5])), value_scores(np.array([3, 3]), np.array([3, 3]))
    ((0.0, 1.0), (1.0, 0.0))
    """
    both = np.array([values, answers], np.float64)
    exponent = size_of(both)
    values, answers = np.ldexp(both, -exponent)
    each = 1.0 if weights is None else weights / weights.max()
    mean = values.mean() if weights is None else np.average(values, weights=each)
    missed, spread = (float((each * np.square(values - others)).sum()) for others in (answers, mean))
    with np.errstate(over="ignore"):
        error = float(np.ldexp(np.average(np.abs(values - answers), weights=weights), exponent))
    return 1 - missed / spread if spread > 0 else float(missed == 0), min(error, sys.float_info.max)
