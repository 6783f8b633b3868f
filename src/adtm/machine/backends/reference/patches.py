"""Which patch a clause learns from: one of those where it says the most. ``Settings.selection`` names the rule.

A machine without patches reads every sample as one patch, and there is nothing to choose.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adtm.machine import weyl
from adtm.machine.backends.reference.counting import Draws
from adtm.machine.draws import Purpose


def chosen_patches(
    rule: str, said: NDArray[np.int32], clauses: NDArray[np.intp], clocks: NDArray[np.uint64], draws: Draws
) -> NDArray[np.intp]:
    """The number of the patch of each clause, from what it says to every one. (patches, clauses) -> (clauses,)

    Of ``count`` patches it is number ⌊count · word / 2³²⌋. A clause that says 0 learns from no patch, and a single best
    one needs no word.
    """
    if len(said) == 1:
        return np.zeros(len(clauses), np.intp)
    best = (said == said.max(axis=0)).T
    count = best.sum(axis=1, dtype=np.uint64)
    several = (said.max(axis=0) > 0) & (count > 1)
    words = np.zeros(len(clauses), np.uint64)
    if several.any():
        words[several] = RULES[rule](clauses[several], clocks[several], draws)
    place = (count * words) >> np.uint64(32)
    number: NDArray[np.intp] = np.argmax(np.cumsum(best, axis=1) > place[:, None], axis=1)
    return number


def random_words(clauses: NDArray[np.intp], clocks: NDArray[np.uint64], draws: Draws) -> NDArray[np.uint32]:
    """One draw for each clause."""
    draws.counts["patch_draws"] += len(clauses)
    return draws.of_updates(Purpose.PATCH, clauses, clocks, 1)[:, 0]


def weyl_words(clauses: NDArray[np.intp], clocks: NDArray[np.uint64], draws: Draws) -> NDArray[np.uint32]:
    """Evenly spread over the updates of a clause, and another place for every clause."""
    del draws
    return (clauses.astype(np.uint64) * np.uint64(weyl.CLAUSE) + clocks * np.uint64(weyl.SAMPLE)).astype(np.uint32)


RULES = {"random": random_words, "weyl": weyl_words}
