"""Packed literals in the memory of a card, and images cut into strings, of which a kernel makes patches."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adtm.machine.backends.cuda.machine import launch_rows
from adtm.machine.backends.cuda.source import LAYOUT, strings_of
from adtm.tables.literals import Literals
from adtm.tables.patches import Patches


@dataclass(frozen=True)
class OnCard:
    """Literals that were copied to the card once."""

    words: Any  # (samples, 32-bit words)
    n_samples: int
    n_features: int
    words_per_row: int
    _strings: dict[Patches, Any] = field(default_factory=dict, compare=False)
    _cutting: threading.Lock = field(default_factory=threading.Lock, compare=False)

    def __len__(self) -> int:
        return self.n_samples

    def rows(self, card: Any, patches: Patches | None, n_literals: int) -> Any:
        """What a machine reads: (samples, 32-bit words) of literals, or of the strings of images."""
        expected = n_literals // 2 if patches is None else patches.n_image_features
        if self.n_features != expected:
            raise ValueError(f"literals must be {2 * expected} for this machine, got {2 * self.n_features}")
        if patches is None:
            return self.words
        with self._cutting:
            if patches not in self._strings:
                self._strings[patches] = self._cut(card, patches)
                card.settle()
            return self._strings[patches]

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


def placed_on(card: Any, literals: Literals | OnCard) -> OnCard:
    """The literals on the card; those that are there stay as they are."""
    if isinstance(literals, OnCard):
        return literals
    words = card.array(literals.words.view(np.uint32))
    card.settle()
    return OnCard(words, len(literals), literals.n_features, literals.words_per_row)
