"""What the columns of a table become: bits, learned from training values, named, stored and restored.

A ``Column`` is plain data, and the one description of a fitted column that booleanizer, rules, page and exports use.
Reading values out of a table comes before it (``values``, ``table``); writing the bits of many samples comes after it
(``layout``).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from adtm import _core
from adtm.tables.literals import as_boolean
from adtm.tables.states import fields_of
from adtm.tables.values import EXACT, Category, Kind, Values

BitKind: TypeAlias = Literal["<=", "=", "is", "missing"]

#: Numbers of a column up to which ties give it no further bits: thresholds between few samples fit noise.
FEW_NUMBERS = 10_000


class Bit(NamedTuple):
    """What one Boolean feature says about the original table.

    ``kind`` is "<=" (the number in ``column`` is at most ``value``), "=" (the category is ``value``), "is" (the
    Boolean is true) or "missing" (there is no value).
    """

    column: int
    kind: BitKind
    value: Category | None


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a fitted table: how its values become bits, and the states that these bits can tell apart.

    Its bits are, in this order, one for each threshold or category, or the Boolean itself, then one for missing values.
    Its *states* are the intervals between thresholds, the categories and "any other", or false and true; the last one
    is the missing value where one is allowed.

    >>> from adtm.rules import TableColumn
    >>> age = TableColumn("age", "numeric", thresholds=(40.0, 57.0))
    >>> age.n_bits, age.n_states, age.state_of(57), age.state_of(58)
    (2, 3, 1, 2)
    """

    name: str
    kind: Kind
    thresholds: tuple[float, ...] = ()  # ascending; state k of numbers is thresholds[k - 1] < x <= thresholds[k]
    categories: tuple[Category, ...] = ()  # state k is the k-th of them, the state after the last is any other
    missing: bool = False  # whether a missing value has a bit of its own
    may_miss: bool = False  # whether missing values are allowed at all

    @property
    def n_values(self) -> int:
        """The number of states, without that of the missing value."""
        return 2 if self.kind == "boolean" else len(self.thresholds) + len(self.categories) + 1

    @property
    def n_known(self) -> int:
        """The number of states of values that training saw: without that of any other category, where some are told."""
        return self.n_values - bool(self.categories)

    @property
    def holds_texts(self) -> bool:
        """Whether some of its categories are texts."""
        return any(isinstance(category, str) for category in self.categories)

    @property
    def holds_only_texts(self) -> bool:
        """Whether all of them are, and there are some: a value of any other type is none of them by mistake."""
        return self.holds_texts and all(isinstance(category, str) for category in self.categories)

    @property
    def n_states(self) -> int:
        """The number of states."""
        return self.n_values + self.may_miss

    @property
    def n_bits(self) -> int:
        """The number of bits, that for missing values included."""
        return self.n_values - 1 + self.missing

    def bits(self, index: int) -> Iterator[Bit]:
        """Describe the bits of this column, which is the ``index``-th of the table."""
        if self.kind == "boolean":
            yield Bit(index, "is", True)
        for threshold in self.thresholds:
            yield Bit(index, "<=", threshold)
        for category in self.categories:
            yield Bit(index, "=", category)
        if self.missing:
            yield Bit(index, "missing", None)

    def bit_names(self, name: str) -> Iterator[str]:
        """Name the bits, such as ``age <= 57``, ``colour = red`` or ``age is missing``."""
        if self.kind == "boolean":
            yield name
        for threshold in format_numbers(self.thresholds):
            yield f"{name} <= {threshold}"
        for category in self.categories:
            yield f"{name} = {format_number(category) if type(category) is float else category}"
        if self.missing:
            yield f"{name} is missing"

    def holds(self, bit: int) -> NDArray[np.bool_]:
        """Return in which states the ``bit``-th bit is true: (n_states,) bool."""
        true = np.zeros(self.n_states, np.bool_)
        if bit == self.n_values - 1:  # the bit for missing values follows all others
            true[self.n_values] = True
        else:
            first, last = {"numeric": (0, bit), "category": (bit, bit), "boolean": (1, 1)}[self.kind]
            true[first : last + 1] = True
        return true

    def state_of(self, value: Any) -> int:
        """Return the state of a plain value; None and NaN are missing."""
        if value is None or value != value:
            if not self.may_miss:
                raise ValueError(f"column {self.name!r} must hold no missing value, got {value!r}")
            return self.n_values
        if self.kind == "numeric":
            return bisect_left(self.thresholds, float(value))
        if self.kind == "boolean" and value not in (0, 1):
            raise ValueError(f"column {self.name!r} must hold 0 or 1, got {value!r:.80}")
        if self.kind == "boolean":
            return int(value)
        if self.holds_only_texts and not isinstance(value, str):
            raise ValueError(f"column {self.name!r} must hold a text, got {value!r:.80}")
        return self.categories.index(value) if value in self.categories else len(self.categories)


