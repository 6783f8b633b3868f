"""Heads: what labels ask of the banks, and what the banks' votes answer.

A head knows how many banks and outputs a machine has, turns the labels of an epoch into streams of steps (row, output,
target), and votes into class indices, decisions and shares. It counts the labels it has seen, since where the votes do
not decide, the more frequent class may. Nobody else asks how many classes there are. The machine between labels and
votes is the backends'; names and types of labels are the estimators'.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from adtm import _core
from adtm.calibration import softmax
from adtm.ledger import Ledger
from adtm.schedule import Schedule, Streams

__all__ = ["Head", "OneBankPerClass", "Silence", "TwoClasses", "class_head"]

Votes = NDArray[np.int32]
Silence: TypeAlias = Literal["frequent", "paper"]


class Head(Protocol):
    """From labels to streams, and from votes to answers. Votes are (samples, banks x outputs)."""

    @property
    def n_banks(self) -> int:
        """Banks of clauses."""

    @property
    def n_outputs(self) -> int:
        """Votes that each bank casts."""

    @property
    def counts(self) -> tuple[int, ...]:
        """Samples of each class that were learned from, over the machine's life; () before the first."""

    def counted(self, y: NDArray[np.intp]) -> Self:
        """This head after learning from these class indices."""

    def under(self, silence: Silence) -> Self:
        """This head with that answer to silence."""

    def streams(
        self, y: NDArray[np.intp], schedule: Schedule, *, seed: int, epoch: int, first: int
    ) -> tuple[Streams, Ledger]:
        """The steps of one epoch and the draws they took; ``epoch`` epochs and ``first`` samples came before."""

    def answer(self, votes: Votes) -> NDArray[np.intp]:
        """The class index of each sample."""

    def silent(self, votes: Votes) -> NDArray[np.bool_]:
        """Where the votes do not decide: a vote of 0, or several largest."""

    def decision(self, votes: Votes) -> NDArray[np.float64]:
        """The votes as scikit-learn's ``decision_function`` has them."""

    def shares(self, votes: Votes, T: int) -> NDArray[np.float64]:
        """Votes clipped to [-T, T] as shares (samples, classes) that add up to 1; the answer has the largest."""

    def scores(self, votes: Votes) -> NDArray[np.float64]:
        """The votes for each class (samples, classes), one against the other."""

    def probabilities(self, votes: Votes, temperature: float) -> NDArray[np.float64]:
        """Probabilities (samples, classes) of votes at a temperature (``calibration``); the answer has the largest."""


@dataclass(frozen=True, kw_only=True)
class _Classes:
    """What heads of classes share: the rule for silence, and the counts that it may ask."""

    silence: Silence = "paper"
    counts: tuple[int, ...] = ()

    def under(self, silence: Silence) -> Self:
        return self if silence == self.silence else replace(self, silence=silence)

    def _counted(self, y: NDArray[np.intp], n_classes: int) -> Self:
        seen = np.bincount(y, minlength=n_classes).tolist()
        before = self.counts or (0,) * n_classes
        return replace(self, counts=tuple(old + new for old, new in zip(before, seen, strict=True)))


@dataclass(frozen=True)
class TwoClasses(_Classes):
    """Two classes share one bank: a vote above 0 is for the second, one below for the first.

    A vote of 0 is silence: it is answered with the second class as in the paper, or with the more frequent one.

    Examples
    --------
    >>> import numpy as np
    >>> from adtm.heads import TwoClasses
    >>> votes = np.array([[-1], [0], [1]], np.int32)
    >>> TwoClasses().answer(votes).tolist()
    [0, 1, 1]
    >>> TwoClasses(silence="frequent").counted(np.array([0, 0, 1])).answer(votes).tolist()
    [0, 0, 1]
    """

    n_banks: int = 1
    n_outputs: int = 1

    def counted(self, y: NDArray[np.intp]) -> Self:
        return self._counted(y, 2)

    def streams(
        self, y: NDArray[np.intp], schedule: Schedule, *, seed: int, epoch: int, first: int
    ) -> tuple[Streams, Ledger]:
        del first
        order, drawn = schedule.order(seed, epoch, len(y))
        streams = Streams(
            rows=order,
            outputs=np.zeros(len(y), np.uint32),
            targets=y[order].astype(np.int32),
            offsets=np.array([0, len(y)], np.uint64),
        )
        return streams, Ledger(shuffle_draws=drawn)

    def answer(self, votes: Votes) -> NDArray[np.intp]:
        return (votes[:, 0] >= (0 if self._silence_is_second() else 1)).astype(np.intp)

    def silent(self, votes: Votes) -> NDArray[np.bool_]:
        return np.asarray(votes[:, 0] == 0)

    def decision(self, votes: Votes) -> NDArray[np.float64]:
        # To scikit-learn a positive decision is one for the second class, any other one for the first.
        least = np.finfo(np.float64).tiny * (1 if self._silence_is_second() else -1)
        return np.where(self.silent(votes), least, votes[:, 0].astype(np.float64))

    def _silence_is_second(self) -> bool:
        return self.silence == "paper" or not self.counts or self.counts[1] >= self.counts[0]

    def shares(self, votes: Votes, T: int) -> NDArray[np.float64]:
        second = _clipped_shares(votes, T)
        return _largest_at(self.answer(votes), np.hstack([1 - second, second]))

    def scores(self, votes: Votes) -> NDArray[np.float64]:
        halves = votes[:, 0] / 2
        return np.column_stack([-halves, halves])

    def probabilities(self, votes: Votes, temperature: float) -> NDArray[np.float64]:
        return _largest_at(self.answer(votes), softmax(self.scores(votes), temperature))


