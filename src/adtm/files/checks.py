"""What the parts of a model file are checked with, for machines and for predictors: so without NumPy."""

from __future__ import annotations

import math
import re
from typing import Any

_LABEL_KINDS = {"b": bool, "i": int, "u": int, "f": float, "U": str}
_LABEL_DTYPE = re.compile(r"[<>|](b1|[iu][1248]|f[248]|U\d{1,9})")


def whole(value: Any, name: str) -> int:
    """A count that 64 bits hold."""
    if type(value) is not int or not 0 <= value < 2**64:
        raise ValueError(f"{name} must be a whole number in 0..2**64 - 1, got {value!r:.80}")
    return value


def read_names(plain: Any, n: int, what: str) -> list[str] | None:
    """Names of n columns, or none at all."""
    if plain is None:
        return None
    if not isinstance(plain, list) or len(plain) != n or not all(type(name) is str for name in plain):
        raise ValueError(f"{what} must be a list of {n} strings, got {plain!r:.80}")
    return plain


def read_image(plain: Any) -> tuple[int, int, int]:
    """Height, width and channels."""
    if not isinstance(plain, list) or len(plain) != 3:
        raise ValueError(f"image must be height, width and channels, got {plain!r:.80}")
    height, width, channels = (whole(side, "image") for side in plain)
    return height, width, channels


def label_kind(dtype: Any) -> type | None:
    """The type of labels in an array of this dtype; None of objects, which cannot be saved unless they are texts."""
    match = _LABEL_DTYPE.fullmatch(dtype) if isinstance(dtype, str) else None
    return None if match is None else _LABEL_KINDS[match[1][0]]


def read_labels(dtype: Any, values: Any) -> list[Any]:
    """Labels that are all of the type which their dtype says."""
    kind = str if dtype == "object" else label_kind(dtype)
    if kind is None:
        raise ValueError(f"labels must be numbers, Booleans or strings, got dtype {dtype!r:.80}")
    if not isinstance(values, list) or not 2 <= len(values) <= 65536 or not all(type(v) is kind for v in values):
        raise ValueError(f"labels must be a list of 2..65536 {kind.__name__}, got {values!r:.80}")
    return values


def read_range(plain: Any) -> tuple[float, float]:
    """The least and the largest value."""
    if not isinstance(plain, list) or len(plain) != 2 or not all(type(end) is float for end in plain):
        raise ValueError(f"y_range must be two numbers, got {plain!r:.80}")
    low, high = plain
    if not 0 <= high - low < math.inf:
        raise ValueError(f"y_range must go from one number up to another, got {plain!r:.80}")
    return low, high


def read_temperature(plain: Any, n_labels: int | None) -> Any:
    """A number, of several labels a list with one for each; None where there are no probabilities."""
    if plain is None:
        return None
    if n_labels is None:
        return _temperature(plain)
    if not isinstance(plain, list) or len(plain) != n_labels:
        raise ValueError(f"temperature must be a list of {n_labels} numbers, one each, got {plain!r:.80}")
    return [_temperature(each) for each in plain]


def _temperature(plain: Any) -> float:
    if type(plain) not in (int, float) or not 1e-6 <= plain < math.inf:
        raise ValueError(f"temperature must be a finite number >= 1e-06, got {plain!r:.80}")
    return float(plain)
