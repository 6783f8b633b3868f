"""The steps of an epoch in the memory of a card: made there where each class has a bank, else copied."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.machine.draws import Purpose, key, subkeys
from adtm.machine.heads import OneBankPerClass
from adtm.machine.ledger import Ledger
from adtm.machine.members import Epoch
from adtm.machine.schedule import Streams, weyl_words

_LOW = np.uint64(2**32 - 1)
_FEW = 1 << 15  # steps that the CPU makes sooner than a card begins to


class Steps:
    """Steps that a kernel reads: ``Streams`` on the card, with what is to be checked of them."""

    def __init__(
        self, parts: tuple[Any, Any, Any], offsets: NDArray[np.uint64], largest: tuple[int, int], span: tuple[int, int]
    ) -> None:
        self.rows, self.outputs, self.targets = parts
        self.offsets, self.largest, self.span = offsets, largest, span  # largest: row and output

    @classmethod
    def of(cls, card: Any, streams: Streams) -> Steps:
        """A copy of streams."""
        with card.common_stream:
            rows, outputs, targets = (card.array(part) for part in (streams.rows, streams.outputs, streams.targets))
            card.settle()
        largest, span = (-1, -1), (0, 0)
        if len(streams.rows):
            largest = int(streams.rows.max()), int(streams.outputs.max())
            span = int(streams.targets.min()), int(streams.targets.max())
        return cls((rows, outputs, targets), streams.offsets, largest, span)

    def on_host(self, card: Any) -> Streams:
        """The same as streams."""
        return Streams(card.host(self.rows), card.host(self.outputs), card.host(self.targets), self.offsets)


def steps_of(card: Any, epoch: Epoch) -> tuple[Steps, Ledger]:
    """The steps of an epoch, and the draws they took."""
    known = isinstance(epoch.head, OneBankPerClass) and epoch.schedule.shuffle in (True, False, "weyl", "sorted")
    if not known or not _FEW < sum(epoch.shown) * epoch.head.n_banks < 2**32:
        streams, drawn = epoch.streams()
        return Steps.of(card, streams), drawn
    with card.common_stream:
        making = _Making(card, epoch)
        rows, targets, counts = making.steps()
        offsets = np.concatenate([[0], np.cumsum(card.host(counts))]).astype(np.uint64)
        outputs = card.xp.zeros(len(rows), np.uint32)
        card.settle()
    return Steps((rows, outputs, targets), offsets, (len(epoch.y) - 1, 0), (0, 1)), making.drawn


class _Making:
    """The steps of all members at once, by the rules of ``schedule`` and ``heads.classes``."""

    def __init__(self, card: Any, epoch: Epoch) -> None:
        self._card, self._xp, self._epoch = card, card.xp, epoch
        self._n_classes, self._circle = np.uint64(epoch.head.n_banks), np.uint64(epoch.head.n_banks - 1)
        self._q = min(epoch.schedule.n_other_classes, epoch.head.n_banks - 1)
        self.drawn = Ledger()

    def steps(self) -> tuple[Any, Any, Any]:
        """The row and the target of each step, and how many steps each bank has."""
        xp, epoch, width = self._xp, self._epoch, np.uint64(self._q + 1)
        rows = xp.concatenate([self._rows(member) for member in range(len(epoch.lessons))])
        members = xp.concatenate([xp.full(n, member, np.uint64) for member, n in enumerate(epoch.shown)])
        own = self._card.array(epoch.y.astype(np.uint64))[rows]
        first = members * self._n_classes  # bank of a member
        place = self._place(first + own, members)
        ahead = (place[:, None] + xp.arange(self._q, dtype=np.uint64)) % self._circle + np.uint64(1)
        others = first[:, None] + (own[:, None] + ahead) % self._n_classes
        banks = xp.concatenate([(first + own)[:, None], others], axis=1).ravel()
        step = self._sorted(banks)
        return rows[step // width], (step % width == 0).astype(np.int32), self._counts(banks)

    def _sorted(self, numbers: Any) -> Any:
        """Where the numbers, which have 32 bits, lie from the smallest on; equal ones keep their order."""
        xp = self._xp
        return xp.sort(numbers << np.uint64(32) | xp.arange(len(numbers), dtype=np.uint64)) & _LOW

    def _counts(self, banks: Any) -> Any:
        return self._xp.bincount(banks.astype(np.int64), minlength=len(self._epoch.lessons) * int(self._n_classes))

    def _rows(self, member: int) -> Any:
        """The rows that a member is shown, in its order."""
        xp, epoch, n = self._xp, self._epoch, self._epoch.shown[member]
        number, lesson = epoch.epoch * len(epoch.lessons) + member, epoch.lessons[member]
        i = xp.arange(n, dtype=np.uint64)
        order = i
        if epoch.schedule.shuffle is True:
            order = xp.argsort(subkeys(key(epoch.seed, Purpose.SHUFFLE, number), i), kind="stable")
            self.drawn += Ledger(shuffle_draws=n)
        elif epoch.schedule.shuffle:
            order = self._sorted(weyl_words(number, i) >> np.uint64(32))
        return order.astype(np.uint32) if lesson is None else self._card.array(lesson.astype(np.uint32))[order]

    def _place(self, banks: Any, members: Any) -> Any:
        """Where in the circle of the other classes each sample begins."""
        xp, epoch, n = self._xp, self._epoch, len(banks)
        if epoch.schedule.other_class == "rotate":
            by_bank, counts = self._sorted(banks), self._counts(banks)
            before = (xp.cumsum(counts) - counts)[banks[by_bank].astype(np.int64)]
            rank = xp.empty(n, np.uint64)
            rank[by_bank] = (xp.arange(n) - before).astype(np.uint64)
            number = members + np.uint64(epoch.epoch * len(epoch.lessons))
            return (rank * np.uint64(self._q) + number % self._circle) % self._circle
        if self._q == int(self._circle):
            return xp.zeros(n, np.uint64)
        self.drawn += Ledger(other_class_draws=n)
        count = xp.arange(epoch.first, epoch.first + n, dtype=np.uint64)
        return ((subkeys(key(epoch.seed, Purpose.OTHER_CLASS), count) >> np.uint64(32)) * self._circle) >> np.uint64(32)
