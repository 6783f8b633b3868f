"""What the columns of data in pieces become: the same as those of the whole table, learned in a few passes.

The first pass finds what each column holds, its categories, and the thresholds of numbers that do not vary much; more
passes find the thresholds of the others (``ranks``). Memory grows with columns and categories, never with rows. Where
pieces come from is left to ``pieces``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from adtm.tables.columns import Column
from adtm.tables.ranks import NumberTally
from adtm.tables.table import Table, columns_merged, columns_of, is_sparse, n_rows
from adtm.tables.values import Category, Kind, Values


@dataclass
class _Tally:
    """One column, piece by piece."""

    numbers: NumberTally
    kinds: set[Kind] = field(default_factory=set)
    categories: set[Category] = field(default_factory=set)
    n_missing: int = 0

    def add(self, values: Values, n_zeros: int) -> None:
        """A piece of the column in the first pass."""
        n_missing = 0 if values.missing is None else int(values.missing.sum())
        self.n_missing += n_missing
        if n_missing < len(values.data) + n_zeros:
            self.kinds.add(values.kind)
        if values.kind == "category":
            self.categories.update(
                values.categories[code] for code in np.unique(values.data[values.data >= 0]).tolist()
            )
        else:
            self.count(values, n_zeros)

    def count(self, values: Values, n_zeros: int) -> None:
        """The numbers of a piece, Booleans as 0 and 1: they are numbers where another piece has some."""
        if values.kind == "category":
            return
        data = values.data.astype(np.float64)
        if values.kind == "boolean" and values.missing is not None:
            data = data[~values.missing]
        self.numbers.add(data, n_zeros)

    @property
    def kind(self) -> Kind | None:
        """What the whole column holds; None for a mixture that no column may have."""
        if len(self.kinds) > 1:
            return None if "category" in self.kinds else "numeric"
        return next(iter(self.kinds), "numeric")

    @property
    def is_known(self) -> bool:
        return self.kind != "numeric" or self.numbers.is_known

    def column(self, name: str, n: int, *, may_miss: bool) -> Column:
        """The column of n rows."""
        missing, kind = 0 < self.n_missing < n, self.kind
        if kind == "boolean":
            return Column(name, "boolean", missing=missing, may_miss=may_miss)
        if kind == "category":
            found = sorted(self.categories, key=lambda value: (type(value).__name__, value))
            told_apart = tuple(found) if len(found) > 1 else ()
            return Column(name, "category", categories=told_apart, missing=missing, may_miss=may_miss)
        assert self.numbers.thresholds is not None
        thresholds = tuple(self.numbers.thresholds.tolist())
        return Column(name, "numeric", thresholds=thresholds, missing=missing, may_miss=may_miss)


@dataclass(frozen=True)
class Gathered:
    """The columns, the rows in all, and the columns in which whole numbers that differ count as one."""

    columns: list[Column]
    n_rows: int
    merged: list[int]


def gather(
    passes: Iterator[Iterable[Table]], names: list[str], *, max_bits: int | None, tied_bits: int | None, may_miss: bool
) -> Gathered:
    """Learn the columns; each pass gives the tables of all pieces."""
    tallies = [_Tally(NumberTally(max_bits, tied_bits)) for _ in names]
    n, merged = 0, set[int]()
    for table in next(passes):
        n += n_rows(table)
        merged.update(columns_merged(table))
        for tally, (values, n_zeros) in zip(tallies, _stored(table), strict=True):
            tally.add(values, n_zeros)
    for name, tally in zip(names, tallies, strict=True):
        if tally.kind is None:
            raise ValueError(
                f"column {name!r} must hold one kind of value, got categories in some pieces and numbers in others: "
                "make all of them strings, or all numbers"
            )
        tally.numbers.end_pass()
    while not all(tally.is_known for tally in tallies):
        for table in next(passes):
            for tally, (values, n_zeros) in zip(tallies, _stored(table), strict=True):
                if not tally.is_known:
                    tally.count(values, n_zeros)
        for tally in tallies:
            if not tally.is_known:
                tally.numbers.end_pass()
    columns = [tally.column(name, n, may_miss=may_miss) for name, tally in zip(names, tallies, strict=True)]
    return Gathered(columns, n, sorted(merged))


def _stored(table: Table) -> Iterator[tuple[Values, int]]:
    """The columns of a table, and the zeros of each that a sparse one does not store."""
    if not is_sparse(table):
        yield from ((values, 0) for values in columns_of(table))
        return
    matrix: Any = table
    by_column = matrix.tocsc()
    kind: Kind = "boolean" if matrix.dtype == np.bool_ else "numeric"
    for begin, end in pairwise(by_column.indptr.tolist()):
        data = by_column.data[begin:end].astype(np.float64)
        gone = np.isnan(data)
        yield Values(kind, data, gone if gone.any() else None), matrix.shape[0] - len(data)
