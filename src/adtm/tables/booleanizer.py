"""The booleanizer: numbers, categories and Booleans become the Boolean features of a machine.

``transform`` gives them as a readable Boolean array, ``literals`` the same bits packed. Reading tables is left to
``table``, what a single column becomes to ``columns``, writing the bits to ``layout``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from adtm import advice
from adtm.tables.columns import Bit, Column, column_to_state, columns_from_state, learn_column, learn_numeric
from adtm.tables.gathering import gather
from adtm.tables.layout import Layout
from adtm.tables.literals import Literals, pack
from adtm.tables.pieces import Pieces, as_pieces, present_pieces
from adtm.tables.table import (
    Table,
    columns_counting,
    columns_merged,
    columns_with_missing,
    is_sparse,
    n_rows,
    note_columns,
    read_table,
    require_values,
)

#: What ``max_bits="auto"`` allows a column, and all columns together; the same where ties take most of the quantiles.
MOST_BITS_PER_COLUMN, MOST_BITS = 25, 8192
MOST_BITS_WITH_TIES, MOST_BITS_OF_TIES = 100, 2048


class Booleanizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn the columns of a table into Boolean features.

    - A numeric column gets one bit ``x <= t`` for each distinct value ``t`` of the training data except the largest,
      for which the bit would always be true, or for ``max_bits`` of them. Values outside the training range need no
      special care: below it all bits are true, above it none. Numbers are compared in double precision: where whole
      numbers beyond 2**53 differ in their last digits only, they count as one value, with an ``AdviceWarning``.
    - A column of strings or categories gets one bit for each category of the training data. A category that was not
      seen in training sets none of them.
    - A Boolean column passes through as it is.
    - A numeric or categorical column with a single distinct value says nothing and gets no bit.

    Parameters
    ----------
    max_bits : int, "auto" or None, default="auto"
        The most thresholds that a numeric column may get. If it has more distinct values, thresholds are taken at
        equally spaced quantiles of the training samples; bits that ties leave over go to further values, spread
        evenly. Categories are never merged. None keeps all thresholds; ``"auto"`` is 25, and fewer in a table with more
        than 327 columns, so that there are about 8,192 in all, but at least 1. With ``"auto"``, a column of more than
        10,000 numbers in which frequent values, such as 0, take most of the quantiles gets up to 100 bits (fewer in a
        table with more than 20 columns), and those left over go to quantiles of the samples with other values.
    missing : {"error", "indicator"}, default="error"
        What to do with missing values (NaN, None, ``pandas.NA``, null): refuse them, or set all bits of the column to
        0 and give each column that has missing values in training a further bit ``is missing``. A column with none in
        training, or with nothing else, gets no such bit, and a missing value that it meets later gives an
        ``AdviceWarning``. Infinite values are always refused.

    Attributes
    ----------
    columns_ : list of Column
        For each column of the table its ``name``, ``kind`` ("numeric", "category" or "boolean"), ``thresholds``,
        ``categories`` and whether it has a bit for ``missing`` values.
    bits_ : list of Bit
        For each Boolean feature the ``column`` it comes from, its ``kind`` ("<=", "=", "is" or "missing") and the
        ``value`` it compares with.
    n_bits_ : int
        The number of Boolean features. It may be 0.
    n_features_in_ : int
        The number of columns of the table.
    feature_names_in_ : ndarray of str
        The names of the columns, if the training data had names that are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> from adtm import Booleanizer
    >>> booleanizer = Booleanizer().fit(np.array([[1.0], [2.5], [4.0]]))
    >>> booleanizer.get_feature_names_out()
    array(['x0 <= 1', 'x0 <= 2.5'], dtype=object)
    >>> booleanizer.transform([[0.0], [2.0], [9.0]]).astype(int)
    array([[1, 1],
           [0, 1],
           [0, 0]])
    """

    columns_: list[Column]
    n_bits_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    _advises = True  # whether it says what can hardly be meant
    _state_keys: ClassVar[frozenset[str]] = frozenset(
        {"max_bits", "missing", "feature_names_in", "columns", "thresholds"}
    )

    def __init__(
        self, max_bits: int | Literal["auto"] | None = "auto", missing: Literal["error", "indicator"] = "error"
    ) -> None:
        self.max_bits = max_bits
        self.missing = missing

    def fit(self, X: Any, y: Any = None) -> Booleanizer:
        """Learn thresholds and categories.

        Parameters
        ----------
        X : array-like, SciPy sparse matrix, pandas or polars frame, shape (n_samples, n_features), or Pieces
            The training data. Pieces are read several times, and give what the whole table would give.
        y : ignored

        Returns
        -------
        Booleanizer
            Itself.
        """
        self.check_parameters()
        pieces = as_pieces(X)
        if pieces is not None:
            return self._fit_pieces(pieces)
        table = self._read(X, reset=True)
        self._set_columns(self._learn(table))
        self._advise(merged=columns_merged(table), counting=columns_counting(table), n_samples=n_rows(table))
        return self

    def _fit_pieces(self, pieces: Pieces) -> Booleanizer:
        noted = clone(self)  # names and width, until all pieces have been read

        def tables() -> Iterator[Table]:
            for piece in present_pieces(pieces):
                yield noted._read(piece.X, reset=not hasattr(noted, "n_features_in_"), learning=True)

        next(tables())
        width = noted.n_features_in_
        gathered = gather(iter(tables, None), noted._names(width), **self._asked(width))
        noted._set_columns(gathered.columns)
        self._become(noted)
        self._advise(merged=gathered.merged, counting=[], n_samples=gathered.n_rows)
        return self

    def transform(self, X: Any) -> Any:
        """Return the Boolean features.

        Parameters
        ----------
        X : array-like, SciPy sparse matrix, pandas or polars frame, shape (n_samples, n_features)

        Returns
        -------
        ndarray of bool, shape (n_samples, ``n_bits_``)
            For a sparse ``X`` a CSR matrix. Most bits ``x <= t`` of a sparse table are true, so prefer ``literals``
            for large ones.
        """
        check_is_fitted(self)
        table = self._read(X, reset=False)
        return self._layout.bits(table)

    def literals(self, X: Any, *, n_jobs: int = 1) -> Literals:
        """Return the Boolean features and their negations, packed for a machine.

        Parameters
        ----------
        X : array-like, SciPy sparse matrix, pandas or polars frame, shape (n_samples, n_features)
            A sparse matrix is never made dense as a whole.
        n_jobs : int, default 1
            Threads, for arrays of numbers or Booleans.

        Returns
        -------
        Literals
            The same bits as ``Literals.from_boolean(self.transform(X))``.

        Examples
        --------
        >>> from adtm import Booleanizer
        >>> X = [[1.0, 7.0], [2.0, 8.0], [3.0, 9.0]]
        >>> Booleanizer().fit(X).literals(X)
        Literals(n_samples=3, n_features=4)
        """
        if not hasattr(self, "columns_"):
            check_is_fitted(self)
        return self._pack(self._read(X, reset=False), n_jobs)

    def _pack(self, table: Table, n_jobs: int) -> Literals:
        write = partial(self._layout.pack, table, n_jobs=n_jobs)
        return pack(n_rows(table), self.n_bits_, write, n_jobs=n_jobs)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Name the Boolean features, such as ``age <= 57``, ``colour = red`` or ``age is missing``.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the columns. None takes ``feature_names_in_``, or x0, x1, ... if there are none.

        Returns
        -------
        ndarray of str objects, shape (``n_bits_``,)
        """
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        pairs = zip(self.columns_, names, strict=True)
        return np.array([text for column, name in pairs for text in column.bit_names(str(name))], dtype=object)

    @property
    def bits_(self) -> list[Bit]:
        """What each Boolean feature says about the table."""
        check_is_fitted(self)
        return [bit for index, column in enumerate(self.columns_) for bit in column.bits(index)]

    def to_state(self) -> dict[str, Any]:
        """Return everything fitted as JSON values and, under "thresholds", one float64 array.

        Examples
        --------
        >>> from adtm import Booleanizer
        >>> state = Booleanizer().fit([[1.0], [2.0]]).to_state()
        >>> state["columns"], state["thresholds"]
        ([{'kind': 'numeric', 'missing': False, 'n_thresholds': 1}], array([1.]))
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        return {
            "max_bits": self.max_bits if self.max_bits is None or self._auto else int(self.max_bits),
            "missing": self.missing,
            "feature_names_in": None if names is None else [str(name) for name in names],
            "columns": [column_to_state(column) for column in self.columns_],
            "thresholds": self._layout.thresholds.copy(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Booleanizer:
        """Restore a fitted booleanizer; every value is checked, since it may come from an altered file.

        Examples
        --------
        >>> from adtm import Booleanizer
        >>> state = Booleanizer().fit([[1.0], [2.0]]).to_state()
        >>> Booleanizer.from_state(state).get_feature_names_out().tolist()
        ['x0 <= 1']
        """
        if not isinstance(state, Mapping) or set(state) != cls._state_keys:
            raise ValueError(f"state must have the keys {sorted(cls._state_keys)}, got {_keys_text(state)}")
        restored = cls(max_bits=state["max_bits"], missing=state["missing"])
        restored.check_parameters()
        names = state["feature_names_in"]
        if names is not None and not (isinstance(names, (list, tuple)) and all(type(name) is str for name in names)):
            raise ValueError(f"feature_names_in must be a list of strings or null, got {names!r:.80}")
        may_miss = restored.missing == "indicator"
        columns = columns_from_state(state["columns"], state["thresholds"], names, may_miss=may_miss)
        return restored._with_columns(columns, named=names is not None)

    @classmethod
    def of_columns(cls, columns: Sequence[Column], *, named: bool) -> Booleanizer:
        """Make a fitted booleanizer of columns that are known; ``named`` says whether tables bring their names.

        Examples
        --------
        >>> from adtm import Booleanizer
        >>> from adtm.rules import TableColumn
        >>> Booleanizer.of_columns([TableColumn("age", "numeric", (40.0,))], named=False).transform([[39], [41]])
        array([[ True],
               [False]])
        """
        missing: Literal["error", "indicator"] = "indicator" if any(each.may_miss for each in columns) else "error"
        return cls(max_bits=None, missing=missing)._with_columns(columns, named=named)

    def _with_columns(self, columns: Sequence[Column], *, named: bool) -> Booleanizer:
        if named:
            self.feature_names_in_ = np.array([column.name for column in columns], dtype=object)
        self.n_features_in_ = len(columns)
        self._set_columns(list(columns))
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "indicator"
        # input_tags.string and .categorical stay False: to scikit-learn's checks they mean that any object at all is
        # a valid value, and that nothing but categories is.
        tags.transformer_tags.preserves_dtype = []
        return tags

    def check_parameters(self) -> None:
        """Refuse parameters that ``fit`` would refuse."""
        bits = self.max_bits
        whole = isinstance(bits, Integral) and not isinstance(bits, bool) and int(bits) >= 1
        if bits is not None and not self._auto and not whole:
            raise ValueError(f"max_bits must be None, 'auto' or a whole number >= 1, got {self.max_bits!r}")
        if not isinstance(self.missing, str) or self.missing not in ("error", "indicator"):
            raise ValueError(f"missing must be 'error' or 'indicator', got {self.missing!r}")

    def _read(self, X: Any, *, reset: bool, compared: bool = False, learning: bool = False) -> Table:
        table = read_table(X, estimator=self, find_merged=reset or learning)
        width = len(table) if isinstance(table, list) else table.shape[1]
        # Names and width are scikit-learn's to set and compare; a list of lists has neither until it is read.
        shaped = X if hasattr(X, "shape") else np.empty((0, width))
        if not reset and not compared:
            note_columns(self, shaped, reset=False)
        require_values(table, X, allow_missing=self.missing == "indicator")
        if reset:  # last of all, so that a refused fit changes nothing
            note_columns(self, shaped, reset=True)
        elif self.missing == "indicator" and self._advises and not learning:
            new = [self.columns_[j] for j in columns_with_missing(table)]
            advice.new_missing([column.name for column in new if column.n_bits and not column.missing])
        if self._advises and not reset and not learning:
            advice.new_categories(self._unseen(table))
        return table

    def _unseen(self, table: Table) -> list[tuple[str, object]]:
        """Columns with a category that was not there in fit, and one such."""
        found: list[tuple[str, object]] = []
        for column, values in zip(self.columns_, table if isinstance(table, list) else [], strict=False):
            known = set(column.categories)
            new = [code for code, category in enumerate(values.categories) if category not in known]
            if column.kind == values.kind == "category" and known and new:
                used = values.data[np.isin(values.data, new)]
                found += [(column.name, values.categories[used[0]])] if len(used) else []
        return found

    def _advise(self, *, merged: Sequence[int], counting: Sequence[int], n_samples: int) -> None:
        """Say what the columns are that can hardly be meant."""
        if not self._advises:
            return
        columns = self.columns_
        advice.merged_numbers([columns[j].name for j in merged])
        advice.many_bits(self.n_bits_, [(column.name, len(column.thresholds)) for column in columns])
        categories = [(column.name, column.categories) for column in columns]
        advice.identifiers(n_samples, categories)
        advice.running_numbers([columns[j].name for j in counting])
        advice.dates(categories)
        advice.disguised_numbers(categories)
        if self.n_bits_:  # else there is nothing at all, which the machine refuses
            constant = [column.name for column in columns if column.n_bits == 0]
            advice.constant_columns(constant, len(columns), named=hasattr(self, "feature_names_in_"))

    @property
    def _auto(self) -> bool:
        return isinstance(self.max_bits, str) and self.max_bits == "auto"

    def _learn(self, table: Table) -> list[Column]:
        width = len(table) if isinstance(table, list) else int(table.shape[1])
        names, asked = self._names(width), self._asked(width)
        if isinstance(table, list):
            return [learn_column(name, values, **asked) for name, values in zip(names, table, strict=True)]
        if table.dtype == np.bool_:
            return [Column(name, "boolean", may_miss=asked["may_miss"]) for name in names]
        if not is_sparse(table):
            columns = (np.ascontiguousarray(table[:, j], dtype=np.float64) for j in range(width))
            return [learn_numeric(name, column, **asked) for name, column in zip(names, columns, strict=True)]
        by_column = table.tocsc()
        data = by_column.data.astype(np.float64, copy=False)
        stored = (data[start:end] for start, end in pairwise(by_column.indptr))
        n_samples = table.shape[0]
        return [
            learn_numeric(name, part, **asked, n_zeros=n_samples - len(part))
            for name, part in zip(names, stored, strict=True)
        ]

    def _names(self, width: int) -> list[str]:
        """Names of the columns that were noted; x0, x1, ... where they have none."""
        return list(map(str, getattr(self, "feature_names_in_", (f"x{j}" for j in range(width)))))

    def _asked(self, width: int) -> dict[str, Any]:
        """What the parameters ask of the columns of a table so wide."""
        max_bits, tied_bits = self.max_bits, None
        if self._auto:
            max_bits = auto_bits(width)
            tied_bits = max(max_bits, min(MOST_BITS_WITH_TIES, MOST_BITS_OF_TIES // width))
        max_bits = None if max_bits is None else int(max_bits)
        return {"max_bits": max_bits, "tied_bits": tied_bits, "may_miss": self.missing == "indicator"}

    def _become(self, fitted: Booleanizer) -> None:
        """Take all that was fitted in another with these parameters, in place of what was fitted here before."""
        self.__dict__.pop("feature_names_in_", None)
        self.__dict__.update({name: value for name, value in vars(fitted).items() if name.endswith("_")})
        self._set_columns(fitted.columns_)

    def _set_columns(self, columns: list[Column]) -> None:
        self.columns_ = columns
        self._layout = Layout.of(columns)
        self.n_bits_ = self._layout.n_bits


def compared_literals(booleanizer: Booleanizer, X: Any, *, n_jobs: int) -> Literals:
    """As ``booleanizer.literals``, of an X whose names and width the caller has compared with those of fit."""
    return booleanizer._pack(booleanizer._read(X, reset=False, compared=True), n_jobs)


def without_advice(booleanizer: Booleanizer) -> Booleanizer:
    """A new one, not fitted, for data about which another one has given advice."""
    new: Booleanizer = clone(booleanizer)
    new._advises = False
    return new


def auto_bits(n_columns: int) -> int:
    """The bits that ``max_bits="auto"`` allows each column of a table so wide.

    Examples
    --------
    >>> from adtm.tables.booleanizer import auto_bits
    >>> [auto_bits(n) for n in (4, 327, 784, 10_000)]
    [25, 25, 10, 1]
    """
    return max(1, min(MOST_BITS_PER_COLUMN, MOST_BITS // n_columns))


def _keys_text(state: Any) -> str:
    return str(sorted(map(str, state))) if isinstance(state, Mapping) else type(state).__name__
