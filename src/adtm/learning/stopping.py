"""Early stopping: which epoch was the best so far, and whether to go on. The epochs themselves are in ``fitting``."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass
class Patience:
    """Remembers the best score, and gives up when none of the last ``n_iter_no_change`` epochs beat it.

    >>> patience = Patience(2)
    >>> [(patience.improved(score), patience.over) for score in (0.7, 0.8, 0.8, 0.6)]
    [(True, False), (True, False), (False, False), (False, True)]
    """

    n_iter_no_change: int
    best: float = -math.inf
    waited: int = 0

    def improved(self, score: float) -> bool:
        """Take note of an epoch's score; True if it is the best so far. Of equal ones the first is."""
        better = score > self.best
        self.best, self.waited = (score, 0) if better else (self.best, self.waited + 1)
        return better

    @property
    def over(self) -> bool:
        return self.waited >= self.n_iter_no_change
