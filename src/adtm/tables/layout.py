"""Where the bits of a table's columns lie, and writing them: as a readable Boolean array, or packed by the core.

What a column becomes is left to ``columns``, the packed form to ``literals``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from adtm import _core
from adtm.tables.columns import Column, as_kind_of
from adtm.tables.csr import csr_index
from adtm.tables.literals import pack_csr, row_chunks
from adtm.tables.table import Table, columns_of, is_sparse, n_rows
from adtm.tables.values import Values


@dataclass(frozen=True)
class Layout:
    """The bits of every column, one column after the other, in the form that the native core reads.

    ``thresholds[starts[j]:starts[j + 1]]`` are those of column ``j``, its first bit is ``first_bits[j]``, its bit for
    missing values ``missing_bits[j]`` or -1. ``uniform`` is the kind of all columns if they can be packed in one go.
    """

    columns: list[Column]
    thresholds: NDArray[np.float64]
    starts: NDArray[np.int64]
    first_bits: NDArray[np.int64]
    missing_bits: NDArray[np.int64]
    uniform: str | None

    @classmethod
    def of(cls, columns: list[Column]) -> Layout:
        """Lay the bits of the columns out one after the other."""
        widths = [column.n_bits for column in columns]
        first_bits = np.concatenate([[0], np.cumsum(widths, dtype=np.int64)]).astype(np.int64)
        counts = [len(column.thresholds) for column in columns]
        has_missing = np.array([column.missing for column in columns], dtype=np.bool_)
        kinds = {column.kind for column in columns}
        uniform = kinds.pop() if len(kinds) == 1 else None
        return cls(
            columns=columns,
            thresholds=np.array([cut for column in columns for cut in column.thresholds], np.float64),
            starts=np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64),
            first_bits=first_bits,
            missing_bits=np.where(has_missing, first_bits[1:] - 1, -1),
            uniform=None if uniform == "boolean" and has_missing.any() else uniform,
        )

    @property
    def n_bits(self) -> int:
        """Of all columns."""
        return int(self.first_bits[-1])

    def cuts(self, j: int | None = None) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return thresholds, starts, first bits and missing bits of all columns, or of column ``j``."""
        if j is None:
            return self.thresholds, self.starts, self.first_bits[:-1], self.missing_bits
        return self.thresholds, self.starts[j : j + 2], self.first_bits[j : j + 1], self.missing_bits[j : j + 1]

    def bits(self, table: Table) -> Any:
        """The bits of a table as a Boolean array; of a sparse one as a CSR matrix."""
        return self._sparse(table) if is_sparse(table) else self._dense(table)

    def pack(self, table: Table, words: NDArray[np.uint64], *, n_jobs: int) -> None:
        """Write the same bits into the words of packed samples."""
        if is_sparse(table):
            self._pack_sparse(table, words)
        elif isinstance(table, list) or self.uniform is None:
            self._pack_columns(table, words)
        elif self.uniform == "numeric":
            for rows in [slice(None)] if table.dtype == np.float64 else row_chunks(*table.shape):
                values = np.asarray(table[rows], dtype=np.float64)
                _core.pack_thresholds(values, *self.cuts(), words[rows], n_jobs)
        elif self.uniform == "boolean" and table.dtype == np.bool_:
            _core.pack_bits(table.view(np.uint8), words, 0, n_jobs)
        else:
            self._pack_columns(table, words)

    def _dense(self, table: Table) -> NDArray[np.bool_]:
        out = np.zeros((n_rows(table), self.n_bits), dtype=np.bool_)
        for j, column, values in self._with_bits(table):
            first = int(self.first_bits[j])
            block = out[:, first : first + column.n_bits]
            if column.kind == "numeric":
                own = self.thresholds[self.starts[j] : self.starts[j + 1]]
                block[:, : len(own)] = values.data[:, None] <= own
            elif column.kind == "category":
                block[:, : len(column.categories)] = values.data[:, None] == np.arange(len(column.categories))
            else:
                block[:, 0] = values.data
            if column.missing and values.missing is not None:
                block[:, -1] = values.missing
        return out

    def _sparse(self, table: Any) -> Any:
        if self.uniform == "boolean" and table.dtype == np.bool_:
            return table.copy()
        slices = row_chunks(table.shape[0], max(table.shape[1], self.n_bits))
        chunks = [type(table)(self._dense(table[rows].toarray())) for rows in slices]
        return sparse.vstack(chunks, format="csr")

    def _pack_sparse(self, table: Any, words: NDArray[np.uint64]) -> None:
        if self.uniform == "numeric":
            indptr, indices = csr_index(table)
            data = np.ascontiguousarray(table.data, dtype=np.float64)
            _core.pack_csr_thresholds(indptr, indices, data, *self.cuts(), words)
        elif self.uniform == "boolean" and table.dtype == np.bool_:
            pack_csr(table, table.data, words)
        else:
            for rows in row_chunks(*table.shape):
                self._pack_columns(table[rows].toarray(), words[rows])

    def _pack_columns(self, table: Table, words: NDArray[np.uint64]) -> None:
        for j, column, values in self._with_bits(table):
            first = int(self.first_bits[j])
            if column.kind == "numeric":  # writes the bit for missing values too
                _core.pack_thresholds(values.data[:, None], *self.cuts(j), words)
                continue
            if column.kind == "category":
                _core.pack_codes(values.data, len(column.categories), words, first)
            else:
                _core.pack_bits(values.data[:, None].view(np.uint8), words, first)
            if column.missing and values.missing is not None:
                _core.pack_bits(values.missing[:, None].view(np.uint8), words, first + column.n_bits - 1)

    def _with_bits(self, table: Table) -> Iterator[tuple[int, Column, Values]]:
        """The columns that have bits, with the values of a table read as they were fitted."""
        for j, (column, values) in enumerate(zip(self.columns, columns_of(table), strict=True)):
            if column.n_bits:
                yield j, column, as_kind_of(column, values)
