"""Data in pieces: anything that gives its rows some at a time, and gives them again when asked.

Files, lazy frames, datasets, collections of a cluster and iterables become ``Piece``s in one order. What is learned
from all of them together is in ``gathering``; reading a single table is in ``table``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from numbers import Integral
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from adtm import advice
from adtm.extras import need
from adtm.tables.arrays import as_array, as_dense_array
from adtm.tables.columns import Column
from adtm.tables.csvfile import read_csv
from adtm.tables.literals import Literals
from adtm.tables.table import (
    Frame,
    is_arrow_table,
    is_pandas_frame,
    is_polars_frame,
    take_rows,
    text_names,
)
from adtm.tables.values import EXACT, Category, Kind, Values
from adtm.templating import listed
from adtm.validation import check_whole

#: Rows of a piece where the source leaves it to us.
ROWS = 1 << 16
PARQUET, CSV = (".parquet", ".pq"), (".csv", ".csv.gz", ".tsv")


class Piece(NamedTuple):
    """Some rows: X as ``fit`` takes it, y and weights where there are any."""

    X: Any
    y: Any = None
    weight: Any = None


class Pieces:
    """Data that come in pieces, as often as they are asked for: what ``fit`` takes in place of one array.

    The model is that of ``fit`` on the whole array, to the bit, whatever the pieces are.

    Parameters
    ----------
    source : path, frame, LazyFrame, dataset, Dask frame or array, iterable or callable
        A file, folder or glob of Parquet or CSV files, read in the order of their names, without those that begin with
        a dot; a pandas or polars frame, which is one piece; a polars LazyFrame; a pyarrow dataset or table; a Dask
        frame or array; or something that can be iterated over more than once, or a function that returns an iterator
        each time it is called, of tuples (X, y) or (X, y, weight).
    target : str, list of str or array, optional
        The column that is learned, or those of several labels; for a Dask array, y as another one.
    weight : str or array, optional
        The column that holds the weight of each row; for a Dask array, another one.
    rows : int
        Rows of a piece, where the source has none of its own.
    ignore : sequence of str
        Columns to leave out.

    Examples
    --------
    >>> import numpy as np
    >>> from adtm import ADTMClassifier, Pieces
    >>> X = np.random.default_rng(0).random((100, 3))
    >>> y = (X[:, 0] > X[:, 1]).astype(int)
    >>> pieces = Pieces([(X[:60], y[:60]), (X[60:], y[60:])])
    >>> machine = ADTMClassifier(epochs=2).fit(pieces)
    >>> bool((machine.states_ == ADTMClassifier(epochs=2).fit(X, y).states_).all())
    True
    """

    def __init__(
        self, source: Any, target: Any = None, weight: Any = None, *, rows: int = ROWS, ignore: Sequence[str] = ()
    ) -> None:
        rows = check_whole("rows", rows, low=1, high=2**31 - 1)
        self.source, self.target, self.weight, self.rows, self.ignore = source, target, weight, rows, list(ignore)
        self._told: set[str] = set()  # columns that advice was given about
        if not _is_dask_array(source):
            _require_names(target, weight)
        if isinstance(source, (str, Path)):
            self._make: Callable[[], Iterator[Any]] = _Files(source, rows)
        elif isinstance(source, Frame) or is_pandas_frame(source) or is_polars_frame(source):
            self._make = lambda: iter([source])  # iterated over, it would give its columns
        elif hasattr(source, "collect_batches"):
            self._make = _Batches(source, rows, "a lazy frame")
        elif hasattr(source, "dask"):
            self._make = lambda: _dask_parts(source, target, weight)
        elif hasattr(source, "to_batches"):
            size = {"batch_size" if hasattr(source, "scanner") else "max_chunksize": rows}  # a dataset, or a table
            self._make = lambda: source.to_batches(**size)
        else:
            self._make = _iterating(source)

    @property
    def files(self) -> list[Path]:
        """The files that are read, where it is files."""
        return self._make.paths if isinstance(self._make, _Files) else []

    def like(self, columns: Sequence[Column]) -> Pieces:
        """The same pieces, with the columns of CSV files that held texts in training read as texts."""
        if not isinstance(self._make, _Files):
            return self
        made = copy(self)
        made._make = self._make.like(columns)
        return made

    def __iter__(self) -> Iterator[Piece]:
        empty = True
        for part in self._make():
            piece = _piece_of(part) if isinstance(part, tuple) else self._split(part)
            n = rows_in(piece.X)
            _require_as_many(n, piece.y, "y of a piece")
            if n:
                empty = False
                yield piece
        if empty:
            raise ValueError("X must hold at least 1 sample, got no piece with rows")

    def _split(self, frame: Any) -> Piece:
        """Columns to learn from, and those that are learned."""
        if hasattr(frame, "column_names"):  # pyarrow
            frame = need("polars", "reading pieces of pyarrow", extra="parquet").from_arrow(frame)
        if not hasattr(frame, "columns"):
            return Piece(frame)
        names = list(frame.names if isinstance(frame, Frame) else frame.columns)
        targets = _names(self.target)
        apart = [*targets, *([] if self.weight is None else [self.weight]), *self.ignore]
        for name in apart:
            if name not in names:
                raise ValueError(f"there is no column {name!r}; the data have {listed([str(each) for each in names])}")
        if len(set(apart)) < len(apart):
            what = "targets, weight and columns to ignore" if self.ignore else "targets and weight"
            raise ValueError(f"{what} must be different columns, got {listed([str(name) for name in apart])}")
        left = [name for name in names if name not in apart]
        if apart and not left:
            raise ValueError(f"there is no column to learn from besides {listed([repr(name) for name in apart])}")
        X = _select(frame, left)
        y: Any = None
        if targets:
            y = self._column(frame, targets[0]) if len(targets) == 1 else _select(frame, targets)
        return Piece(X, y, None if self.weight is None else self._column(frame, self.weight))

    def _column(self, frame: Any, name: str) -> Any:
        if not isinstance(frame, Frame):
            column = frame[name]
            if is_polars_frame(frame) and column.dtype.is_nested():
                raise ValueError(f"column {name!r} must hold one value in each row, got dtype {column.dtype}")
            return column
        values = frame[name]
        if values.missing is not None:
            raise ValueError(f"column {name!r} must hold no missing value, got {int(values.missing.sum())}")
        if values.kind == "category":
            return np.array(values.categories, dtype=object)[values.data]
        if values.merged and name not in self._told:
            self._told.add(name)
            advice.merged_numbers([name])
        whole = isinstance(self._make, _Files) and name in self._make.whole
        return values.data.astype(np.int64) if whole else values.data


def as_pieces(X: Any, y: Any = None, sample_weight: Any = None) -> Pieces | None:
    """X as pieces where it comes in some, with y and weights named or among them; None for any other X."""
    if isinstance(X, Pieces):
        if y is not None or sample_weight is not None:
            raise ValueError("y and sample_weight must be None where X is Pieces, which bring their own")
        return X
    if hasattr(X, "dask") or hasattr(X, "collect_batches") or (hasattr(X, "to_batches") and hasattr(X, "schema")):
        named = hasattr(X, "dask") or y is None or (are_names(y) and not _are_labels(y, X))
        return Pieces(X, y, sample_weight) if named else None
    if isinstance(X, (str, Path)):
        return Pieces(X, y, sample_weight) if are_names(y) else None
    plain = (list, tuple, Mapping, bytes, Literals, Frame)  # Packed has a shape
    if y is None and hasattr(X, "__iter__") and not isinstance(X, plain) and not hasattr(X, "__array__"):
        return None if hasattr(X, "shape") or is_polars_frame(X) or is_pandas_frame(X) else Pieces(X)
    return None


def _names(target: Any) -> list[Any]:
    """The columns that are learned."""
    return [] if target is None else list(target) if isinstance(target, (list, tuple)) else [target]


def are_names(y: Any) -> bool:
    """Whether y names columns, rather than being values."""
    return isinstance(y, str) or (isinstance(y, list) and all(isinstance(name, str) for name in y))


def _are_labels(y: str | list[str], X: Any) -> bool:
    """Whether texts are the labels of a table's rows: as many as rows, and not all of them names of columns."""
    return is_arrow_table(X) and isinstance(y, list) and len(y) == len(X) and not {*y} <= {*X.column_names}


