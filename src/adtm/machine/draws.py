"""Random numbers as pure functions of what they decide.

A draw has coordinates: the seed, its purpose, and which bank, clause and count it belongs to. ``key`` folds them into
64 bits, ``words`` gives the 32-bit words under a key. There is no hidden state, so a draw that is not needed costs
nothing, and neither threads nor SIMD width nor the way a run is cut into calls can change a result.

``core/common/draws.h`` holds the same functions for the native core; this file defines them.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

_GOLDEN = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


class Purpose(IntEnum):
    """What a draw decides."""

    START = 1
    SELECT = 2
    COIN = 3
    WEAK = 4
    OTHER_CLASS = 5
    SHUFFLE = 6
    PHASE = 7
    WEIGHT = 8
    PATCH = 9
    THRESHOLD = 10
    COUNTER = 16  # from here on: rules that only the reference knows


def _mix64(x: int) -> int:
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return x ^ (x >> 31)


def _absorb(k: int, x: int) -> int:
    return _mix64((k + _GOLDEN * (x + 1)) & _MASK)


def key(seed: int, purpose: Purpose, *coordinates: int) -> int:
    """Fold the coordinates of a draw into 64 bits."""
    k = _absorb(seed, purpose)
    for x in coordinates:
        k = _absorb(k, int(x))
    return k


def subkeys(k: int | NDArray[np.uint64], x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """``key(..., x)`` for many values of the last coordinate, under one key or a key each: (n,) uint64."""
    z = np.uint64(k) + np.uint64(_GOLDEN) * (x + np.uint64(1))
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def words(k: int | NDArray[np.uint64], n: int) -> NDArray[np.uint32]:
    """Words 0 .. n - 1 under a key, each uniform over 32 bits: (n,), or (keys, n) for many keys.

    >>> words(key(7, Purpose.SELECT, 0, 0), 3)
    array([...], dtype=uint32)
    """
    # Two rounds of multiply and shift, one half of the key before each.
    halves = np.asarray(k, np.uint64)[..., None]
    x = np.arange(n, dtype=np.uint32) ^ halves.astype(np.uint32)
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x21F0AAAD) + (halves >> np.uint64(32)).astype(np.uint32)
    x = (x ^ (x >> np.uint32(15))) * np.uint32(0x735A2D97)
    return x ^ (x >> np.uint32(15))


def bits(k: int | NDArray[np.uint64], n: int) -> NDArray[np.bool_]:
    """n fair coins under a key, or under each of many keys: coin i is bit i mod 32 of word i // 32."""
    octets = words(k, (n + 31) // 32).astype("<u4").view(np.uint8)
    return np.unpackbits(octets, axis=-1, bitorder="little", count=n).view(np.bool_)


def rate32(s: float) -> int:
    """Probability 1/s as a threshold for words: a word below it says yes.

    >>> rate32(4), rate32(1)
    (1073741824, 4294967295)
    """
    return min(int(2**32 / s), 2**32 - 1)
