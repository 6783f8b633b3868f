"""Anything that holds values as an array of NumPy, and the labels of one as Python has them.

What the columns of a table mean is read in ``table``, a single column in ``values``.
"""

from __future__ import annotations

import sys
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from adtm.tables.values import EXACT, plain_category


def as_array(given: Any) -> NDArray[Any]:
    """Anything as an array; values of a list that NumPy would change stay what they are.

    It makes texts of what stands beside texts, cuts texts of classes of their own, makes floats of whole numbers that
    are none, and of Booleans beside numbers in a row the numbers 0 and 1, which only labels may be.

    >>> as_array([[1, "a"], [2, "b"]]).tolist(), as_array(["a", "b"]).dtype.str
    ([[1, 'a'], [2, 'b']], '<U1')
    >>> as_array([1, 2**63 + 1]).tolist(), as_array([-1, 2**63 + 1]).tolist()
    ([1, 9223372036854775809], [-1, 9223372036854775809])
    >>> as_array([[True, 0.5]]).tolist(), as_array([[2**53 + 1, 0.5]]).tolist(), as_array([True, 0]).tolist()
    ([[True, 0.5]], [[9007199254740993, 0.5]], [1, 0])
    """
    if is_wide(given):
        given = given.rows() if hasattr(given, "rows") else given.to_list()
    array = np.asarray(given)
    if array.dtype.kind == "U" and hasattr(given, "to_list"):  # polars cuts texts as NumPy does
        given = given.to_list()
    if not isinstance(given, (list, tuple)) or array.dtype.kind not in "Uiuf" or not array.size:
        return array
    objects = np.array(given, dtype=object)
    if array.dtype.kind == "f" and all(isinstance(value, Integral) for value in objects.flat):
        return objects.astype(np.uint64) if min(objects.flat) >= 0 else objects
    return objects if _is_changed(array, objects) else array


def unmasked(given: Any) -> Any:
    """A masked array with NaN where its mask is, as NumPy would read what lies under it; anything else as it is.

    >>> unmasked(np.ma.masked_array([1, 2], mask=[0, 1])).tolist()
    [1, nan]
    """
    return given.astype(object).filled(np.nan) if np.ma.is_masked(given) else given


def is_wide(given: Any) -> bool:
    """Tell a series or frame of polars with integers that NumPy does not have, without importing polars."""
    polars = sys.modules.get("polars")
    if polars is None or not isinstance(given, (polars.Series, polars.DataFrame)):
        return False
    dtypes = given.dtypes if isinstance(given, polars.DataFrame) else [given.dtype]
    return any("128" in str(dtype) for dtype in dtypes)


def _is_changed(array: NDArray[Any], objects: NDArray[Any]) -> bool:
    """Whether the values of a list have become others in an array."""
    if array.dtype.kind == "U":
        return not np.array_equal(array.astype(object), objects)
    if array.ndim > 1 and not {bool, np.bool_}.isdisjoint(map(type, objects.flat)):
        return True
    large = np.abs(array) >= EXACT
    pairs = zip(objects[large], array[large].tolist(), strict=True)
    return any(isinstance(given, Integral) and given != made for given, made in pairs)


def as_dense_array(given: Any) -> NDArray[Any]:
    """As ``as_array``, also what is sparse; frames and series as their libraries have it."""
    if sparse.issparse(given):
        return np.asarray(given.toarray())
    return np.asarray(given.to_numpy()) if hasattr(given, "to_numpy") and not is_wide(given) else as_array(given)


def listed_labels(labels: NDArray[Any]) -> list[Any]:
    """Labels as Python has them, texts of any class as texts; dates that it has not, of nanoseconds say, stay NumPy's.

    >>> listed_labels(np.array(["2020-01-01"], "M8[D]")), listed_labels(np.array(["2020-01-01"], "M8[ns]"))
    ([datetime.date(2020, 1, 1)], [np.datetime64('2020-01-01T00:00:00.000000000')])
    """
    listed = [plain_category(label) if isinstance(label, str) else label for label in labels.tolist()]
    known = labels.dtype.kind not in "Mm" or not any(isinstance(label, int) for label in listed)
    return listed if known else list(labels)