def _require_names(target: Any, weight: Any) -> None:
    """Refuse y and weights as values where only columns of X can be meant."""
    for what, names in (("y", _names(target)), ("sample_weight", [] if weight is None else [weight])):
        if not all(isinstance(name, (str, Integral, tuple)) for name in names):
            raise ValueError(
                f"{what} must be the name of a column where X comes in pieces, got {type(names[0]).__name__}"
            )


def joined(parts: Sequence[Any], what: str) -> Any:
    """One y or weight of those of all pieces; None where no piece brings any."""
    there = sum(part is not None for part in parts)
    if 0 < there < len(parts):
        raise ValueError(f"{what} must come with every piece or with none, got {there} of {len(parts)}")
    if there == 0:
        return None
    names = [text_names(part) for part in parts]
    for own in names:
        if own != names[0]:
            told = [f"columns {listed(each)}" if each else "no names" for each in (names[0], own)]
            raise ValueError(f"{what} must have the same columns in every piece, got {told[0]} and {told[1]}")
    arrays = [as_dense_array(part) for part in parts]
    for array in arrays:
        if array.shape[1:] != arrays[0].shape[1:]:
            raise ValueError(f"{what} must have one shape in all pieces, got {arrays[0].shape} and {array.shape}")
    if len({array.dtype.kind in "UT" for array in arrays}) > 1 or _would_round(arrays):
        arrays = [array.astype(object) for array in arrays]
    values = np.concatenate(arrays)
    return values if names[0] is None else Frame(tuple(names[0]), tuple(Values("numeric", each) for each in values.T))


