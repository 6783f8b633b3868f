"""Rule 4, selection: the clauses that learn from a step, a share of gap / span of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adtm.machine import weyl
from adtm.machine.backends.reference.counting import Draws, Mask
from adtm.machine.draws import Purpose


def select(rule: str, gap: int, span: int, *, step: int, n_clauses: int, draws: Draws) -> Mask:
    """Clause j is selected when its word is below gap / span of 2**32; nothing is drawn for none or all of them."""
    if gap in (0, span):
        return np.full(n_clauses, gap > 0)
    return RULES[rule](step, n_clauses, draws) < (gap << 32) // span


def random_words(step: int, n_clauses: int, draws: Draws) -> NDArray[np.uint32]:
    """One draw for each clause."""
    draws.counts["selection_draws"] += n_clauses
    return draws.of_step(Purpose.SELECT, step, n_clauses)


def weyl_words(step: int, n_clauses: int, draws: Draws) -> NDArray[np.uint32]:
    """Evenly spread over the clauses of a step and over the steps of a clause."""
    del draws
    return weyl.words(step * weyl.STEP, weyl.CLAUSE, n_clauses)


RULES = {"random": random_words, "weyl": weyl_words}
