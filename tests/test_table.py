"""Reading tables: odd numbers, odd memory, and messages that name the column."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from adtm import ADTMClassifier, ADTMRegressor, Booleanizer, Pieces, pack
from adtm.tables import literals
from adtm.tables.table import Frame, Values, columns_with_missing, labels_of, read_table, require_values
from made_tables import names_of


@pytest.mark.parametrize("dtype", [pl.Int128, pl.Decimal(20, 1), pl.UInt64, pl.Int8, pl.Float32])
@pytest.mark.parametrize("other", [[], ["x", "y", "x"], [1.0, 2.0, 2.0], [1, 2, 2]])
def test_every_kind_of_polars_number_is_read(dtype: Any, other: list[Any]) -> None:
    one, beside = pl.Series("a", [1, 2, 3], dtype=dtype), [pl.Series("b", other)] if other else []
    for columns in ([one, *beside], [*beside, one]):
        frame = pl.DataFrame(columns)
        names = names_of(frame)
        assert "a <= 2" in names
        bits = Booleanizer().fit(frame).literals(frame).unpack()
        first = names.index("a <= 1")
        np.testing.assert_array_equal(bits[:, first : first + 2], [[1, 1], [0, 1], [0, 0]])


def test_categories_and_nothing_of_pyarrow_are_read_from_pandas() -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs pyarrow: pip install pyarrow")
    texts = pd.array(["red", "blue", None], dtype=pd.ArrowDtype(arrow.dictionary(arrow.int32(), arrow.string())))
    frame = pd.DataFrame({"a": texts, "b": pd.array([None] * 3, dtype=pd.ArrowDtype(arrow.null()))})
    assert names_of(frame, missing="indicator") == ["a = blue", "a = red", "a is missing"]


def test_a_wide_integer_may_be_missing_or_large() -> None:
    frame = pl.DataFrame({"a": pl.Series([1, None, 2**100], dtype=pl.Int128)})
    assert names_of(frame, missing="indicator") == ["a <= 1", "a is missing"]


@pytest.mark.parametrize("dtype", [pl.Int128, pl.UInt128])
def test_wide_integers_are_labels_values_and_weights_too(dtype: Any, tmp_path: Path) -> None:
    X, y = np.arange(60).reshape(30, 2) % 7, np.arange(30) % 3
    one, several = pl.Series(y, dtype=dtype), pl.DataFrame({"a": y // 2, "b": y % 2}, schema={"a": dtype, "b": dtype})
    for make, Y in ((ADTMClassifier, one), (ADTMClassifier, several), (ADTMRegressor, one)):
        plain = np.column_stack([y // 2, y % 2]) if Y is several else y
        same = make(epochs=2, n_clauses=4).fit(X, plain, y)
        pieces = Pieces([(X[:9], Y[:9], one[:9]), (X[9:], Y[9:], one[9:])])
        for data in ((X, Y, one), (pieces,), (pack(pieces, tmp_path / "data.packed"),)):
            machine = make(epochs=2, n_clauses=4).fit(*data)
            np.testing.assert_array_equal(machine.states_, same.states_)
        assert machine.score(X, Y) == same.score(X, plain)


# ---- memory that is not aligned --------------------------------------------------------------------------------------

RECORDS = np.zeros(6, dtype=[("tag", "u1"), ("x", "f8", 2), ("single", "f4", 2), ("whole", "i4", 2), ("flag", "?", 2)])
for _name in ("x", "single", "whole", "flag"):
    RECORDS[_name] = np.arange(12).reshape(6, 2) % 5


@pytest.mark.parametrize("name", ["x", "single", "whole", "flag"])
def test_a_field_of_packed_records_is_read_like_any_array(name: str) -> None:
    X = RECORDS[name]
    assert name == "flag" or not X.flags.aligned
    booleanizer = Booleanizer().fit(X)
    same = Booleanizer().fit(X.copy())
    assert booleanizer.bits_ == same.bits_
    np.testing.assert_array_equal(booleanizer.literals(X).words, same.literals(X.copy()).words)
    np.testing.assert_array_equal(booleanizer.transform(X), same.transform(X.copy()))


def test_a_machine_learns_from_memory_at_any_address() -> None:
    X = np.arange(48.0).reshape(24, 2) % 7
    moved = np.frombuffer(b"\0" + X.tobytes(), np.uint8, offset=1).view(np.float64).reshape(X.shape)
    assert not moved.flags.aligned
    y = (X[:, 0] > 3).astype(int)
    machines = [ADTMClassifier(epochs=2, n_clauses=4, random_state=0).fit(table, y) for table in (X, moved)]
    np.testing.assert_array_equal(machines[0].states_, machines[1].states_)
    np.testing.assert_array_equal(machines[0].predict(X), machines[1].predict(moved))


def test_numbers_and_booleans_of_a_frame_are_an_array() -> None:
    numbers, flags = Values("numeric", np.array([1.5, 2.0])), Values("boolean", np.array([True, False]))
    gaps = Values("boolean", np.array([True, False]), np.array([False, True]))
    found = Frame(("a", "b", "c"), (numbers, flags, gaps)).to_numpy()
    np.testing.assert_array_equal(found, [[1.5, 1, 1], [2, 0, np.nan]])
    words = Frame(("a",), (Values("category", np.array([0], np.int32), None, ("x",)),))
    with pytest.raises(ValueError, match="column 'a' must hold numbers to be an array of them, got categories"):
        words.to_numpy()


def test_a_column_may_have_many_categories() -> None:
    frame = pd.DataFrame({"c": pd.Categorical([f"{k:03}" for k in range(300)])})
    np.testing.assert_array_equal(Booleanizer().fit(frame).transform(frame), np.eye(300, dtype=bool))


@pytest.mark.parametrize("chunk", [1, 7, 100])
def test_tables_are_read_in_pieces_of_any_size(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.arange(90.0).reshape(30, 3) % 7
    mixed = Booleanizer().fit(pd.DataFrame({"a": X[:, 0], "b": X[:, 1] > 3, "c": X[:, 2]}).to_numpy(dtype=object))
    numeric = Booleanizer().fit(X)
    expected = [mixed.transform(X * 1.0 % 2), numeric.transform(X)]
    monkeypatch.setattr(literals, "CHUNK_VALUES", chunk)
    for booleanizer, table, bits in ((mixed, X % 2, expected[0]), (numeric, X, expected[1])):
        for form in (np.asarray, np.float32, sparse.csr_array):
            np.testing.assert_array_equal(booleanizer.literals(form(table)).unpack()[:, : bits.shape[1]], bits)
        np.testing.assert_array_equal(booleanizer.transform(sparse.csr_array(table)).toarray(), bits)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, lambda X: pd.DataFrame(X, columns=["a", "b"])])
def test_the_column_with_infinity_or_nothing_is_named(form: Any) -> None:
    for bad, allow, message in (
        (np.inf, True, "infinity or a value too large for float64, in column '(b|x1)'"),
        (-np.inf, False, "infinity or a value too large for float64, in column '(b|x1)'"),
        (np.nan, False, "missing values .* in column '(b|x1)'"),
    ):
        X = form(np.array([[1.0, 2.0], [3.0, bad]]))
        with pytest.raises(ValueError, match=message):
            require_values(read_table(X, estimator=None), X, allow_missing=allow)
    X = form(np.array([[1e308, 2.0], [1e308, np.nan]]))
    require_values(read_table(X, estimator=None), X, allow_missing=True)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_array, pd.DataFrame])
def test_every_column_with_missing_values_is_found(form: Any) -> None:
    X = form(np.array([[1.0, np.nan, 2.0, np.nan], [1.0, 2.0, 3.0, np.nan]]))
    assert columns_with_missing(read_table(X, estimator=None)) == [1, 3]


def test_messages_call_columns_by_their_names_where_they_have_some() -> None:
    columns = {"a": [1.0, 2.0], "b": [3.0, 4.0]}
    own = Frame(tuple(columns), tuple(Values("numeric", np.array(column)) for column in columns.values()))
    for X in (own, pd.DataFrame(columns), pl.DataFrame(columns)):
        assert labels_of(X, 2) == ["a", "b"]
    assert labels_of(np.zeros((2, 2)), 2) == ["x0", "x1"]
