"""Reading tables: any X that people bring, as numbers, Booleans or categories.

``read_table`` turns arrays, sparse matrices and frames into one of three plain forms and refuses what no machine can
learn from, with scikit-learn's own messages where it has them. Single columns are read by ``values``; all learning
from values is the booleanizer's work. A frame is pandas', polars' or our own ``Frame``; the first two are optional: one
can only arrive when its library has been imported by someone else.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from adtm.tables.arrays import as_array, is_wide, unmasked
from adtm.tables.csr import canonical_csr, sound_sparse
from adtm.tables.values import (
    EXACT,
    Values,
    are_merged,
    infinity_error,
    numeric_values,
    object_values,
    pandas_values,
    polars_values,
)

#: Rows from which on a column that has each whole number of a range once is no chance.
FEWEST_COUNTED = 50


@dataclass(frozen=True)
class Frame:
    """Columns with names, for people without pandas or polars: what a CSV file is read into.

    Estimators and ``Booleanizer`` take it as X.

    >>> frame = Frame(("age", "weight"), (Values("numeric", np.array([40.0, 57.0, 61.0])),) * 2)
    >>> frame.take(np.array([0, 2])).select(["weight"])
    Frame(2 rows: weight)
    """

    names: tuple[str, ...]
    columns: tuple[Values, ...]

    @classmethod
    def of(cls, X: Any) -> Frame:
        """Read a pandas or polars frame."""
        table = read_table(X, estimator=None, find_merged=True)  # it may be learned from
        merged = columns_merged(table)
        columns = (replace(values, merged=j in merged) for j, values in enumerate(columns_of(table)))
        return cls(tuple(labels_of(X, 0)), tuple(columns))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self), len(self.columns)

    def __len__(self) -> int:
        return len(self.columns[0].data) if self.columns else 0

    def __repr__(self) -> str:
        return f"Frame({len(self)} rows: {', '.join(self.names)})"

    @overload
    def __getitem__(self, key: str) -> Values: ...

    @overload
    def __getitem__(self, key: NDArray[Any] | slice) -> Frame: ...

    def __getitem__(self, key: str | NDArray[Any] | slice) -> Values | Frame:
        """A column by its name, or rows as of an array."""
        return self._by_name[key] if isinstance(key, str) else self.take(key)

    @cached_property
    def _by_name(self) -> dict[str, Values]:
        """Columns by name: whoever asks for each of thousands must not search all of them every time."""
        return dict(zip(self.names, self.columns, strict=True))

    def to_numpy(self) -> NDArray[np.float64]:
        """Numbers and Booleans as one array (rows, columns), NaN for missing."""
        for name, values in zip(self.names, self.columns, strict=True):
            if values.kind == "category":
                raise ValueError(f"column {name!r} must hold numbers to be an array of them, got categories")
        missing = [np.zeros(len(self), np.bool_) if v.missing is None else v.missing for v in self.columns]
        return np.where(np.column_stack(missing), np.nan, np.column_stack([v.data for v in self.columns]))

    def select(self, names: Sequence[str]) -> Frame:
        """These columns, in this order."""
        return Frame(tuple(names), tuple(self[name] for name in names))

    def take(self, rows: NDArray[Any] | slice) -> Frame:
        """These rows."""
        return Frame(self.names, tuple(values.take(rows) for values in self.columns))


#: A numeric or Boolean array, a numeric or Boolean CSR matrix, or one Values for each column.
Table: TypeAlias = list[Values] | Any


def read_table(X: Any, *, estimator: Any, find_merged: bool = False) -> Table:
    """Read X; ``estimator`` only lends its name to messages.

    With ``find_merged`` columns of their own also say whether whole numbers became one (``columns_merged``): to those
    who learn thresholds.
    """
    if is_sparse(X):
        X = sound_sparse(X)  # before anything that trusts its indices
        checked = check_array(X, accept_sparse=("csr", "csc"), dtype=None, ensure_all_finite=False, estimator=estimator)
        _require_plain(checked.dtype)
        return canonical_csr(checked)
    if isinstance(X, Frame):
        _require_size(X.shape, estimator)
        return list(X.columns)
    if is_pandas_frame(X):
        _require_size(X.shape, estimator)
        if not X.columns.is_unique:
            raise ValueError(f"column names of X must be unique, got {X.columns[X.columns.duplicated()][0]!r} twice")
        uniform = {getattr(dtype, "kind", "O") if isinstance(dtype, np.dtype) else "O" for dtype in X.dtypes}
        if not (uniform <= set("iuf") or uniform == {"b"}):
            return [pandas_values(X.iloc[:, j], find_merged=find_merged) for j in range(X.shape[1])]
        frame, X = X, X.to_numpy()
        if find_merged and uniform & set("iu") and _is_rounded(X):
            return [pandas_values(frame.iloc[:, j], find_merged=True) for j in range(X.shape[1])]
    elif is_polars_frame(X):
        _require_size(X.shape, estimator)
        if is_wide(X) or not all(dtype.is_float() or dtype.is_integer() for dtype in X.dtypes):
            return [polars_values(X.to_series(j), find_merged=find_merged) for j in range(X.shape[1])]
        frame, X = X, X.to_numpy()
        if find_merged and any(dtype.is_integer() for dtype in frame.dtypes) and _is_rounded(X):
            return [polars_values(frame.to_series(j), find_merged=True) for j in range(X.shape[1])]
    return _read_array(X, estimator, find_merged)


def is_plain(X: Any) -> bool:
    """Tell an array of numbers or Booleans about which scikit-learn's checks could find nothing.

    They take ten times as long as a vote; rows that come one at a time are nearly all such arrays.
    """
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.size > 0
        and X.dtype.kind in "biuf"
        and X.dtype.itemsize <= 8
        and X.dtype.isnative
        and X.flags.aligned
    )


def labels_of(X: Any, n_columns: int) -> list[str]:
    """Return the names of X's columns for messages: x0, x1, ... where it has none."""
    if isinstance(X, Frame):
        return list(X.names)
    if is_pandas_frame(X) or is_polars_frame(X):
        return [str(name) for name in X.columns]
    return [f"x{j}" for j in range(n_columns)]


