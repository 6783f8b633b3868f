"""Heads: what labels ask of the banks, and what the banks' votes answer.

A head knows how many banks and outputs a machine has, turns the labels of an epoch into streams of steps (row, output,
target), and votes into class indices, decisions and shares. Nobody else asks how many classes there are. The machine
between labels and votes is the backends'; names and types of labels are the estimators'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from adtm import _core
from adtm.ledger import Ledger
from adtm.schedule import Schedule, Streams

__all__ = ["Head", "OneBankPerClass", "TwoClasses", "class_head"]

Votes = NDArray[np.int32]


class Head(Protocol):
    """From labels to streams, and from votes to answers. Votes are (samples, banks x outputs)."""

    @property
    def n_banks(self) -> int:
        """Banks of clauses."""

    @property
    def n_outputs(self) -> int:
        """Votes that each bank casts."""

    def streams(
        self, y: NDArray[np.intp], schedule: Schedule, *, seed: int, epoch: int, first: int
    ) -> tuple[Streams, Ledger]:
        """The steps of one epoch and the draws they took; ``epoch`` epochs and ``first`` samples came before."""

    def answer(self, votes: Votes) -> NDArray[np.intp]:
        """The class index of each sample."""

    def decision(self, votes: Votes) -> NDArray[np.float64]:
        """The votes as scikit-learn's ``decision_function`` has them."""

    def shares(self, votes: Votes, T: int) -> NDArray[np.float64]:
        """Votes clipped to [-T, T] as shares (samples, classes) that add up to 1; the answer has the largest."""


@dataclass(frozen=True)
class TwoClasses:
    """Two classes share one bank: a vote of 0 or more is for the second.

    Examples
    --------
    >>> import numpy as np
    >>> from adtm.heads import TwoClasses
    >>> TwoClasses().answer(np.array([[-1], [0], [1]], np.int32)).tolist()
    [0, 1, 1]
    """

    n_banks: int = 1
    n_outputs: int = 1

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
        return (votes[:, 0] >= 0).astype(np.intp)

    def decision(self, votes: Votes) -> NDArray[np.float64]:
        # To scikit-learn only a positive decision is one for the second class.
        return np.where(votes[:, 0] == 0, np.finfo(np.float64).tiny, votes[:, 0].astype(np.float64))

    def shares(self, votes: Votes, T: int) -> NDArray[np.float64]:
        second = _clipped_shares(votes, T)
        return _largest_at(self.answer(votes), np.hstack([1 - second, second]))


@dataclass(frozen=True)
class OneBankPerClass:
    """Each class has a bank: the largest vote wins, the lowest index a tie.

    A sample is a step of its own class's bank with target 1, and of one other class's with target 0.

    Examples
    --------
    >>> import numpy as np
    >>> from adtm.heads import OneBankPerClass
    >>> OneBankPerClass(3).answer(np.array([[3, 3, 1], [0, 1, 2]], np.int32)).tolist()
    [0, 2]
    """

    n_banks: int
    n_outputs: int = 1

    def streams(
        self, y: NDArray[np.intp], schedule: Schedule, *, seed: int, epoch: int, first: int
    ) -> tuple[Streams, Ledger]:
        order, shuffle_draws = schedule.order(seed, epoch, len(y))
        own = y.astype(np.uint32)[order]
        other, other_draws = schedule.others(own, self.n_banks, seed=seed, epoch=epoch, first=first)
        n_steps = 2 * len(y)
        streams = Streams(
            rows=np.empty(n_steps, np.uint32),
            outputs=np.zeros(n_steps, np.uint32),
            targets=np.empty(n_steps, np.int32),
            offsets=np.empty(self.n_banks + 1, np.uint64),
        )
        _core.class_streams(order, own, other, streams.rows, streams.targets, streams.offsets)
        return streams, Ledger(shuffle_draws=shuffle_draws, other_class_draws=other_draws)

    def answer(self, votes: Votes) -> NDArray[np.intp]:
        return np.asarray(votes.argmax(axis=1), dtype=np.intp)

    def decision(self, votes: Votes) -> NDArray[np.float64]:
        return votes.astype(np.float64)

    def shares(self, votes: Votes, T: int) -> NDArray[np.float64]:
        share = _clipped_shares(votes, T)
        total = share.sum(axis=1, keepdims=True)
        share = np.where(total > 0, share / np.where(total > 0, total, 1), 1 / self.n_banks)
        return _largest_at(self.answer(votes), share)


def class_head(n_classes: int) -> Head:
    """The head for so many classes: two share one bank, more have one each.

    Examples
    --------
    >>> from adtm.heads import class_head
    >>> class_head(2), class_head(3)
    (TwoClasses(n_banks=1, n_outputs=1), OneBankPerClass(n_banks=3, n_outputs=1))
    """
    return TwoClasses() if n_classes == 2 else OneBankPerClass(n_classes)


def _clipped_shares(votes: Votes, T: int) -> NDArray[np.float64]:
    """A vote on the line from -T to T as a share from 0 to 1."""
    return (np.clip(votes, -T, T).astype(np.float64) + T) / (2 * T)


def _largest_at(winner: NDArray[np.intp], share: NDArray[np.float64]) -> NDArray[np.float64]:
    """The shares, the winner's one unit in the last place larger where clipping or a tie made another equal."""
    rows = np.arange(len(share))
    others = share.copy()
    others[rows, winner] = -1
    tied = share[rows, winner] <= others.max(axis=1, initial=-1)
    share[rows[tied], winner[tied]] = np.nextafter(share[rows[tied], winner[tied]], 2)
    return share