def format_number(value: float, *, single: bool = False) -> str:
    """Write a number as shortly as it can be told apart: 57 for 57.0, and 0.1 for the float32 nearest to it."""
    if value.is_integer() and abs(value) < 1e16:
        return str(int(value))
    return str(np.float32(value)) if single else repr(value)


def format_numbers(values: Sequence[float]) -> list[str]:
    """Write the numbers of a column; as shortly as those of float32 where all of them are such."""
    with np.errstate(over="ignore", under="ignore"):
        single = bool(np.all(np.array(values).astype(np.float32) == np.array(values)))
    return [format_number(value, single=single) for value in values]


def learn_column(
    name: str, values: Values, *, max_bits: int | None, tied_bits: int | None = None, may_miss: bool = False
) -> Column:
    """Learn the bits of a column from the values of the training data."""
    if values.kind == "numeric":
        return learn_numeric(name, values.data, max_bits=max_bits, tied_bits=tied_bits, may_miss=may_miss)
    n_missing = 0 if values.missing is None else int(values.missing.sum())
    missing = 0 < n_missing < len(values.data)
    if values.kind == "boolean":
        return Column(name, "boolean", missing=missing, may_miss=may_miss)
    seen = np.unique(values.data[values.data >= 0]).tolist()
    # Two declared categories may read alike (an interval and its text): they are one category here.
    categories = sorted({values.categories[code] for code in seen}, key=lambda value: (type(value).__name__, value))
    told_apart = tuple(categories) if len(categories) > 1 else ()
    return Column(name, "category", categories=told_apart, missing=missing, may_miss=may_miss)


def learn_numeric(
    name: str,
    data: NDArray[np.float64],
    *,
    max_bits: int | None,
    tied_bits: int | None = None,
    may_miss: bool = False,
    n_zeros: int = 0,
) -> Column:
    """Learn thresholds from numbers and ``n_zeros`` further zeros that a sparse matrix does not store."""
    if len(data) == 0:  # a column that stores nothing, as most of a hashed text's, has one value at most
        return Column(name, "numeric", may_miss=may_miss)
    values, counts, n_missing = _core.distinct(data)
    missing = 0 < n_missing < len(data) + n_zeros
    if n_zeros > 0:
        at = int(values.searchsorted(0.0))
        if at < len(values) and values[at] == 0.0:
            counts[at] += n_zeros
        else:  # np.insert takes ten times as long, and there may be a million columns
            values = np.concatenate([values[:at], [0.0], values[at:]])
            counts = np.concatenate([counts[:at], [n_zeros], counts[at:]])
    thresholds = tuple(choose_thresholds(values, counts, max_bits, tied_bits).tolist())
    return Column(name, "numeric", thresholds=thresholds, missing=missing, may_miss=may_miss)


def choose_thresholds(
    values: NDArray[np.float64], counts: NDArray[np.int64], max_bits: int | None, tied_bits: int | None = None
) -> NDArray[np.float64]:
    """Choose at most ``max_bits`` of the distinct values, never the largest: ``x <= max`` is always true.

    The choice takes the ``1/(b+1), ..., b/(b+1)`` quantiles of the samples, so that neighbouring bits are about
    equally many samples apart. Where one frequent value takes several quantiles, the bits left over go to values
    spread evenly over the remaining distinct ones: a column that is mostly 0 still gets ``max_bits`` bits. Where ties
    take most of them (``bits_with_ties``), those left over go to quantiles of the samples with other values, as often
    as it takes. Integers throughout, so that every platform chooses alike.
    """
    n_possible = len(values) - 1
    if max_bits is None or n_possible <= max_bits:
        return values[: max(0, n_possible)].copy()
    chosen = _at_quantiles(counts, max_bits, n_possible)
    n_bits = bits_with_ties(len(chosen), int(counts.sum()), max_bits, tied_bits)
    if n_bits is not None:
        chosen = _at_quantiles_again(counts, min(n_bits, n_possible), n_possible)
    elif len(chosen) < max_bits:
        chosen = _and_evenly(chosen, max_bits, n_possible)
    thresholds: NDArray[np.float64] = values[chosen]
    return thresholds


def bits_with_ties(n_chosen: int, n_numbers: int, max_bits: int, tied_bits: int | None) -> int | None:
    """The bits of a column of many numbers whose quantiles lie at few values, less than half as many; else None.

    >>> [bits_with_ties(n_chosen, 32_561, 25, 100) for n_chosen in (1, 12, 13)], bits_with_ties(1, 9_000, 25, 100)
    ([100, 100, None], None)
    """
    return tied_bits if n_numbers > FEW_NUMBERS and 2 * n_chosen < max_bits else None


