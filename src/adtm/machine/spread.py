"""One s for each clause, evenly spread in the logarithm: what a pair ``s=(low, high)`` means.

The values must be the same on every machine, and floating-point powers are not. Python's decimals round ``ln`` and
``exp`` correctly, so they are.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache
from typing import TypeAlias

from adtm.machine import weyl

Pair: TypeAlias = tuple[float, float]

_EXACT = Context(prec=30, rounding=ROUND_HALF_EVEN)


@lru_cache(maxsize=8)
def _values(low: float, high: float, n: int) -> tuple[Decimal, ...]:
    """low (high / low)^x for the places x = 0, √2 - 1, 2 (√2 - 1), ... of a circle of length 1.

    Not the golden ratio, by which selection goes around the clauses (``weyl.CLAUSE``): those that a step selects would
    all have nearly the same s.
    """
    start, end = (_EXACT.ln(Decimal(end)) for end in (low, high))
    length = _EXACT.subtract(end, start)
    places = (Decimal(word) for word in weyl.words(0, weyl.STEP, n).tolist())
    return tuple(_EXACT.exp(_EXACT.add(start, _EXACT.multiply(length, place / 2**32))) for place in places)


def whole_values(s: float | Pair, n: int) -> tuple[int, ...]:
    """s of n clauses, in whole numbers.

    >>> whole_values(3, 4), whole_values((2, 20), 4)
    ((3, 3, 3, 3), (2, 5, 13, 3))
    """
    if not isinstance(s, tuple):
        return (int(s),) * n
    return tuple(int(value.to_integral_value(ROUND_HALF_EVEN)) for value in _values(*s, n))


def real_values(s: float | Pair, n: int) -> tuple[float, ...]:
    """s of n clauses, as the nearest numbers of 64 bits.

    >>> real_values(3.9, 2), [round(value, 2) for value in real_values((2, 20), 4)]
    ((3.9, 3.9), [2.0, 5.19, 13.47, 3.5])
    """
    return (float(s),) * n if not isinstance(s, tuple) else tuple(map(float, _values(*s, n)))