def text_names(frame: Any) -> list[str] | None:
    """The names of a frame's columns where all are texts, as scikit-learn asks of them; None for anything else."""
    names = frame.names if isinstance(frame, Frame) else list(getattr(frame, "columns", ()))
    return list(names) if len(names) and all(isinstance(name, str) for name in names) else None


def note_columns(estimator: Any, X: Any, *, reset: bool) -> None:
    """Set or compare scikit-learn's ``n_features_in_`` and ``feature_names_in_``; it does not know our ``Frame``."""
    if not isinstance(X, Frame):
        nothing_to_compare = not reset and is_plain(X) and not hasattr(estimator, "feature_names_in_")
        if not nothing_to_compare or X.shape[1] != estimator.n_features_in_:
            validate_data(estimator, X, skip_check_array=True, reset=reset)
        return
    if reset:
        estimator.n_features_in_ = len(X.names)
        estimator.feature_names_in_ = np.array(X.names, dtype=object)
        return
    fitted = getattr(estimator, "feature_names_in_", X.names)
    if len(X.names) != estimator.n_features_in_ or list(fitted) != list(X.names):
        raise ValueError(f"X must have the columns of fit, {', '.join(fitted)}, got {', '.join(X.names)}")


def is_sparse(X: Any) -> bool:
    """Tell a SciPy sparse matrix or array."""
    return bool(sparse.issparse(X))