def _at_quantiles(counts: NDArray[np.int64], n_bits: int, n_possible: int) -> NDArray[np.intp]:
    """The places of the values at so many quantiles, each once; the last possible one where they lie beyond it."""
    levels = int(counts.sum()) * np.arange(1, n_bits + 1)
    return np.unique(np.searchsorted(np.cumsum(counts) * (n_bits + 1), levels).clip(max=n_possible - 1))


def _and_evenly(chosen: NDArray[np.intp], n_bits: int, n_possible: int) -> NDArray[np.intp]:
    others, n_left = np.setdiff1d(np.arange(n_possible), chosen), n_bits - len(chosen)
    evenly = (2 * np.arange(n_left) + 1) * len(others) // (2 * n_left)
    return np.sort(np.concatenate([chosen, others[evenly]]))


def _at_quantiles_again(counts: NDArray[np.int64], n_bits: int, n_possible: int) -> NDArray[np.intp]:
    chosen = _at_quantiles(counts, n_bits, n_possible)
    while len(chosen) < n_bits:
        others = np.setdiff1d(np.arange(n_possible), chosen)
        chosen = np.union1d(chosen, others[_at_quantiles(counts[others], n_bits - len(chosen), len(others))])
    return chosen


def as_kind_of(column: Column, values: Values) -> Values:
    """Read new values the way that the column was fitted: 0 and 1 may stand for Booleans, numbers for categories."""
    if column.kind == "category":
        return _as_categories(column, values)
    if values.kind == column.kind:
        return values
    if values.kind == "category":
        got = f"the category {values.categories[0]!r}" if values.categories else "categories"
        raise ValueError(f"column {column.name!r} was {column.kind} in fit, so it must hold numbers now, got {got}")
    present = slice(None) if values.missing is None else ~values.missing
    if column.kind == "numeric":
        data: NDArray[Any] = np.full(len(values.data), np.nan)
        data[present] = values.data[present]
        return Values("numeric", data, values.missing)
    data = np.zeros(len(values.data), dtype=np.bool_)
    try:
        data[present] = as_boolean(values.data[present])
    except ValueError as error:
        raise ValueError(f"column {column.name!r} was boolean in fit: {error}") from error
    return Values("boolean", data, values.missing)


def _as_categories(column: Column, values: Values) -> Values:
    """Number the categories as in fit; -1 for missing values and for categories that fit did not see."""
    if values.kind == "category":
        codes, categories = values.data, values.categories
    else:
        present = np.ones(len(values.data), dtype=np.bool_) if values.missing is None else ~values.missing
        if present.any() and column.holds_texts:
            got = values.data[present][0].item()
            raise ValueError(f"column {column.name!r} held strings in fit, so it must hold strings now, got {got!r}")
        distinct, inverse = np.unique(values.data[present], return_inverse=True)
        large = any(isinstance(category, int) and abs(category) >= EXACT for category in column.categories)
        if large and (np.abs(distinct.astype(np.float64)) >= EXACT).any():
            raise ValueError(
                f"column {column.name!r} held categories beyond 2**53 in fit, so it must hold categories now, got "
                "numbers, which are read as floats and cannot tell them apart"
            )
        codes, categories = np.full(len(values.data), -1), tuple(distinct.tolist())
        codes[present] = inverse
    fitted = {category: k for k, category in enumerate(column.categories)}
    # One entry more than there are categories, so that code -1 (missing) finds a -1 at the end.
    renumbered = np.array([*(fitted.get(category, -1) for category in categories), -1], dtype=np.int32)
    return Values("category", renumbered[codes], values.missing, column.categories)


def column_to_state(column: Column) -> dict[str, Any]:
    """Describe a column in JSON values; its thresholds themselves are stored apart."""
    state: dict[str, Any] = {"kind": column.kind, "missing": column.missing}
    if column.kind == "numeric":
        state["n_thresholds"] = len(column.thresholds)
    if column.kind == "category":
        state["categories"] = list(column.categories)
    return state


def columns_from_state(states: Any, thresholds: Any, names: Sequence[str] | None, *, may_miss: bool) -> list[Column]:
    """Restore columns from untrusted values; without names they are x0, x1, ..."""
    if not isinstance(thresholds, np.ndarray) or thresholds.dtype != np.float64 or thresholds.ndim != 1:
        got = f"{thresholds.dtype} with {thresholds.ndim} axes" if isinstance(thresholds, np.ndarray) else thresholds
        raise ValueError(f"thresholds must be a float64 array with 1 axis, got {got!r:.80}")
    return [Column(may_miss=may_miss, **fields) for fields in fields_of(states, thresholds.tolist(), names)]
