"""Where the bits of columns lie. That they are written alike in every form: test_booleanizer."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from adtm.tables.columns import Column
from adtm.tables.layout import Layout


def numeric(*thresholds: float, missing: bool = False) -> Column:
    return Column("x", "numeric", thresholds=thresholds, missing=missing)


def test_a_layout_puts_the_bits_of_the_columns_one_after_the_other() -> None:
    columns = [
        numeric(1.0, 2.0, missing=True),
        Column("x", "boolean"),
        numeric(),
        Column("x", "category", categories=("a", "b")),
    ]
    layout = Layout.of([*columns, numeric(7.0)])
    assert layout.first_bits.tolist() == [0, 3, 4, 4, 6, 7]
    assert layout.missing_bits.tolist() == [2, -1, -1, -1, -1]
    assert layout.starts.tolist() == [0, 2, 2, 2, 2, 3]
    assert layout.thresholds.tolist() == [1, 2, 7]
    assert [part.tolist() for part in layout.cuts(4)] == [[1, 2, 7], [2, 3], [6], [-1]]
    assert [part.tolist() for part in layout.cuts()] == [
        [1, 2, 7],
        [0, 2, 2, 2, 2, 3],
        [0, 3, 4, 4, 6],
        [2, -1, -1, -1, -1],
    ]


def test_columns_of_one_kind_are_packed_in_one_go() -> None:
    assert Layout.of([numeric(1.0, missing=True), numeric()]).uniform == "numeric"
    assert Layout.of([Column("x", "boolean")] * 2).uniform == "boolean"
    assert Layout.of([Column("x", "boolean"), Column("x", "boolean", missing=True)]).uniform is None
    assert Layout.of([Column("x", "boolean"), numeric(1.0)]).uniform is None


def test_numbers_of_a_narrow_type_are_widened_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adtm.tables.literals.CHUNK_VALUES", 1000)
    table, layout = (np.arange(80_000) % 7).astype(np.uint8).reshape(-1, 4), Layout.of([numeric(2.0, 4.0)] * 4)
    words = [np.zeros((len(table), 8), np.uint64) for _ in range(2)]
    tracemalloc.start()
    layout.pack(table, words[0], n_jobs=1)
    assert tracemalloc.get_traced_memory()[1] < table.size * 4  # a copy would take eight bytes a number
    tracemalloc.stop()
    layout.pack(table.astype(np.float64), words[1], n_jobs=1)
    assert (words[0] == words[1]).all()