@dataclass(frozen=True)
class OneBankPerClass(_Classes):
    """Each class has a bank: the largest vote wins.

    A tie is silence: the lowest index wins it as in the paper, or the most frequent of the tied classes. A sample is a
    step of its own class's bank with target 1, and of some other classes' banks with target 0.

    Examples
    --------
    >>> import numpy as np
    >>> from adtm.heads import OneBankPerClass
    >>> votes = np.array([[3, 3, 1], [0, 1, 2]], np.int32)
    >>> OneBankPerClass(3).answer(votes).tolist()
    [0, 2]
    >>> OneBankPerClass(3, silence="frequent").counted(np.array([0, 1, 1, 2])).answer(votes).tolist()
    [1, 2]
    """

    n_banks: int
    n_outputs: int = 1

    def counted(self, y: NDArray[np.intp]) -> Self:
        return self._counted(y, self.n_banks)

    def streams(
        self, y: NDArray[np.intp], schedule: Schedule, *, seed: int, epoch: int, first: int
    ) -> tuple[Streams, Ledger]:
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

    def answer(self, votes: Votes) -> NDArray[np.intp]:
        return self._winners(votes)[0]

    def silent(self, votes: Votes) -> NDArray[np.bool_]:
        return self._winners(votes)[1]

    def decision(self, votes: Votes) -> NDArray[np.float64]:
        # To scikit-learn the first of the largest decisions is the answer: under the paper's rule it is.
        decision = votes.astype(np.float64)
        if self.silence != "paper":
            winners, tied = self._winners(votes)
            silent = np.flatnonzero(tied)
            decision[silent, winners[silent]] = np.nextafter(decision[silent, winners[silent]], np.inf)
        return decision

    def _winners(self, votes: Votes) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """The class with the largest vote, of equal ones the first in the order of preference; and where some are."""
        classes = range(self.n_banks)
        paper = self.silence == "paper" or not self.counts
        preferred = classes if paper else sorted(classes, key=self.counts.__getitem__, reverse=True)
        winners, tied = np.empty(len(votes), np.int64), np.empty(len(votes), np.bool_)
        _core.first_largest(np.ascontiguousarray(votes), np.array(preferred, np.uint32), winners, tied)
        return winners.astype(np.intp, copy=False), tied

    def shares(self, votes: Votes, T: int) -> NDArray[np.float64]:
        share = _clipped_shares(votes, T)
        total = share.sum(axis=1, keepdims=True)
        share = np.where(total > 0, share / np.where(total > 0, total, 1), 1 / self.n_banks)
        return _largest_at(self.answer(votes), share)

    def scores(self, votes: Votes) -> NDArray[np.float64]:
        return votes.astype(np.float64)

    def probabilities(self, votes: Votes, temperature: float) -> NDArray[np.float64]:
        return _largest_at(self.answer(votes), softmax(self.scores(votes), temperature))


def class_head(n_classes: int, silence: Silence = "paper", counts: tuple[int, ...] = ()) -> Head:
    """The head for so many classes: two share one bank, more have one each.

    ``counts`` are the samples of each class seen so far; all 0 is the same as none.

    Examples
    --------
    >>> from adtm.heads import class_head
    >>> class_head(2).n_banks, class_head(3).n_banks
    (1, 3)
    """
    seen = counts if any(counts) else ()
    if n_classes == 2:
        return TwoClasses(silence=silence, counts=seen)
    return OneBankPerClass(n_classes, silence=silence, counts=seen)


def _clipped_shares(votes: Votes, T: int) -> NDArray[np.float64]:
    """A vote on the line from -T to T as a share from 0 to 1."""
    return (np.clip(votes, -T, T).astype(np.float64) + T) / (2 * T)


def _largest_at(winner: NDArray[np.intp], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values, the winner's one unit in the last place larger where clipping or a tie made another equal."""
    rows = np.arange(len(values))
    others = values.copy()
    others[rows, winner] = -np.inf
    tied = values[rows, winner] <= others.max(axis=1, initial=-np.inf)
    values[rows[tied], winner[tied]] = np.nextafter(values[rows[tied], winner[tied]], np.inf)
    return values
