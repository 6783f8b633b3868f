"""What machines share in the memory of a card: literals, images cut into strings, and the steps of an epoch."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adtm.machine.backends.cuda.machine import launch_rows
from adtm.machine.backends.cuda.source import LAYOUT, strings_of
from adtm.machine.schedule import Streams
from adtm.tables.literals import Literals
from adtm.tables.patches import Patches


@dataclass(frozen=True)
class OnCard:
    """Literals that are copied to the card once. The copy goes on while the first rows are read."""

    words: Any  # (samples, 32-bit words)
    n_samples: int
    n_features: int
    words_per_row: int
    _arriving: list[tuple[int, Future[None]]] = field(default_factory=list, compare=False)
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
            self._wait(len(self) if part.stop is None else part.stop)
            return self.words[part]
        self._wait(len(self))
        with self._cutting:
            if patches not in self._strings:
                self._strings[patches] = self._cut(card, patches)
                card.settle()
            return self._strings[patches][part]

    def _wait(self, n_rows: int) -> None:
        """Until so many rows are there."""
        first = 0
        for stop, arrived in self._arriving:
            if first < n_rows:
                arrived.result()
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


class StepsOnCard:
    """The steps of an epoch, copied to the card once for all machines that learn from the same streams."""

    def __init__(self, card: Any, streams: Streams) -> None:
        with card.common_stream:
            self.rows, self.outputs, self.targets = (
                card.array(part) for part in (streams.rows, streams.outputs, streams.targets)
            )
            card.settle()
        self.offsets = streams.offsets
        if len(streams.rows):
            self.largest = int(streams.rows.max()), int(streams.outputs.max())
            self.span = int(streams.targets.min()), int(streams.targets.max())
        else:
            self.largest, self.span = (-1, -1), (0, 0)


@dataclass(frozen=True, eq=False)
class SameStreams:
    """A question about streams: equal to one about the same object."""

    streams: Streams

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameStreams) and other.streams is self.streams

    __hash__ = None  # type: ignore[assignment]


def placed_on(card: Any, literals: Literals | OnCard) -> OnCard:
    """The literals on the card; those that are there stay as they are."""
    if isinstance(literals, OnCard):
        return literals
    values = literals.words.view(np.uint32)
    words = card.empty(values.shape, np.uint32)
    arriving = card.copying(words, values)
    return OnCard(words, len(literals), literals.n_features, literals.words_per_row, arriving)
