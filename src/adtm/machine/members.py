"""Committees: members that learn alone and whose votes are added (docs/spec.md, Committees).

A member is a whole machine: as many banks as the head asks for, which follow those of the members before it. Backends
know banks only, so a committee asks nothing of them. Which rows a member learns from is in ``learning.samples``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from adtm.machine.backends import Voter
from adtm.machine.backends.protocol import Rows
from adtm.machine.heads import Head, Targets
from adtm.machine.ledger import Ledger
from adtm.machine.schedule import Schedule, Streams

#: For each member the rows that it learns from, in their order; None is every row once.
Lessons: TypeAlias = Sequence[NDArray[np.intp] | None]


def member_streams(
    head: Head, y: Targets, lessons: Lessons, schedule: Schedule, *, seed: int, epoch: int, first: int
) -> tuple[Streams, Ledger]:
    """The steps of all members in one epoch, and the draws they took.

    Of k members, member j has the order and the other classes that a single machine has after ``epoch * k + j`` epochs.

    >>> from adtm.machine.heads import TwoClasses
    >>> y = np.array([0, 1, 1])
    >>> streams, _ = member_streams(TwoClasses(), y, [None, None], Schedule("weyl"), seed=0, epoch=0, first=0)
    >>> streams.rows.tolist(), streams.offsets.tolist()
    ([0, 2, 1, 0, 1, 2], [0, 3, 6])
    """
    parts, drawn = [], Ledger()
    for member, rows in enumerate(lessons):
        own = y if rows is None else y[rows]
        streams, draws = head.streams(own, schedule, seed=seed, epoch=epoch * len(lessons) + member, first=first)
        parts.append(streams if rows is None else streams.of_rows(rows))
        drawn, first = drawn + draws, first + len(own)
    return Streams.joined(parts), drawn


class AddedVotes:
    """A voter of a committee: what its members say, added up."""

    def __init__(self, voter: Voter, n_members: int) -> None:
        self._voter, self._n_members = voter, n_members

    def votes(self, placed: Any, rows: Rows | None = None, *, n_jobs: int = 1) -> NDArray[np.int32]:
        apart = self._voter.votes(placed, rows, n_jobs=n_jobs)  # (samples, members x banks x outputs)
        together = apart.reshape(len(apart), self._n_members, -1).sum(axis=1, dtype=np.int32)
        return np.asarray(together)


def added(voter: Voter, n_members: int) -> Voter:
    """The voter whose votes the head reads; that of a single machine is the backend's own."""
    return voter if n_members == 1 else AddedVotes(voter, n_members)
