"""Which bank sees which sample, when, and with which target: the order of samples and the choice of the other class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from adtm import weyl
from adtm.draws import Purpose, key, subkeys
from adtm.ledger import Ledger

__all__ = ["OtherClass", "Shuffle", "Streams", "schedule"]

Shuffle: TypeAlias = Literal[True, False, "weyl"]
OtherClass: TypeAlias = Literal["random", "rotate"]


@dataclass(frozen=True)
class Streams:
    """Steps of each bank, in order: bank b has ``rows[start[b]:start[b+1]]`` and the same slice of ``targets``."""

    rows: NDArray[np.uint32]
    targets: NDArray[np.uint8]
    start: NDArray[np.uint64]


def random_order(seed: int, epoch: int, n_samples: int) -> NDArray[np.intp]:
    """Samples sorted by one draw each."""
    draws = subkeys(key(seed, Purpose.SHUFFLE, epoch), np.arange(n_samples, dtype=np.uint64))
    return np.argsort(draws, kind="stable")


def weyl_order(epoch: int, n_samples: int) -> NDArray[np.intp]:
    """Samples sorted by a word of two adders: the stride from one to the next grows, by another amount every epoch."""
    i = np.arange(n_samples, dtype=np.uint64)
    words = i * np.uint64(weyl.SAMPLE) + i * (i + np.uint64(1)) // np.uint64(2) * np.uint64(epoch * weyl.STEP % 2**32)
    return np.argsort(words.astype(np.uint32), kind="stable")


def random_other_class(seed: int, first: int, y: NDArray[np.intp], n_classes: int) -> NDArray[np.intp]:
    """For each sample one of the other classes, uniformly; ``first`` samples came before."""
    count = np.arange(first, first + len(y), dtype=np.uint64)
    draws = subkeys(key(seed, Purpose.OTHER_CLASS), count) >> np.uint64(32)
    ahead = (draws * np.uint64(n_classes - 1)) >> np.uint64(32)
    return (y + 1 + ahead.astype(np.intp)) % n_classes


def rotating_other_class(epoch: int, y: NDArray[np.intp], n_classes: int) -> NDArray[np.intp]:
    """The samples of each class meet the other classes in turn; each epoch begins one class further."""
    by_class = np.argsort(y, kind="stable")
    first_of_class = np.cumsum(np.bincount(y, minlength=n_classes)) - np.bincount(y, minlength=n_classes)
    rank = np.empty(len(y), np.intp)
    rank[by_class] = np.arange(len(y)) - first_of_class[y[by_class]]
    return (y + 1 + (rank + epoch) % (n_classes - 1)) % n_classes


def schedule(
    y: NDArray[np.intp],
    *,
    n_classes: int,
    seed: int,
    shuffle: Shuffle,
    epoch: int,
    first: int,
    other_class: OtherClass = "random",
) -> tuple[Streams, Ledger]:
    """The streams of one epoch over samples with class indices ``y``, and the draws they took.

    ``epoch`` epochs and ``first`` samples came before.
    """
    n = len(y)
    order, shuffle_draws = _order(shuffle, seed, epoch, n)
    y = y[order]
    if n_classes == 2:
        streams = Streams(order.astype(np.uint32), y.astype(np.uint8), np.array([0, n], np.uint64))
        return streams, Ledger(shuffle_draws=shuffle_draws)
    random = other_class == "random"
    other = random_other_class(seed, first, y, n_classes) if random else rotating_other_class(epoch, y, n_classes)
    # Each sample: its own class with target 1, then the other with target 0.
    bank = np.stack([y, other], axis=1).ravel()
    by_bank = np.argsort(bank.astype(np.uint16), kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(bank, minlength=n_classes))])
    streams = Streams(
        rows=np.repeat(order, 2)[by_bank].astype(np.uint32),
        targets=(by_bank % 2 == 0).astype(np.uint8),
        start=start.astype(np.uint64),
    )
    return streams, Ledger(shuffle_draws=shuffle_draws, other_class_draws=n if random else 0)


def _order(shuffle: Shuffle, seed: int, epoch: int, n: int) -> tuple[NDArray[np.intp], int]:
    """The order of the samples and the draws it took."""
    if shuffle == "weyl":
        return weyl_order(epoch, n), 0
    return (random_order(seed, epoch, n), n) if shuffle else (np.arange(n), 0)