def _would_round(arrays: Sequence[NDArray[Any]]) -> bool:
    """Whether whole numbers, some of which need a sign and some 64 bits, would become floats."""
    return {array.dtype.kind for array in arrays} == {"i", "u"} and np.result_type(*arrays).kind == "f"


def checked_weights(sample_weight: Any, n_samples: int) -> NDArray[np.float64]:
    """One finite number >= 0 for each sample; a single number is that for all of them."""
    try:
        given = as_array(sample_weight)
        if np.ma.is_masked(sample_weight) or given.dtype.kind in "cmM":  # which NumPy would take for other numbers
            raise TypeError
        weights = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        shown = sample_weight.to_list() if hasattr(sample_weight, "to_list") else sample_weight  # of a series
        raise ValueError(f"sample_weight must hold numbers, got {shown!r:.80}") from error
    if weights.ndim == 0:
        weights = np.full(n_samples, weights)
    if weights.shape != (n_samples,):
        raise ValueError(f"sample_weight must have one weight for each of {n_samples} samples, got {weights.shape}")
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        raise ValueError(f"sample_weight must hold finite numbers >= 0, got {weights[wrong][0]}")
    return weights


def present(piece: Piece) -> Piece | None:
    """A piece without the rows of weight 0, which are as good as absent; None if no row is left."""
    if piece.weight is None:
        return piece
    weights = checked_weights(piece.weight, rows_in(piece.X))
    if weights.all():
        return Piece(piece.X, piece.y, weights)
    rows = np.flatnonzero(weights)
    return Piece(take_rows(piece.X, rows), take_rows(piece.y, rows), weights[rows]) if len(rows) else None


