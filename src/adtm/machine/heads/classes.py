"""Heads of classes: two that share a bank, many with a bank each, or all with an output of one bank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from adtm import _core
from adtm.machine.calibration import Temperature, fit_temperature, largest_at, softmax, two_sides
from adtm.machine.heads.outputs import first_largest
from adtm.machine.heads.protocol import LEAST, ClassHead, Counting, Silence, Targets, Votes, clipped_shares, tally_of
from adtm.machine.ledger import Ledger
from adtm.machine.schedule import Schedule, Streams


class _OneOfAll(Counting):
    """One class is the answer: all have scores, one against the other, and probabilities that add up to 1."""

    def scores(self, votes: Votes) -> NDArray[np.float64]:
        """What the votes say for each class: (samples, classes)."""
        raise NotImplementedError

    def temperature(self, votes: Votes, y: Targets, weights: NDArray[np.float64] | None) -> Temperature:
        return fit_temperature(self.scores(votes), y, weights)

    def probabilities(self, votes: Votes, temperature: Temperature) -> NDArray[np.float64]:
        return largest_at(self.answer(votes), softmax(self.scores(votes), float(temperature)))


@dataclass(frozen=True)
class TwoClasses(_OneOfAll):
    """Two classes share one bank: a vote above 0 is for the second, one below for the first.

    A vote of 0 is silence: it is answered with the second class as in the paper, or with the more frequent one.

    >>> votes = np.array([[-1], [0], [1]], np.int32)
    >>> TwoClasses().answer(votes).tolist()
    [0, 1, 1]
    >>> TwoClasses(silence="frequent").counted(np.array([0, 0, 1])).answer(votes).tolist()
    [0, 0, 1]
    """

    kind = "two"
    n_banks: int = 1
    n_outputs: int = 1

    @property
    def preference(self) -> tuple[int, ...]:
        second = self.silence == "paper" or not self.counts or self.counts[1] >= self.counts[0]
        return (1, 0) if second else (0, 1)

    def counted(self, y: Targets) -> Self:
        return self._adding(np.bincount(y, minlength=2))

    def streams(self, y: Targets, schedule: Schedule, *, seed: int, epoch: int, first: int) -> tuple[Streams, Ledger]:
        del first
        order, drawn = schedule.order(seed, epoch, len(y))
        return Streams.single(order, y[order].astype(np.int32)), Ledger(shuffle_draws=drawn)

    def silent(self, votes: Votes) -> NDArray[np.bool_]:
        return np.asarray(votes[:, 0] == 0)

    def tally(self, votes: Votes, y: Targets) -> dict[str, float]:
        return tally_of(self.answer(votes) == y, self.silent(votes))

    def decision(self, votes: Votes) -> NDArray[np.float64]:
        # To scikit-learn a positive decision is one for the second class, any other one for the first.
        least = LEAST if self.preference[0] else -LEAST
        return np.where(self.silent(votes), least, votes[:, 0].astype(np.float64))

    def shares(self, votes: Votes, T: int) -> NDArray[np.float64]:
        second = clipped_shares(votes, T)
        return largest_at(self.answer(votes), np.hstack([1 - second, second]))

    def scores(self, votes: Votes) -> NDArray[np.float64]:
        return two_sides(votes[:, 0])


@dataclass(frozen=True)
class LargestVote(_OneOfAll):
    """Each class has a vote, and the largest wins; a tie is silence."""

    kind = "classes"
    n_banks: int
    n_outputs: int = 1

    @property
    def preference(self) -> tuple[int, ...]:
        classes = range(self.n_classes)
        paper = self.silence == "paper" or not self.counts
        return tuple(classes if paper else sorted(classes, key=self.counts.__getitem__, reverse=True))

    @property
    def n_classes(self) -> int:
        return self.n_banks * self.n_outputs

    def counted(self, y: Targets) -> Self:
        return self._adding(np.bincount(y, minlength=self.n_classes))

    def silent(self, votes: Votes) -> NDArray[np.bool_]:
        return first_largest(votes, self.preference)[1]

    def tally(self, votes: Votes, y: Targets) -> dict[str, float]:
        winners, tied = first_largest(votes, self.preference)
        return tally_of(winners == y, tied)

    def decision(self, votes: Votes) -> NDArray[np.float64]:
        # To scikit-learn the first of the largest decisions is the answer: under the paper's rule it is.
        decision = votes.astype(np.float64)
        if self.silence != "paper":
            winners, tied = first_largest(votes, self.preference)
            silent = np.flatnonzero(tied)
            decision[silent, winners[silent]] = np.nextafter(decision[silent, winners[silent]], np.inf)
        return decision

    def shares(self, votes: Votes, T: int) -> NDArray[np.float64]:
        share = clipped_shares(votes, T)
        total = share.sum(axis=1, keepdims=True)
        share = np.where(total > 0, share / np.where(total > 0, total, 1), 1 / self.n_classes)
        return largest_at(self.answer(votes), share)

    def scores(self, votes: Votes) -> NDArray[np.float64]:
        return votes.astype(np.float64)


@dataclass(frozen=True)
class OneBankPerClass(LargestVote):
    """Each class has a bank: the largest vote wins.

    A tie is silence: the lowest index wins it as in the paper, or the most frequent of the tied classes. A sample is a
    step of its own class's bank with target 1, and of some other classes' banks with target 0.

    >>> votes = np.array([[3, 3, 1], [0, 1, 2]], np.int32)
    >>> OneBankPerClass(3).answer(votes).tolist()
    [0, 2]
    >>> OneBankPerClass(3, silence="frequent").counted(np.array([0, 1, 1, 2])).answer(votes).tolist()
    [1, 2]
    """

    def streams(self, y: Targets, schedule: Schedule, *, seed: int, epoch: int, first: int) -> tuple[Streams, Ledger]:
        order, shuffle_draws = schedule.order(seed, epoch, len(y))
        own = y.astype(np.uint32)[order]
        others, other_draws = schedule.others(own, self.n_banks, seed=seed, epoch=epoch, first=first)
        n_steps = own.size + others.size
        streams = Streams(
            rows=np.empty(n_steps, np.uint32),
            outputs=np.zeros(n_steps, np.uint32),
            targets=np.empty(n_steps, np.int32),
            offsets=np.empty(self.n_banks + 1, np.uint64),
        )
        _core.class_streams(order, own, others, streams.rows, streams.targets, streams.offsets)
        return streams, Ledger(shuffle_draws=shuffle_draws, other_class_draws=other_draws)


@dataclass(frozen=True)
class Shared(LargestVote):
    """All classes share one bank, in which each has an output: a clause has a weight for every class.

    A sample is a step of its own class's output with target 1, then of some other classes' with target 0.

    >>> Shared(n_banks=1, n_outputs=3).answer(np.array([[3, 3, 1], [0, 1, 2]], np.int32)).tolist()
    [0, 2]
    """

    def streams(self, y: Targets, schedule: Schedule, *, seed: int, epoch: int, first: int) -> tuple[Streams, Ledger]:
        order, shuffle_draws = schedule.order(seed, epoch, len(y))
        own = y.astype(np.uint32)[order]
        others, other_draws = schedule.others(own, self.n_classes, seed=seed, epoch=epoch, first=first)
        outputs = np.vstack([own, others]).T  # (samples, 1 + q)
        streams = Streams(
            rows=np.repeat(order, outputs.shape[1]),
            outputs=outputs.ravel(),
            targets=np.tile(np.arange(outputs.shape[1]) == 0, len(y)).astype(np.int32),
            offsets=np.array([0, outputs.size], np.uint64),
        )
        return streams, Ledger(shuffle_draws=shuffle_draws, other_class_draws=other_draws)

    # To scikit-learn two classes have one decision: the second's vote less the first's.

    def decision(self, votes: Votes) -> NDArray[np.float64]:
        if self.n_classes > 2:
            return super().decision(votes)
        least = np.where(self.answer(votes) == 1, LEAST, -LEAST)
        ahead = np.diff(votes.astype(np.float64))[:, 0]
        return np.where(ahead == 0, least, ahead)

    def shares(self, votes: Votes, T: int) -> NDArray[np.float64]:
        if self.n_classes > 2:
            return super().shares(votes, T)
        second = clipped_shares(np.diff(votes.astype(np.int64)), 2 * T)
        return largest_at(self.answer(votes), np.hstack([1 - second, second]))


def class_head(n_classes: int, silence: Silence = "paper", *, shared: bool = False) -> ClassHead:
    """The head for so many classes: two share one bank, more have one each; or all share one, each with its output.

    >>> class_head(2).n_banks, class_head(3).n_banks, class_head(3, shared=True).n_banks
    (1, 3, 1)
    """
    if shared:
        return Shared(1, n_classes, silence=silence)
    return TwoClasses(silence=silence) if n_classes == 2 else OneBankPerClass(n_classes, silence=silence)