def is_pandas_frame(X: Any) -> bool:
    """Tell a pandas frame without importing pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def is_polars_frame(X: Any) -> bool:
    """Tell a polars frame without importing polars."""
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(X, polars.DataFrame)


def is_arrow_table(X: Any) -> bool:
    """Tell a table of pyarrow without importing pyarrow."""
    pyarrow = sys.modules.get("pyarrow")
    return pyarrow is not None and isinstance(X, pyarrow.Table)


def take_rows(X: Any, rows: NDArray[Any]) -> Any:
    """These rows of anything that is read as X or y; None stays None."""
    if X is None:
        return None
    if is_sparse(X):
        return sound_sparse(X).tocsr()[rows]  # several kinds of sparse matrices cannot be asked for rows
    if hasattr(X, "iloc"):  # pandas
        return X.iloc[rows]
    if isinstance(X, memoryview):
        X = np.asarray(X)
    if hasattr(X, "take") and not isinstance(X, np.ndarray):
        return X.take(rows)
    return X[rows] if hasattr(X, "shape") else [X[row] for row in rows.tolist()]


def n_rows(table: Table) -> int:
    """Return the number of samples."""
    return len(table[0].data) if isinstance(table, list) else int(table.shape[0])


def columns_of(table: Table) -> Iterator[Values]:
    """Go through the columns of a table that is not sparse."""
    if isinstance(table, list):
        yield from table
        return
    for j in range(table.shape[1]):
        if table.dtype == np.bool_:
            yield Values("boolean", table[:, j])
        else:
            yield numeric_values(table[:, j])


def require_values(table: Table, X: Any, *, allow_missing: bool) -> None:
    """Refuse infinity, and missing values unless they are allowed; X, which was read, names the columns."""
    if isinstance(table, list):
        for values, label in zip(table, labels_of(X, len(table)), strict=True):
            if values.kind == "numeric":
                _require_finite(values.data, label, allow_missing)
                continue
            if any(isinstance(category, float) and math.isinf(category) for category in values.categories):
                raise infinity_error(label)
            if values.missing is not None and not allow_missing:
                raise _missing_error(label)
        return
    numbers = table.data if is_sparse(table) else table
    if numbers.dtype.kind != "f":
        return
    with np.errstate(all="ignore"):
        if np.isfinite(numbers.sum()):  # one pass and no temporary; a sum that overflows only costs the loop below
            return
    for stored, label in zip(_stored(table), labels_of(X, table.shape[1]), strict=True):
        _require_finite(stored, label, allow_missing)


def columns_with_missing(table: Table) -> list[int]:
    """Return the numbers of the columns that have missing values."""
    if isinstance(table, list):
        return [j for j, values in enumerate(table) if values.missing is not None]
    numbers = table.data if is_sparse(table) else table
    if numbers.dtype.kind != "f":
        return []
    with np.errstate(all="ignore"):
        if not np.isnan(numbers.sum()):  # one pass and no temporary, as above
            return []
    has_missing = np.zeros(table.shape[1], np.bool_)
    if is_sparse(table):
        has_missing[table.indices[np.isnan(numbers)]] = True
    else:
        for j in range(table.shape[1]):
            has_missing[j] = np.isnan(table[:, j]).any()
    return np.flatnonzero(has_missing).tolist()


def columns_counting(table: Table) -> list[int]:
    """Return the numbers of the columns that number the rows: whole numbers, each of a range once."""
    if is_sparse(table) or n_rows(table) < FEWEST_COUNTED:
        return []
    return [j for j, values in enumerate(columns_of(table)) if values.kind == "numeric" and _counts(values.data)]


def _counts(data: NDArray[np.float64]) -> bool:
    last = data.min() + (len(data) - 1)  # NaN where a value is missing
    return bool(data.max() == last and (data % 1 == 0).all() and len(np.unique(data)) == len(data))


def columns_merged(table: Table) -> list[int]:
    """Return the numbers of the columns in which whole numbers that differ count as one (see ``read_table``)."""
    if isinstance(table, list):
        return [j for j, values in enumerate(table) if values.merged]
    numbers = table.data if is_sparse(table) else table
    if numbers.dtype.kind not in "iu" or not numbers.size or max(int(numbers.max()), -int(numbers.min())) < EXACT:
        return []
    return [j for j, stored in enumerate(_stored(table)) if are_merged(stored, stored.astype(np.float64))]


def _stored(table: Any) -> Iterator[NDArray[Any]]:
    """The columns of an array; of a sparse matrix what is stored of them."""
    if not is_sparse(table):
        yield from table.T
        return
    by_column = table.tocsc()
    yield from (by_column.data[start:end] for start, end in itertools.pairwise(by_column.indptr))


def _is_rounded(array: NDArray[Any]) -> bool:
    """Whether whole numbers that stand beside floats may have lost their last digits when both became one array."""
    return array.dtype.kind == "f" and bool((np.abs(array) >= EXACT).any())


def _require_finite(column: NDArray[Any], label: str, allow_missing: bool) -> None:
    if np.isinf(column).any():
        raise infinity_error(label)
    if not allow_missing and np.isnan(column).any():
        raise _missing_error(label)


def _missing_error(label: str) -> ValueError:
    return ValueError(
        f"Input X contains missing values (NaN, None or null), in column {label!r}. "
        "Fill or drop them, or use Booleanizer(missing='indicator'), which gives them a bit of their own."
    )


def _require_size(shape: tuple[int, int], estimator: Any) -> None:
    for size, what in zip(shape, ("sample(s)", "feature(s)"), strict=True):
        if size == 0:
            by = "" if estimator is None else f" by {type(estimator).__name__}"
            raise ValueError(f"Found array with 0 {what} (shape={shape}) while a minimum of 1 is required{by}.")


def _require_plain(dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "biuf":
        raise ValueError(f"X must hold numbers, Booleans or strings, got dtype {dtype}")


@contextmanager
def refused_in_one_line(X: Any) -> Iterator[None]:
    """Say in one line, with what to do, why NumPy or scikit-learn refuse an X that is no table."""
    try:
        yield
    except ValueError as error:
        raise ValueError(_cure(X, str(error))) from error


def _cure(X: Any, refused: str) -> str:
    if isinstance(X, (str, bytes, Path)):
        return f"X must hold rows, got {X!r:.80}: adtm.tables.csvfile.read_csv or pandas.read_csv reads a file"
    if isinstance(X, Mapping) or (isinstance(X, Sequence) and len(X) and isinstance(X[0], Mapping)):
        return "X must hold rows of values in one order, got dictionaries: pandas.DataFrame(X) makes a table of them"
    unread = {
        "collect_batches": ("LazyFrame", "collect() gives a frame"),
        "scanner": ("dataset", "to_table() gives a table"),
    }
    for asked, (kind, cure) in unread.items():
        if hasattr(X, asked):
            return f"X must hold its rows, got a {kind}, which has yet to find them: X.{cure}"
    if "inhomogeneous" in refused:
        return "X must have as many values in every row, got rows of different lengths"
    if refused.startswith("Expected 2D array"):
        got = refused.split(" array instead")[0]
        return f"{got} array instead. Reshape your data: X.reshape(-1, 1) is one column, X.reshape(1, -1) one row"
    return refused


def _read_array(X: Any, estimator: Any, find_merged: bool) -> Table:
    if is_plain(X):
        return X
    X = unmasked(X)
    with refused_in_one_line(X):
        rows = as_array(X) if isinstance(X, (list, tuple)) else X
        array = check_array(rows, dtype=None, ensure_all_finite=False, estimator=estimator, input_name="X")
    if array.dtype.kind in "OUT":
        columns = (array[:, j].tolist() for j in range(array.shape[1]))
        return [object_values(column, f"x{j}", find_merged=find_merged) for j, column in enumerate(columns)]
    _require_plain(array.dtype)
    if array.dtype.itemsize > 8:  # long double: beyond what a threshold can hold
        with np.errstate(over="ignore"):
            return array.astype(np.float64)
    return np.require(array, requirements="A")  # a field of packed records need not be