def present_pieces(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces of which rows are left without those of weight 0."""
    empty = True
    for piece in filter(None, map(present, pieces)):
        empty = False
        yield piece
    if empty:
        raise ValueError("sample_weight must hold at least one weight above 0, got only zeros")


def _piece_of(parts: tuple[Any, ...]) -> Piece:
    if not 1 <= len(parts) <= 3:
        raise ValueError(f"a piece must be a tuple (X, y) or (X, y, weight), got one of {len(parts)}")
    return Piece(*parts)


# ---- sources ---------------------------------------------------------------------------------------------------------


class _Files:
    """Files of one kind as frames: Parquet some rows at a time, CSV a file at a time."""

    def __init__(self, place: str | Path, rows: int) -> None:
        self.paths, self._rows = _found(place), rows
        self._kinds: dict[str, Kind] = {}
        self._texts: dict[str, tuple[Category, ...]] = {}  # columns that held texts in training, and their categories
        self.whole: set[str] = set()  # columns of a CSV file whose numbers are all whole, and exact
        self._known: dict[Path, tuple[int, ...]] = {}

    def like(self, columns: Sequence[Column]) -> _Files:
        """The same files, read as these columns were in training."""
        made = copy(self)
        made._texts = {column.name: column.categories for column in columns if column.holds_texts}
        return made

    def __call__(self) -> Iterator[Any]:
        if not self._known:
            self._known = {path: _state_of(path) for path in self.paths}
        if not self._kinds and not self.paths[0].name.endswith(PARQUET):
            self._look()
        for path in self.paths:
            yield from self._parts(path)
            if _state_of(path) != self._known[path]:  # passes over other rows would give bits of neither
                raise ValueError(f"{path}: the file has changed since it was first read; make new Pieces")

    def _parts(self, path: Path) -> Iterator[Any]:
        if not path.name.endswith(PARQUET):
            texts = {name: known for name, known in self._texts.items() if name in self._kinds}
            yield read_csv(path, kinds=self._kinds, categories=texts)
            return
        polars = need("polars", "reading Parquet", extra="parquet")
        with whole_parquet(polars, str(path)):
            yield from _Batches(polars.scan_parquet(path), self._rows, str(path))()

    def _look(self) -> None:
        """What each column holds, all files together: one that is no number in any of them holds texts in all."""
        kinds: dict[str, set[Kind]] = {}
        fractions: set[str] = set()
        for path in self.paths:
            frame = read_csv(path)
            if kinds and list(kinds) != list(frame.names):
                raise ValueError(f"{path}: expected the columns of {self.paths[0]}, {listed(list(kinds))}")
            for name, values in zip(frame.names, frame.columns, strict=True):
                gone = values.missing is not None and bool(values.missing.all())
                kinds.setdefault(name, set()).update([] if gone else [values.kind])
                if values.kind != "numeric" or (values.data % 1 != 0).any() or (np.abs(values.data) >= EXACT).any():
                    fractions.add(name)
        self.whole = set(kinds) - fractions
        one: dict[int, Kind] = {0: "numeric"}
        self._kinds = {
            name: next(iter(found)) if len(found) == 1 else one.get(len(found), "category")
            for name, found in kinds.items()
        }


class _Batches:
    """The rows of a lazy frame, some at a time, and all of them.

    Where polars panics while it reads ahead it gives no more rows and says nothing, as if there were no others.
    """

    def __init__(self, frame: Any, rows: int, name: str) -> None:
        self._frame, self._rows, self._name = frame, rows, name
        self._there: int | None = None  # a count costs as much as a pass where the frame is computed

    def __call__(self) -> Iterator[Any]:
        n = 0
        for batch in self._frame.collect_batches(chunk_size=self._rows, maintain_order=True):
            n += len(batch)
            yield batch
        if self._there is None:
            polars = need("polars", "reading lazy frames", extra="parquet")
            self._there = self._frame.select(polars.len()).collect().item()
        if n != self._there:
            raise ValueError(f"{self._name}: expected {self._there} rows, got {n}: is a file damaged?")


@contextmanager
def whole_parquet(polars: Any, name: str) -> Iterator[None]:
    """What polars finds wrong with a file, said of the file."""
    try:
        yield
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException) as error:
        raise ValueError(f"{name}: expected a whole Parquet file: {error}") from error


def _state_of(path: Path) -> tuple[int, ...]:
    """What changes with the content of a file."""
    about = path.stat()
    return about.st_ino, about.st_size, about.st_mtime_ns


def _found(place: str | Path) -> list[Path]:
    """The files at a path, in a folder or of a glob, by name."""
    path, ends = Path(place), (*PARQUET, *CSV)
    pattern = path.relative_to(path.anchor)
    every = path.iterdir() if path.is_dir() else [path] if path.is_file() else Path(path.anchor).glob(str(pattern))
    shown = (each for each in every if each == path or not each.name.startswith("."))
    paths = sorted(each for each in shown if each.name.endswith(ends))
    if not paths:
        raise FileNotFoundError(f"no Parquet or CSV file at {str(place)!r}: a file, a folder or a pattern is expected")
    for each in paths:
        if each.exists() and not each.is_file():  # which nobody could read again and again
            raise ValueError(f"{each}: expected a file, got a directory, a pipe or a device")
    if len({each.name.endswith(PARQUET) for each in paths}) > 1:
        raise ValueError(f"files must be all Parquet or all CSV, got both at {str(place)!r}")
    return paths


def _iterating(source: Any) -> Callable[[], Iterator[Any]]:
    if callable(source):
        return lambda: iter(source())
    if not isinstance(source, Iterable):
        raise ValueError(f"X must be a table, or something that gives pieces of one, got {source!r:.80}")
    if iter(source) is source:
        raise ValueError(
            "pieces must come as often as they are asked for, got an iterator, which gives them once: pass the "
            "function that makes it, Pieces(lambda: ...)"
        )
    return lambda: iter(source)


def _is_dask_array(source: Any) -> bool:
    return hasattr(source, "dask") and not hasattr(source, "columns")


def _dask_parts(X: Any, y: Any, weight: Any) -> Iterator[Any]:
    """The partitions of a Dask frame, or the row blocks of an array, computed one after the other."""
    if not _is_dask_array(X):
        yield from (part.compute() for part in X.partitions)
        return
    # y and weights of all rows, as they are held in the end; the rows of X may be unknown until all have come.
    y, weight = (each.compute() if hasattr(each, "compute") else each for each in (y, weight))
    weights = None if np.ndim(weight) == 0 else weight  # else a single one for all rows, or none
    n = 0
    _require_as_many(X.shape[0], y, "y")
    _require_as_many(X.shape[0], weights, "sample_weight")
    for block in X.blocks:
        part = block.compute()
        begin, n = n, n + rows_in(part)
        yield part, _between(y, begin, n), weight if weights is None else _between(weights, begin, n)
    _require_as_many(n, y, "y")
    _require_as_many(n, weights, "sample_weight")


def _between(given: Any, begin: int, end: int) -> Any:
    """These rows of y or weights; None stays None."""
    return None if given is None else take_rows(given, np.arange(rows_in(given))[begin:end])


def _select(frame: Any, names: list[Any]) -> Any:
    if isinstance(frame, Frame) or is_polars_frame(frame):
        return frame.select(names)
    return frame[names]


def rows_in(given: Any, what: str = "X") -> int:
    """How many rows X, y or weights have."""
    if shape := getattr(given, "shape", None):
        return int(shape[0])
    if shape == () or isinstance(given, str) or not hasattr(given, "__len__"):
        raise ValueError(f"{what} must hold rows, got {given!r:.80}")
    return len(given)


def _require_as_many(n: float, given: Any, what: str) -> None:
    """Refuse y or weights, where there are some, of another length than X; NaN is one that is not known yet."""
    if given is not None and rows_in(given, what) != n and not math.isnan(n):
        raise ValueError(f"X and {what} must have the same length, got {n} samples and {rows_in(given)} values")
