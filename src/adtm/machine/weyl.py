"""Evenly spread numbers in place of random ones: multiples of a constant, modulo 2³².

``i * stride mod 2³²`` fills the circle evenly when stride / 2³² is far from every simple fraction, and takes an adder
where a random number takes a generator. Only the phases of the rota are in no order. docs/determinism/theory.md says
what each constant is for and why it was chosen; ``core/common/weyl.h`` and ``core/common/rota.h`` hold the same for
the core.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from adtm.machine.draws import Purpose, key
from adtm.machine.draws import words as hashed

CLAUSE = 0xCF1BBCDD  # (√5 + 1) / 4: even within one polarity too, which is every second clause
STEP = 0x6A09E667  # √2 - 1
SAMPLE = 0x9E3779B9  # (√5 - 1) / 2
PHASE_STRIDE = 64  # from the phases of one clause to those of the next


def words(first: int, stride: int, n: int) -> NDArray[np.uint32]:
    """The words first, first + stride, first + 2 stride, … modulo 2³².

    >>> words(5, 2**31, 3).tolist()
    [5, 2147483653, 5]
    """
    return np.arange(n, dtype=np.uint32) * np.uint32(stride % 2**32) + np.uint32(first % 2**32)


def rota_rate(s: int) -> int:
    """Turns of an automaton on the rota per update, times 2³²: 1 / (s + 0.0618), no simple fraction for any s.

    >>> rota_rate(10), 2**32 / rota_rate(10)
    (426858742, 10.06...)
    """
    return 2**32 * 10_000 // (10_000 * s + 618)


@lru_cache(maxsize=4)
def phases(n_clauses: int, n_literals: int) -> NDArray[np.uint32]:
    """Where the words of the rota start: constants in no order, automaton k of clause j having number 64 j + k.

    >>> len(phases(10, 6))
    646
    """
    phase_words = hashed(key(0, Purpose.PHASE), PHASE_STRIDE * n_clauses + n_literals)
    phase_words.flags.writeable = False  # kept for the next caller
    return phase_words
