"""The order of an epoch: which sample comes when, and which other classes learn from it too.

What a sample asks of which bank is the head's to say (``heads``); here are the rules it chooses from, and the form in
which every head hands its steps to a backend.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from adtm import _core
from adtm.machine import weyl
from adtm.machine.draws import Purpose, key, subkeys

Shuffle: TypeAlias = Literal[True, False, "weyl", "sorted", "blocks", "drawn blocks"]
OtherClass: TypeAlias = Literal["random", "rotate"]

#: Rows of a block, which lie side by side in a file, and blocks of a window, which are mixed together.
BLOCK, WINDOW = 1024, 64


@dataclass(frozen=True)
class Streams:
    """The steps of each bank, in order: bank b has those from ``offsets[b]`` to ``offsets[b + 1]``."""

    rows: NDArray[np.uint32]  # (steps,): the sample of each step
    outputs: NDArray[np.uint32]  # (steps,): the output of the bank that learns from it
    targets: NDArray[np.int32]  # (steps,): what the output should say; for a class 1 or 0
    offsets: NDArray[np.uint64]  # (banks + 1,)

    @classmethod
    def single(cls, rows: NDArray[np.uint32], targets: NDArray[np.int32]) -> Streams:
        """The steps of the only bank, which has one output: one for each row."""
        return cls(rows, np.zeros(len(rows), np.uint32), targets, np.array([0, len(rows)], np.uint64))

    @classmethod
    def joined(cls, parts: Sequence[Streams]) -> Streams:
        """The streams of more banks: those of each part after those of the part before."""
        if len(parts) == 1:
            return parts[0]
        rows, outputs, targets = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("rows", "outputs", "targets")
        )
        steps = np.concatenate([np.diff(part.offsets) for part in parts])
        return cls(rows, outputs, targets, np.concatenate([[0], np.cumsum(steps)]).astype(np.uint64))

    def of_rows(self, rows: NDArray[np.intp]) -> Streams:
        """The same steps where sample i is the row ``rows[i]``."""
        return replace(self, rows=rows.astype(np.uint32)[self.rows])

    def cut(self, n: int) -> list[Streams]:
        """The same steps in n parts, each with its share of every bank's, one after the other."""
        first, steps = self.offsets[:-1, None], np.diff(self.offsets)[:, None]
        borders = (first + steps * np.arange(n + 1, dtype=np.uint64) // np.uint64(n)).T.tolist()
        return [self._between(*pair) for pair in itertools.pairwise(borders)]

    def take(self, banks: ArrayLike) -> Streams:
        """The streams of the banks at these places."""
        places = np.asarray(banks, np.intp)
        return self._between(self.offsets[places].tolist(), self.offsets[places + 1].tolist())

    def _between(self, first: list[int], last: list[int]) -> Streams:
        """Of each bank the steps from one place on until before another."""
        steps = np.concatenate([np.arange(0), *(np.arange(*ends) for ends in zip(first, last, strict=True))])
        offsets = np.cumsum([0, *(b - a for a, b in zip(first, last, strict=True))])
        return Streams(self.rows[steps], self.outputs[steps], self.targets[steps], offsets.astype(np.uint64))


@dataclass(frozen=True)
class Schedule:
    """The rules of an epoch's order, checked: how samples are mixed, how other classes are chosen, and how many.

    ``member_rows`` is the share of the samples that each member of a committee learns from.
    """

    shuffle: Shuffle = True
    other_class: OtherClass = "random"
    n_other_classes: int = 1
    member_rows: float = 1.0

    @property
    def draws_nothing(self) -> bool:
        """Whether the steps are the same for every seed."""
        return self.shuffle not in (True, "drawn blocks") and self.other_class == "rotate"

    def order(self, seed: int, epoch: int, n_samples: int) -> tuple[NDArray[np.uint32], int]:
        """The order of the samples, ``epoch`` epochs having come before, and the draws it took."""
        if self.shuffle in ("weyl", "sorted"):  # rows are sorted before, where anyone may see them (``samples``)
            return weyl_order(epoch, n_samples), 0
        if self.shuffle == "blocks":
            return block_order(lambda n, window: weyl_order(epoch + window, n), n_samples), 0
        if self.shuffle == "drawn blocks":
            drawn = -(-n_samples // BLOCK) + n_samples
            return block_order(lambda n, window: random_order(seed, epoch, n, window), n_samples), drawn
        if self.shuffle:
            return random_order(seed, epoch, n_samples), n_samples
        return np.arange(n_samples, dtype=np.uint32), 0

    def others(
        self, y: NDArray[np.uint32], n_classes: int, *, seed: int, epoch: int, first: int
    ) -> tuple[NDArray[np.uint32], int]:
        """Other classes of each sample, ``first`` samples having come before, and the draws they took: (q, samples).

        They follow each other in a circle of all others, so no two are the same.
        """
        q = min(self.n_other_classes, n_classes - 1)
        if self.other_class == "rotate":
            return rotating_other_classes(epoch, y, n_classes, q), 0
        if q == n_classes - 1:
            return _ahead(y, np.zeros(len(y), np.uint32), n_classes, q), 0
        return random_other_classes(seed, first, y, n_classes, q), len(y)


def random_order(seed: int, epoch: int, n_samples: int, *window: int) -> NDArray[np.uint32]:
    """Samples sorted by one draw each, those of a window of blocks under its number."""
    return _sorted(subkeys(key(seed, Purpose.SHUFFLE, epoch, *window), np.arange(n_samples, dtype=np.uint64)))


def block_order(mixed: Callable[[int, int], NDArray[np.uint32]], n_samples: int) -> NDArray[np.uint32]:
    """Blocks of neighbouring samples in mixed order, and samples mixed within windows of so many blocks.

    ``mixed(n, 0)`` is the order of n blocks, ``mixed(n, w)`` that of the n samples of window w, from 1 on.
    """
    blocks = mixed(-(-n_samples // BLOCK), 0).astype(np.int64)
    within, parts = np.arange(BLOCK), []
    for window, first in enumerate(range(0, len(blocks), WINDOW), 1):
        rows = (blocks[first : first + WINDOW, None] * BLOCK + within).ravel()
        rows = rows[rows < n_samples].astype(np.uint32)  # the last block may be shorter
        parts.append(rows[mixed(len(rows), window)])
    return np.concatenate([np.empty(0, np.uint32), *parts])


def weyl_order(epoch: int, n_samples: int) -> NDArray[np.uint32]:
    """Samples sorted by a quadratic sequence: the stride from word to word grows, by another amount every epoch."""
    return _sorted(weyl_words(epoch, np.arange(n_samples, dtype=np.uint64)))


def weyl_words(epoch: int, i: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The words of samples 0, 1, 2, ... as the high halves of numbers; ``i`` is theirs from here on."""
    words = i + np.uint64(1)  # in place from here on: rows may be many
    words *= i
    words >>= np.uint64(1)
    words *= np.uint64(epoch * weyl.STEP % 2**32)
    i *= np.uint64(weyl.SAMPLE)
    words += i
    words <<= np.uint64(32)  # the sequence has 32 bits
    return words


def _sorted(keys: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """The order of the keys; equal ones keep theirs."""
    order = np.empty(len(keys), np.uint32)
    _core.sorted_order(keys, order)
    return order


def random_other_classes(seed: int, first: int, y: NDArray[np.uint32], n_classes: int, q: int) -> NDArray[np.uint32]:
    """For each sample q of the other classes, the first of them uniformly drawn; ``first`` samples came before."""
    count = np.arange(first, first + len(y), dtype=np.uint64)
    draws = subkeys(key(seed, Purpose.OTHER_CLASS), count) >> np.uint64(32)
    return _ahead(y, (draws * np.uint64(n_classes - 1)) >> np.uint64(32), n_classes, q)


def rotating_other_classes(epoch: int, y: NDArray[np.uint32], n_classes: int, q: int) -> NDArray[np.uint32]:
    """The samples of each class meet the other classes in turn, q at a time; each epoch begins one class further."""
    others = np.empty((q, len(y)), np.uint32)
    _core.rotating_others(y, n_classes, epoch % (n_classes - 1), others)
    return others


def _ahead(y: NDArray[np.uint32], by: NDArray[Any], n_classes: int, q: int) -> NDArray[np.uint32]:
    """In the circle of the classes other than y, those from place ``by`` (at most n_classes - 2) on: (q, samples)."""
    n, others = np.uint32(n_classes), np.uint32(n_classes - 1)
    classes = np.empty((q, len(y)), np.uint32)
    place = by.astype(np.uint32)
    for row in classes:
        row[:] = y + place + np.uint32(1)
        row[:] = np.where(row >= n, row - n, row)
        place = np.where(place + np.uint32(1) == others, np.uint32(0), place + np.uint32(1))
    return classes
