"""Heads: what y asks of the banks, and what the banks' votes answer.

A head knows how many banks and outputs a machine has, turns the targets of an epoch (class indices, labels that are
there or not, values) into streams of steps (row, output, target), and votes into answers. Those of classes and labels
count what they have seen, since where the votes do not decide, the more frequent answer may. Nobody else asks how many
classes there are. The machine between y and votes is the backends'; names and types of labels are the estimators'.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from adtm import _core
from adtm.ledger import Ledger
from adtm.schedule import Schedule, Streams

__all__ = [
    "ClassHead",
    "Head",
    "Labels",
    "OneBankPerClass",
    "Shared",
    "Silence",
    "Targets",
    "TwoClasses",
    "Value",
    "class_head",
    "label_head",
]

Votes = NDArray[np.int32]
Silence: TypeAlias = Literal["frequent", "paper"]
#: Class indices (samples,), labels that are there or not (samples, labels), or values (samples,).
Targets: TypeAlias = NDArray[Any]


class Head(Protocol):
    """From targets to streams, and from votes to answers. Votes are (samples, banks x outputs)."""

    @property
    def n_banks(self) -> int:
        """Banks of clauses."""

    @property
    def n_outputs(self) -> int:
        """Votes that each bank casts."""

    def counted(self, y: Targets) -> Self:
        """This head after learning from these targets."""

    def streams(self, y: Targets, schedule: Schedule, *, seed: int, epoch: int, first: int) -> tuple[Streams, Ledger]:
        """The steps of one epoch and the draws they took; ``epoch`` epochs and ``first`` samples came before."""

    def answer(self, votes: Votes) -> Targets:
        """The answer for each sample, in the form of the targets."""

    def tally(self, votes: Votes, y: Targets) -> dict[str, float]:
        """Sums over the samples, by name: whose means say how good the answers are."""


class ClassHead(Head, Protocol):
    """A head of classes or labels."""

    @property
    def counts(self) -> tuple[int, ...]:
        """Samples of each class that were learned from, over the machine's life; () before the first."""

    def under(self, silence: Silence) -> Self:
        """This head with that answer to silence."""

    def having(self, counts: tuple[int, ...]) -> Self:
        """This head with those counts; all 0 is the same as none."""

    def silent(self, votes: Votes) -> NDArray[np.bool_]:
        """Where the votes do not decide: a vote of 0, or several largest."""

    def decision(self, votes: Votes) -> NDArray[np.float64]:
        """The votes as scikit-learn's ``decision_function`` has them."""

    def shares(self, votes: Votes, T: int) -> NDArray[np.float64]:
        """Votes clipped to [-T, T] as shares (samples, classes) that add up to 1; the answer has the largest."""


@dataclass(frozen=True, kw_only=True)
class _Classes:
    """What heads of classes share: the rule for silence, and the counts that it may ask."""

    silence: Silence = "paper"
    counts: tuple[int, ...] = ()

    def under(self, silence: Silence) -> Self:
        return replace(self, silence=silence)

    def having(self, counts: tuple[int, ...]) -> Self:
        return replace(self, counts=counts if any(counts) else ())

    def _seen(self, counts: NDArray[np.intp]) -> Self:
        before = self.counts or (0,) * len(counts)
        return replace(self, counts=tuple(old + new for old, new in zip(before, counts.tolist(), strict=True)))


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

    def counted(self, y: Targets) -> Self:
        return self._seen(np.bincount(y, minlength=2))

    def streams(self, y: Targets, schedule: Schedule, *, seed: int, epoch: int, first: int) -> tuple[Streams, Ledger]:
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

    def tally(self, votes: Votes, y: Targets) -> dict[str, float]:
        return _tally(self.answer(votes) == y, self.silent(votes))

    def decision(self, votes: Votes) -> NDArray[np.float64]:
        # To scikit-learn a positive decision is one for the second class, any other one for the first.
        least = np.finfo(np.float64).tiny * (1 if self._silence_is_second() else -1)
        return np.where(self.silent(votes), least, votes[:, 0].astype(np.float64))

    def _silence_is_second(self) -> bool:
        return self.silence == "paper" or not self.counts or self.counts[1] >= self.counts[0]

    def shares(self, votes: Votes, T: int) -> NDArray[np.float64]:
        second = _clipped_shares(votes, T)
        return _largest_at(self.answer(votes), np.hstack([1 - second, second]))


@dataclass(frozen=True)
class _LargestVote(_Classes):
    """Each class has a vote, and the largest wins; a tie is silence."""

    n_banks: int
    n_outputs: int = 1

    @property
    def n_classes(self) -> int:
        return self.n_banks * self.n_outputs

    def counted(self, y: Targets) -> Self:
        return self._seen(np.bincount(y, minlength=self.n_classes))

    def answer(self, votes: Votes) -> NDArray[np.intp]:
        return self._winners(votes)[0]

    def silent(self, votes: Votes) -> NDArray[np.bool_]:
        return self._winners(votes)[1]

    def tally(self, votes: Votes, y: Targets) -> dict[str, float]:
        winners, tied = self._winners(votes)
        return _tally(winners == y, tied)

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
        classes = range(self.n_classes)
        paper = self.silence == "paper" or not self.counts
        preferred = classes if paper else sorted(classes, key=self.counts.__getitem__, reverse=True)
        winners, tied = np.empty(len(votes), np.int64), np.empty(len(votes), np.bool_)
        _core.first_largest(np.ascontiguousarray(votes), np.array(preferred, np.uint32), winners, tied)
        return winners.astype(np.intp, copy=False), tied

    def shares(self, votes: Votes, T: int) -> NDArray[np.float64]:
        share = _clipped_shares(votes, T)
        total = share.sum(axis=1, keepdims=True)
        share = np.where(total > 0, share / np.where(total > 0, total, 1), 1 / self.n_classes)
        return _largest_at(self.answer(votes), share)


