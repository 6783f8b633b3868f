"""The head of several labels, each there or not: a bank for each, or an output of one bank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from adtm.machine.calibration import Temperature, fit_temperature, softmax, two_sides
from adtm.machine.heads.protocol import LEAST, ClassHead, Counting, Silence, Targets, Votes, clipped_shares, tally_of
from adtm.machine.ledger import Ledger
from adtm.machine.schedule import Schedule, Streams


@dataclass(frozen=True)
class Labels(Counting):
    """Several labels, each there or not: one bank for each, or one output of a shared bank.

    A sample is one step for every label, with target 1 where it is there and 0 where not. A vote above 0 says that it
    is, one below that it is not; 0 is silence, answered with yes as in the paper's machine of two classes, or with what
    is more frequent for that label. ``counts`` holds the samples without each label, then those with it.

    >>> Labels(3).answer(np.array([[-1, 0, 1]], np.int32)).tolist()
    [[0, 1, 1]]
    """

    kind = "labels"
    n_labels: int
    shared: bool = False

    @property
    def preference(self) -> tuple[int, ...]:
        if self.silence == "paper" or not self.counts:
            return (1,) * self.n_labels
        absent, present = self.counts[: self.n_labels], self.counts[self.n_labels :]
        return tuple(int(there >= gone) for gone, there in zip(absent, present, strict=True))

    @property
    def n_banks(self) -> int:
        return 1 if self.shared else self.n_labels

    @property
    def n_outputs(self) -> int:
        return self.n_labels if self.shared else 1

    def counted(self, y: Targets) -> Self:
        present = np.count_nonzero(y, axis=0)
        return self._adding(np.concatenate([len(y) - present, present]))

    def streams(self, y: Targets, schedule: Schedule, *, seed: int, epoch: int, first: int) -> tuple[Streams, Ledger]:
        del first
        order, drawn = schedule.order(seed, epoch, len(y))
        targets = y[order].astype(np.int32)
        outputs = np.arange(self.n_labels, dtype=np.uint32)
        streams = Streams(
            rows=np.repeat(order, self.n_labels) if self.shared else np.tile(order, self.n_labels),
            outputs=np.tile(outputs, len(y)) if self.shared else np.zeros(targets.size, np.uint32),
            targets=targets.ravel() if self.shared else targets.T.ravel(),
            offsets=np.arange(self.n_banks + 1, dtype=np.uint64) * np.uint64(targets.size // self.n_banks),
        )
        return streams, Ledger(shuffle_draws=drawn)

    def silent(self, votes: Votes) -> NDArray[np.bool_]:
        """Where one label or more is not decided."""
        undecided: NDArray[np.bool_] = np.any(votes == 0, axis=1)
        return undecided

    def tally(self, votes: Votes, y: Targets) -> dict[str, float]:
        return tally_of(np.all(self.answer(votes) == y, axis=1), self.silent(votes))

    def decision(self, votes: Votes) -> NDArray[np.float64]:
        least = np.where(np.array(self.preference) == 1, LEAST, -LEAST)
        return np.where(votes == 0, least, votes.astype(np.float64))

    def shares(self, votes: Votes, T: int) -> NDArray[np.float64]:
        return self._with_the_answer(votes, clipped_shares(votes, T))

    def temperature(self, votes: Votes, y: Targets, weights: NDArray[np.float64] | None) -> Temperature:
        pairs = zip(votes.T, y.T.astype(np.intp), strict=True)
        return np.array([fit_temperature(two_sides(own), there, weights) for own, there in pairs])

    def probabilities(self, votes: Votes, temperature: Temperature) -> NDArray[np.float64]:
        pairs = zip(votes.T, np.broadcast_to(temperature, self.n_labels), strict=True)
        there = np.array([softmax(two_sides(own), each)[:, 1] for own, each in pairs]).T
        return self._with_the_answer(votes, there)

    def _with_the_answer(self, votes: Votes, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """More than one half where a label is the answer, less where it is not; never 0 or 1, as scikit-learn wants."""
        yes = self.answer(votes) == 1
        below, above = np.nextafter(0.5, 0), np.nextafter(0.5, 1)
        return np.clip(shares, np.where(yes, above, LEAST), np.where(yes, np.nextafter(1, 0), below))


def label_head(n_labels: int, silence: Silence = "paper", *, shared: bool = False) -> ClassHead:
    """The head for so many labels: one bank each, or all share one."""
    return Labels(n_labels, shared, silence=silence)
