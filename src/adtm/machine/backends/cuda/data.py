"""Packed literals in the memory of a card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from adtm.tables.literals import Literals


@dataclass(frozen=True)
class OnCard:
    """Literals that were copied to the card once."""

    words: Any  # (samples, 32-bit words)
    n_samples: int
    n_features: int
    words_per_row: int

    def __len__(self) -> int:
        return self.n_samples


def placed_on(card: Any, literals: Literals | OnCard) -> OnCard:
    """The literals on the card; those that are there stay as they are."""
    if isinstance(literals, OnCard):
        return literals
    words = card.array(literals.words.view(np.uint32))
    card.settle()
    return OnCard(words, len(literals), literals.n_features, literals.words_per_row)
