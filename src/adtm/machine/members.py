"""Committees: members that learn alone and whose votes are added (docs/spec.md, Committees).

A member is a whole machine: as many banks as the head asks for, which follow those of the members before it. Backends
know banks only, so a committee asks nothing of them. Which rows a member learns from is in ``learning.samples``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from adtm.machine.backends.protocol import Rows, Voter
from adtm.machine.heads import Head, Targets
from adtm.machine.ledger import Ledger
from adtm.machine.schedule import Schedule, Streams

#: For each member the rows that it learns from, in their order; None is every row once.
Lessons: TypeAlias = Sequence[NDArray[np.intp] | None]


@dataclass(frozen=True, eq=False)
class Epoch:
    """What the steps of an epoch follow from; equal to one with the same arrays.

    Of k members, member j has the order and the other classes that a single machine has after ``epoch * k + j`` epochs.

    >>> from adtm.machine.heads import TwoClasses
    >>> y = np.array([0, 1, 1])
    >>> epoch = Epoch(TwoClasses(), y, [None, None], Schedule("weyl"), seed=0, epoch=0, first=0)
    >>> streams, _ = epoch.streams()
    >>> streams.rows.tolist(), streams.offsets.tolist()
    ([0, 2, 1, 0, 1, 2], [0, 3, 6])
    >>> epoch.of_banks(np.array([1]))[0].rows.tolist()
    [0, 1, 2]
    """

    head: Head
    y: Targets
    lessons: Lessons
    schedule: Schedule
    seed: int
    epoch: int
    first: int  # samples that came before

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Epoch) and self._identity() == other._identity()

    __hash__ = None  # type: ignore[assignment]

    def _identity(self) -> tuple[Any, ...]:
        arrays = [id(array) for array in (self.y, *self.lessons)]
        draws = () if self.schedule.draws_nothing else (self.seed, self.first)
        return arrays, self.head, self.schedule, self.epoch, draws

    @property
    def shown(self) -> list[int]:
        """Samples that each member learns from."""
        return [len(self.y) if rows is None else len(rows) for rows in self.lessons]

    def next(self, n: int = 1) -> Epoch:
        """The epoch after this one, or n after it, if it shows the same rows."""
        return replace(self, epoch=self.epoch + n, first=self.first + n * sum(self.shown))

    def streams(self) -> tuple[Streams, Ledger]:
        """The steps of all members, and the draws they took."""
        parts = [self._of_member(member) for member in range(len(self.lessons))]
        return Streams.joined([streams for streams, _ in parts]), sum((drawn for _, drawn in parts), Ledger())

    def of_banks(self, banks: NDArray[Any]) -> tuple[Streams, Ledger]:
        """The steps of some banks alone. A member's draws are counted with its first bank."""
        parts, drawn, n_banks = [], Ledger(), self.head.n_banks
        for member in np.unique(banks // n_banks).tolist():
            own = banks[banks // n_banks == member] % n_banks
            streams, draws = self._of_member(member)
            parts.append(streams if len(own) == n_banks else streams.take(own))
            drawn += draws if 0 in own else Ledger()
        return Streams.joined(parts), drawn

    def _of_member(self, member: int) -> tuple[Streams, Ledger]:
        rows, k = self.lessons[member], len(self.lessons)
        y = self.y if rows is None else self.y[rows]
        about = {"seed": self.seed, "epoch": self.epoch * k + member, "first": self.first + sum(self.shown[:member])}
        streams, drawn = self.head.streams(y, self.schedule, **about)
        return streams if rows is None else streams.of_rows(rows), drawn


class AddedVotes:
    """A voter of a committee: what its members say, added up."""

    def __init__(self, voter: Voter, n_members: int) -> None:
        self._voter, self._n_members = voter, n_members

    def votes(self, placed: Any, rows: Rows | None = None, *, n_jobs: int = 1) -> NDArray[np.int32]:
        apart = self._voter.votes(placed, rows, n_jobs=n_jobs)  # (samples, members x banks x outputs)
        own = apart.shape[1] // self._n_members
        together = apart.reshape(len(apart), self._n_members, own).sum(axis=1, dtype=np.int32)
        return np.asarray(together)


def added(voter: Voter, n_members: int) -> Voter:
    """The voter whose votes the head reads; that of a single machine is the backend's own."""
    return voter if n_members == 1 else AddedVotes(voter, n_members)
