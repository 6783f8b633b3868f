"""Reading one column of any table: numbers, Booleans or categories.

A column comes as an array, as Python objects, or as a series of pandas or polars. Missing values are found here; what
to do with them is the booleanizer's work. ``table`` reads whole tables.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Complex, Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Kind: TypeAlias = Literal["numeric", "boolean", "category"]
Category: TypeAlias = str | bool | int | float

#: Whole numbers from here on need not be float64 any more, and several of them may become one.
EXACT = 2**53


@dataclass(frozen=True)
class Values:
    """One column as read.

    ``data`` is float64 with NaN for missing (numeric), bool with False for missing (boolean), or int32 codes into
    ``categories`` with -1 for missing (category). ``missing`` is a mask, or None when nothing is missing. ``merged``
    says that numbers which differed before are equal in ``data``, where that was checked.
    """

    kind: Kind
    data: NDArray[Any]
    missing: NDArray[np.bool_] | None = None
    categories: tuple[Category, ...] = ()
    merged: bool = False

    def take(self, rows: NDArray[Any] | slice) -> Values:
        """The values of these rows."""
        missing = None if self.missing is None else self.missing[rows]
        return Values(self.kind, self.data[rows], missing, self.categories, self.merged)


def numeric_values(column: NDArray[Any], *, exact: Iterable[Any] | None = None) -> Values:
    """Wrap a column of numbers, NaN meaning missing; ``exact`` are the same before they became floats, to compare."""
    data = np.asarray(column, dtype=np.float64)
    missing = np.isnan(data)
    merged = exact is not None and are_merged(exact, data)
    return Values("numeric", data, missing if missing.any() else None, merged=merged)


def are_merged(exact: Iterable[Any], data: NDArray[np.float64]) -> bool:
    """Whether numbers that differ became one in float64, as whole numbers beyond 2**53 can.

    >>> whole = np.array([2**53, 2**53 + 1, 2**53 + 2])
    >>> are_merged(whole, whole.astype(float)), are_merged(whole[::2], whole[::2].astype(float))
    (True, False)
    """
    large = np.abs(data) >= EXACT  # not so where missing
    if not large.any():
        return False
    return len({value for value, is_large in zip(exact, large, strict=True) if is_large}) > len(np.unique(data[large]))


def object_values(values: Sequence[Any], name: str, *, find_merged: bool = False) -> Values:
    """Read Python objects: numbers, Booleans or strings, with None, NaN or pandas.NA for missing."""
    types = set(map(type, values))
    mask = None
    present = values
    if types != {str}:
        missing = np.fromiter(map(_is_missing, values), dtype=np.bool_, count=len(values))
        if missing.any():
            mask, present = missing, [value for value, gone in zip(values, missing, strict=True) if not gone]
    kinds = {_kind_of(kind, name) for kind in set(map(type, present))}
    if "category" in kinds and len(kinds) > 1:
        names = ", ".join(sorted(kind.__name__ for kind in set(map(type, present))))
        raise ValueError(
            f"column {name!r} must hold one kind of value, got a mixture of {names}: "
            "make all of them strings, or all numbers"
        )
    if kinds == {"category"}:
        return _categories(present, mask)
    if kinds == {"boolean"}:
        return Values("boolean", _with_gaps(np.array(present, dtype=np.bool_), mask, False), mask)
    floats = _floats(present, name)
    merged = find_merged and are_merged(present, floats)
    return Values("numeric", _with_gaps(floats, mask, np.nan), mask, merged=merged)


def pandas_values(series: Any, *, find_merged: bool = False) -> Values:
    """Read a series of pandas, which has been imported if there is one."""
    types = sys.modules["pandas"].api.types
    dtype, name = series.dtype, str(series.name)
    missing = series.isna().to_numpy(dtype=np.bool_)
    mask = missing if missing.any() else None
    if types.is_complex_dtype(dtype):
        raise ValueError(f"Complex data not supported: column {name!r} has dtype {dtype}")
    if hasattr(series, "cat") and isinstance(dtype, sys.modules["pandas"].CategoricalDtype):
        categories = tuple(plain_category(value) for value in dtype.categories)
        return Values("category", series.cat.codes.to_numpy().astype(np.int32), mask, categories)
    if types.is_bool_dtype(dtype) and not types.is_object_dtype(dtype):
        return Values("boolean", series.fillna(False).to_numpy(dtype=np.bool_), mask)
    if types.is_numeric_dtype(dtype):
        exact = series if find_merged and types.is_integer_dtype(dtype) else None
        return numeric_values(series.to_numpy(dtype=np.float64, na_value=np.nan), exact=exact)
    of_arrow = str(getattr(dtype, "pyarrow_dtype", "")).startswith(("dictionary", "null"))
    if types.is_object_dtype(dtype) or types.is_string_dtype(dtype) or of_arrow:
        return object_values(series.tolist(), name, find_merged=find_merged)
    raise _type_error(name, dtype)


def polars_values(series: Any, *, find_merged: bool = False) -> Values:
    """Read a series of polars, which has been imported if there is one."""
    polars = sys.modules["polars"]
    dtype = series.dtype
    if dtype == polars.Boolean:
        missing = series.is_null().to_numpy()
        return Values("boolean", series.fill_null(False).to_numpy(), missing if missing.any() else None)
    if dtype.is_numeric() or dtype == polars.Null:
        exact = series if find_merged and dtype.is_integer() else None
        return numeric_values(series.cast(polars.Float64).to_numpy(), exact=exact)
    if dtype in (polars.String, polars.Categorical, polars.Enum):
        return object_values(series.cast(polars.String).to_list(), series.name)
    if dtype == polars.Object:
        return object_values(series.to_list(), series.name, find_merged=find_merged)
    raise _type_error(series.name, dtype)


def _type_error(name: str, dtype: Any) -> ValueError:
    kinds = "numbers, Booleans, strings or categories"
    return ValueError(f"column {name!r} must hold {kinds}, got dtype {dtype}{_cure_of_time(dtype)}")


def _cure_of_time(kind: Any) -> str:
    """What to do with values of this type, if they are dates or durations."""
    of_time = any(word in str(kind).lower() for word in ("date", "time", "duration", "period"))
    return ": make numbers of it first, such as the year or the days since some day" if of_time else ""


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()  # comparing a signalling NaN raises
    return isinstance(value, (float, np.floating)) and bool(value != value)


def _kind_of(kind: type, name: str) -> Kind:
    if issubclass(kind, str):
        return "category"
    if issubclass(kind, (bool, np.bool_)):
        return "boolean"
    if issubclass(kind, (Real, Decimal)):
        return "numeric"
    if issubclass(kind, Complex):
        raise ValueError(f"Complex data not supported: column {name!r} holds {kind.__name__!r}")
    cure = _cure_of_time(kind.__name__)
    raise TypeError(f"column {name!r}: argument must be a string or a number, not {kind.__name__!r}{cure}")


def _floats(values: Sequence[Any], name: str) -> NDArray[np.float64]:
    try:
        return np.array([float(value) for value in values], dtype=np.float64)
    except OverflowError as error:
        raise infinity_error(name) from error


def _with_gaps(present: NDArray[Any], mask: NDArray[np.bool_] | None, filler: Any) -> NDArray[Any]:
    """Put the present values back where they stood, ``filler`` where values are missing."""
    if mask is None:
        return present
    out = np.full(len(mask), filler, dtype=present.dtype)
    out[~mask] = present
    return out


def _categories(present: Sequence[str], mask: NDArray[np.bool_] | None) -> Values:
    categories = sorted(set(present))
    code = {category: k for k, category in enumerate(categories)}
    codes = np.fromiter((code[value] for value in present), dtype=np.int32, count=len(present))
    return Values("category", _with_gaps(codes, mask, -1), mask, tuple(map(_plain_text, categories)))


def plain_category(value: Any) -> Category:
    """Return a category as str, bool, int or float; anything else (an interval, a date) by its text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return _plain_text(value)
    for kind in (bool, int, float):
        if isinstance(value, kind):
            return kind(value)
    return str(value)


def _plain_text(text: str) -> str:
    """Drop subclasses such as numpy.str_ or an enumeration of strings, which would not survive a model file."""
    return str.__str__(text)


def infinity_error(label: str) -> ValueError:
    """What to raise about a column that holds infinity, in scikit-learn's words."""
    return ValueError(f"Input X contains infinity or a value too large for float64, in column {label!r}.")
