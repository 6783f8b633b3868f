"""What every part of a model file is checked with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def whole(value: Any, name: str) -> int:
    """A count that 64 bits hold."""
    if type(value) is not int or not 0 <= value < 2**64:
        raise ValueError(f"{name} must be a whole number in 0..2**64 - 1, got {value!r:.80}")
    return value


def read_names(plain: Any, n: int, what: str) -> NDArray[np.object_] | None:
    """Names of n columns, or none at all."""
    if plain is None:
        return None
    if not isinstance(plain, list) or len(plain) != n or not all(type(name) is str for name in plain):
        raise ValueError(f"{what} must be a list of {n} strings, got {plain!r:.80}")
    return np.array(plain, dtype=object)
