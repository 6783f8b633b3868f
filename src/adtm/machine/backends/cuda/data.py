"""What machines share in the memory of a card: literals, and images cut into strings."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.machine.backends.cuda.machine import launch_rows
from adtm.machine.backends.cuda.source import LAYOUT, strings_of
from adtm.machine.backends.protocol import Rows
from adtm.machine.schedule import Streams
from adtm.tables.literals import Literals
from adtm.tables.patches import Patches


class _Coming:
    """Rows that are copied to a card as they are needed: some are read there while others are still copied here."""

    def __init__(self, card: Any, pieces: Iterator[tuple[int, Any]]) -> None:
        self._card, self._pieces, self._lock = card, pieces, threading.Lock()
        self._sent = 0
        self._event: Any = None

    def wait(self, n_rows: int) -> int:
        """What the current stream does from now on may read so many; returns how many it may read."""
        with self._lock:
            while self._sent < n_rows:
                self._sent, self._event = next(self._pieces)
            sent, event = self._sent, self._event
        if event is not None:
            self._card.after(event)
        return sent


@dataclass(frozen=True)
class OnCard:
    """Literals that are copied to the card once, when they are first read."""

    words: Any  # (samples, 32-bit words)
    n_samples: int
    n_features: int
    words_per_row: int
    _coming: _Coming = field(compare=False)
    _strings: dict[Patches, Any] = field(default_factory=dict, compare=False)
    _cutting: threading.Lock = field(default_factory=threading.Lock, compare=False)

    def __len__(self) -> int:
        return self.n_samples

    def rows(self, card: Any, patches: Patches | None, n_literals: int, part: slice = slice(None)) -> Any:
        """What a machine reads of these samples: (samples, 32-bit words) of literals, or of the strings of images."""
        expected = n_literals // 2 if patches is None else patches.n_image_features
        if self.n_features != expected:
            raise ValueError(f"literals must be {2 * expected} for this machine, got {2 * self.n_features}")
        if patches is None:
            self._coming.wait(len(self) if part.stop is None else part.stop)
            return self.words[part]
        self._coming.wait(len(self))
        with self._cutting:
            if patches not in self._strings:
                self._strings[patches] = self._cut(card, patches)
                card.settle()
            return self._strings[patches][part]

    def arriving(self, part: slice) -> Iterator[slice]:
        """These rows in pieces, each of which may be read when it is given."""
        first = part.start
        while first < part.stop:
            stop = min(part.stop, self._coming.wait(first + 1))
            yield slice(first, stop)
            first = stop

    def _cut(self, card: Any, patches: Patches) -> Any:
        n_strings, words = strings_of(patches)
        row_words = -(-n_strings * words // 4) * 4
        strings = card.empty((self.n_samples, row_words), np.uint32)
        (height, width, _), (down, across) = patches.image, patches.stride
        lines = patches.rows + (patches.size[0] - 1) // down
        sizes = (row_words, words, n_strings, height, width, patches.size[1], min(down, patches.size[0]))
        grid = (down, across, lines, patches.columns)
        numbers = [np.uint32(number) for number in (2 * self.words_per_row, *sizes, *grid)]
        arguments = (self.words, strings, np.uint64(self.n_samples), *numbers)
        launch_rows(card, LAYOUT.of(PLANES=8, STATE="uint8_t"), "cut_images", arguments, self.n_samples * row_words)
        return strings


@dataclass(frozen=True)
class InPieces:
    """Literals that are too many for the card: they stay where they are, and some are copied when they are needed."""

    literals: Literals
    bytes_at_once: int

    def __len__(self) -> int:
        return len(self.literals)

    @property
    def words_per_row(self) -> int:
        return self.literals.words_per_row

    def rows_at_once(self, patches: Patches | None) -> int:
        """Samples that are on the card at a time, as literals and, with patches, as strings too."""
        strings = 0 if patches is None else math.prod(strings_of(patches)) + 4
        return max(1, self.bytes_at_once // (8 * self.words_per_row + 4 * strings))

    def piece(self, card: Any, rows: Rows) -> OnCard:
        return _copied(card, self.literals.take(rows))

    def steps(self, streams: Streams, patches: Patches | None) -> Iterator[tuple[NDArray[np.intp], Streams]]:
        """The steps in parts that need so few samples, and these: of each part, rows are counted among its own."""
        n_parts = -(-len(streams.rows) // self.rows_at_once(patches))
        for part in streams.cut(n_parts):
            used = np.zeros(len(self), np.bool_)
            used[part.rows] = True
            number = np.cumsum(used, dtype=np.uint32) - np.uint32(1)
            yield np.flatnonzero(used), replace(part, rows=number[part.rows])


def placed_on(card: Any, literals: Literals | OnCard | InPieces) -> OnCard | InPieces:
    """The literals on the card, if it has room for them; those that were placed stay as they are."""
    if not isinstance(literals, Literals):
        return literals
    free = card.free_bytes(literals.words.nbytes)
    return _copied(card, literals) if 2 * literals.words.nbytes <= free else InPieces(literals, free // 8)


def _copied(card: Any, literals: Literals) -> OnCard:
    n_features = literals.n_features
    words = card.empty((len(literals), 2 * literals.words_per_row), np.uint32)
    features = literals.words[:, : -(-n_features // 64)]  # and some negations, as words are copied whole
    pieces = card.coming(features, words, partial(_add_negations, card, n_features))
    return OnCard(words, len(literals), n_features, literals.words_per_row, _Coming(card, pieces))


def _add_negations(card: Any, n_features: int, features: Any, words: Any) -> None:
    """Make rows of literals out of those of features."""
    sizes = (np.uint64(len(words)), np.uint32(n_features), np.uint32(2 * features.shape[1]), np.uint32(words.shape[1]))
    program = LAYOUT.of(PLANES=8, STATE="uint8_t")
    launch_rows(card, program, "add_negations", (features, words, *sizes), words.size // 32)