@dataclass(frozen=True)
class OneBankPerClass(_LargestVote):
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
class Shared(_LargestVote):
    """All classes share one bank, in which each has an output: a clause has a weight for every class.

    A sample is a step of its own class's output with target 1, then of some other classes' with target 0.

    Examples
    --------
    >>> import numpy as np
    >>> from adtm.heads import Shared
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


@dataclass(frozen=True)
class Labels(_Classes):
    """Several labels, each there or not: one bank for each, or one output of a shared bank.

    A sample is one step for every label, with target 1 where it is there and 0 where not. A vote above 0 says that it
    is, one below that it is not; 0 is silence, answered with yes as in the paper's machine of two classes, or with what
    is more frequent for that label. ``counts`` holds the samples without each label, then those with it.

    Examples
    --------
    >>> import numpy as np
    >>> from adtm.heads import Labels
    >>> Labels(3).answer(np.array([[-1, 0, 1]], np.int32)).tolist()
    [[0, 1, 1]]
    """

    n_labels: int
    shared: bool = False

    @property
    def n_banks(self) -> int:
        return 1 if self.shared else self.n_labels

    @property
    def n_outputs(self) -> int:
        return self.n_labels if self.shared else 1

    def counted(self, y: Targets) -> Self:
        present = np.count_nonzero(y, axis=0)
        return self._seen(np.concatenate([len(y) - present, present]))

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

    def answer(self, votes: Votes) -> NDArray[np.intp]:
        return (votes >= np.where(self._silence_is_yes(), 0, 1)).astype(np.intp)

    def silent(self, votes: Votes) -> NDArray[np.bool_]:
        """Where one label or more is not decided."""
        undecided: NDArray[np.bool_] = np.any(votes == 0, axis=1)
        return undecided

    def tally(self, votes: Votes, y: Targets) -> dict[str, float]:
        return _tally(np.all(self.answer(votes) == y, axis=1), self.silent(votes))

    def decision(self, votes: Votes) -> NDArray[np.float64]:
        least = np.finfo(np.float64).tiny * np.where(self._silence_is_yes(), 1, -1)
        return np.where(votes == 0, least, votes.astype(np.float64))

    def _silence_is_yes(self) -> NDArray[np.bool_]:
        if self.silence == "paper" or not self.counts:
            return np.ones(self.n_labels, np.bool_)
        absent, present = np.split(np.array(self.counts, object), 2)
        return (present >= absent).astype(np.bool_)

    def shares(self, votes: Votes, T: int) -> NDArray[np.float64]:
        """Of each label on its own: more than one half where it is the answer, less where it is not."""
        yes = np.nextafter(0.5, np.where(self._silence_is_yes(), 1, 0))
        return np.where(votes == 0, yes, _clipped_shares(votes, T))


@dataclass(frozen=True)
class Value:
    """One bank whose vote is a value: ``low`` at a vote of 0, ``high`` at T; what lies beyond is answered with the end.

    Examples
    --------
    >>> import numpy as np
    >>> from adtm.heads import Value
    >>> Value(T=10, low=-1.0, high=1.0).answer(np.array([[-3], [0], [5], [99]], np.int32)).tolist()
    [-1.0, -1.0, 0.0, 1.0]
    """

    T: int
    low: float
    high: float
    n_banks: int = 1
    n_outputs: int = 1

    def counted(self, y: Targets) -> Self:
        del y
        return self

    def streams(self, y: Targets, schedule: Schedule, *, seed: int, epoch: int, first: int) -> tuple[Streams, Ledger]:
        del first
        order, drawn = schedule.order(seed, epoch, len(y))
        streams = Streams(
            rows=order,
            outputs=np.zeros(len(y), np.uint32),
            targets=self.targets(y)[order],
            offsets=np.array([0, len(y)], np.uint64),
        )
        return streams, Ledger(shuffle_draws=drawn)

    def targets(self, y: Targets) -> NDArray[np.int32]:
        """Values as votes, to the nearest (an even one of two); beyond the range, its end."""
        if self.high == self.low:
            return np.zeros(len(y), np.int32)
        return np.rint((np.clip(y, self.low, self.high) - self.low) / (self.high - self.low) * self.T).astype(np.int32)

    def answer(self, votes: Votes) -> NDArray[np.float64]:
        share = np.clip(votes[:, 0], 0, self.T) / self.T
        return np.where(share == 1, self.high, self.low + share * (self.high - self.low))

    def tally(self, votes: Votes, y: Targets) -> dict[str, float]:
        return {"error": float(np.abs(self.answer(votes) - y).sum())}


def class_head(n_classes: int, silence: Silence = "paper", *, shared: bool = False) -> ClassHead:
    """The head for so many classes: two share one bank, more have one each; or all share one, each with its output.

    Examples
    --------
    >>> from adtm.heads import class_head
    >>> class_head(2).n_banks, class_head(3).n_banks, class_head(3, shared=True).n_banks
    (1, 3, 1)
    """
    if shared:
        return Shared(1, n_classes, silence=silence)
    return TwoClasses(silence=silence) if n_classes == 2 else OneBankPerClass(n_classes, silence=silence)


def label_head(n_labels: int, silence: Silence = "paper", *, shared: bool = False) -> ClassHead:
    """The head for so many labels: one bank each, or all share one."""
    return Labels(n_labels, shared, silence=silence)


def _tally(right: NDArray[np.bool_], silent: NDArray[np.bool_]) -> dict[str, float]:
    return {"accuracy": int(np.count_nonzero(right)), "silent": int(np.count_nonzero(silent))}


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
