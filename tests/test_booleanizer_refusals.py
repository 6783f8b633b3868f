"""The booleanizer: missing and infinite values, and tables that it refuses with a reason."""

import datetime
import decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from adtm import Booleanizer
from made_tables import names, rows

# ---- missing and infinite values -------------------------------------------------------------------------------------

MISSING = [
    np.array([[1.0], [np.nan], [2.0]]),
    np.array([[1.0], [None], [2.0]], dtype=object),
    np.array([["a"], [None], ["b"]], dtype=object),
    np.array([[True], [None], [False]], dtype=object),
    np.array([[1], [decimal.Decimal("NaN")], [2]], dtype=object),
    np.array([[1], [decimal.Decimal("sNaN")], [2]], dtype=object),
    np.array([["a"], [pd.NaT], ["b"]], dtype=object),
    np.array([[1.5], [pd.NA], [2]], dtype=object),
    [[1.0], [float("nan")], [2.0]],
    np.ma.masked_array([[1.0], [5.0], [2.0]], mask=[[0], [1], [0]]),
    sparse.csr_array([[1.0], [np.nan], [2.0]]),
    sparse.csc_matrix([[1.0], [np.nan], [2.0]]),
    pd.DataFrame({"x0": pd.array([1, None, 2], dtype="Int64")}),
    pd.DataFrame({"x0": pd.array([1.5, None, 2], dtype="Float64")}),
    pd.DataFrame({"x0": pd.array([True, None, False], dtype="boolean")}),
    pd.DataFrame({"x0": pd.array(["a", None, "b"], dtype="string")}),
    pd.DataFrame({"x0": pd.Categorical(["a", None, "b"])}),
    pd.DataFrame({"x0": pd.Series(["a", pd.NA, "b"], dtype=object)}),
    pd.DataFrame({"x0": ["a", None, "b"]}),
    pl.DataFrame({"x0": [1, None, 2]}),
    pl.DataFrame({"x0": [1.0, float("nan"), 2.0]}),
    pl.DataFrame({"x0": [True, None, False]}),
    pl.DataFrame({"x0": ["a", None, "b"]}),
    pl.DataFrame({"x0": pl.Series(["a", None, "b"], dtype=pl.Categorical)}),
]


@pytest.mark.parametrize("X", MISSING, ids=lambda X: type(X).__name__)
def test_missing_values_are_an_error_unless_they_get_a_bit(X: Any) -> None:
    with pytest.raises(ValueError, match=r"contains missing values \(NaN, None or null\), in column 'x0'"):
        Booleanizer().fit(X)


@pytest.mark.parametrize("X", MISSING, ids=lambda X: type(X).__name__)
def test_missing_values_may_get_a_bit_of_their_own(X: Any) -> None:
    booleanizer = Booleanizer(missing="indicator").fit(X)
    assert names(booleanizer)[-1] == "x0 is missing"
    assert booleanizer.bits_[-1] == (0, "missing", None)
    bits = rows(booleanizer.transform(X))
    assert bits[1] == "0" * (len(bits[1]) - 1) + "1"
    assert {bits[0][-1], bits[2][-1]} == {"0"}
    assert rows(booleanizer.literals(X).unpack()[:, : booleanizer.n_bits_]) == bits


def test_a_value_missing_only_later_sets_no_bit() -> None:
    booleanizer = Booleanizer(missing="indicator").fit([[1.0], [2.0]])
    assert names(booleanizer) == ["x0 <= 1"]
    assert rows(booleanizer.transform([[np.nan], [1.0]])) == ["0", "1"]


def test_a_column_with_nothing_but_missing_values_gets_no_bits() -> None:
    for X in ([[np.nan, 1.0], [np.nan, 2.0]], np.array([[None, 1], [None, 2]], dtype=object)):
        assert names(Booleanizer(missing="indicator").fit(X)) == ["x1 <= 1"]
    frame = pl.DataFrame({"a": [None, None], "b": [1, 2]})
    assert names(Booleanizer(missing="indicator").fit(frame)) == ["b <= 1"]


@pytest.mark.parametrize("missing", ["error", "indicator"])
@pytest.mark.parametrize(
    "X",
    [
        np.array([[1.0], [np.inf]]),
        np.array([[1.0], [-np.inf]], dtype=np.float32),
        np.array([[1.0], [np.longdouble("1e4000") if np.finfo(np.longdouble).max > 1e308 else np.inf]]),
        np.array([[1.0], [np.inf]], dtype=object),
        np.array([[1.0], [10**400]], dtype=object),
        sparse.csr_array([[1.0], [np.inf]]),
        pd.DataFrame({"x0": [1.0, np.inf], "x1": ["a", "b"]}),
        pd.DataFrame({"x0": pd.Categorical([1.0, np.inf])}),
        pl.DataFrame({"x0": [1.0, float("inf")]}),
    ],
    ids=lambda X: type(X).__name__,
)
def test_infinite_values_are_always_an_error(X: Any, missing: Any) -> None:
    with pytest.raises(ValueError, match=r"contains infinity .* in column 'x0'"):
        Booleanizer(missing=missing).fit(X)


# ---- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("max_bits", [0, -1, 2.5, "3", True, np.nan])
def test_max_bits_must_be_a_positive_whole_number(max_bits: Any) -> None:
    with pytest.raises(ValueError, match=r"max_bits must be None, 'auto' or a whole number >= 1, got "):
        Booleanizer(max_bits=max_bits).fit([[1.0], [2.0]])


@pytest.mark.parametrize("missing", ["ignore", None, 1, ["error"]])
def test_missing_must_be_known(missing: Any) -> None:
    with pytest.raises(ValueError, match="missing must be 'error' or 'indicator', got "):
        Booleanizer(missing=missing).fit([[1.0], [2.0]])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([1.0, 2.0], "Expected 2D array, got 1D array"),
        (pd.Series([1.0, 2.0]), "Expected a 2-dimensional container"),
        (np.zeros((0, 2)), r"Found array with 0 sample\(s\)"),
        (np.zeros((2, 0)), r"Found array with 0 feature\(s\)"),
        (pd.DataFrame({"a": [], "b": []}, dtype=object), r"Found array with 0 sample\(s\)"),
        (pd.DataFrame(index=[1, 2]), r"Found array with 0 feature\(s\)"),
        (pl.DataFrame({"a": []}), r"Found array with 0 sample\(s\)"),
        (pl.DataFrame(), r"Found array with 0 sample\(s\)"),
        (sparse.csr_array((0, 3)), r"Found array with 0 sample\(s\)"),
        (np.array([[1j], [2]]), "Complex data not supported"),
        (np.array([[1j], [2]], dtype=object), "Complex data not supported"),
        (sparse.csr_array([[1j], [2]]), "Complex data not supported"),
        (pd.DataFrame({"a": [1j, 2], "b": ["x", "y"]}), "Complex data not supported: column 'a'"),
        (np.array([[b"a"], [b"b"]]), "must hold numbers, Booleans or strings, got dtype"),
        (np.array([["2020-01-01"]], dtype="datetime64[D]"), "must hold numbers, Booleans or strings, got dtype"),
        (pd.DataFrame({"a": pd.to_datetime(["2020-01-01"])}), "column 'a' must hold numbers"),
        (pl.DataFrame({"a": [datetime.date(2020, 1, 1)]}), "column 'a' must hold numbers"),
        (pl.DataFrame({"a": [[1, 2]]}), "column 'a' must hold numbers"),
        (pd.DataFrame([[1, "x"], [2, "y"]], columns=["a", "a"]), "column names of X must be unique, got 'a' twice"),
        (
            np.array([["a"], [1]], dtype=object),
            "column 'x0' must hold one kind of value, .* int, str: make all of them strings",
        ),
    ],
)
def test_tables_that_cannot_be_read_are_refused(X: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Booleanizer().fit(X)


@pytest.mark.parametrize("value", [{}, [1], b"a", object])
def test_objects_that_are_neither_numbers_nor_strings_are_refused(value: Any) -> None:
    X = np.empty((2, 1), dtype=object)
    X[0, 0], X[1, 0] = 1.0, value
    with pytest.raises(TypeError, match="column 'x0': argument must be a string or a number, not "):
        Booleanizer().fit(X)


def test_a_column_keeps_the_kind_it_had_in_fit() -> None:
    frame = pd.DataFrame({"age": [1, 2, 3], "colour": ["a", "b", "a"], "flag": [True, False, True]})
    booleanizer = Booleanizer().fit(frame)
    with pytest.raises(ValueError, match=r"column 'age' was numeric in fit, .* got the category 'x'"):
        booleanizer.transform(frame.assign(age=["x", "y", "z"]))
    with pytest.raises(ValueError, match=r"column 'colour' held strings in fit, .* got 7"):
        booleanizer.literals(frame.assign(colour=[7, 8, 9]))
    with pytest.raises(ValueError, match=r"only Booleans or the numbers 0 and 1, got 0\.5"):
        booleanizer.literals(frame.assign(flag=[0.5, 1, 0]))
    np.testing.assert_array_equal(booleanizer.transform(frame.assign(flag=[1, 0, 1])), booleanizer.transform(frame))
    np.testing.assert_array_equal(
        booleanizer.transform(frame.assign(age=[True, False, True]))[:, 0], booleanizer.transform(frame)[[0, 0, 0], 0]
    )


@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_do_not_stand_for_categories_that_they_cannot_tell_apart(sign: int) -> None:
    keys = [sign * 2**53, sign * (2**53 + 1), 7]
    fitted = Booleanizer().fit(pd.DataFrame({"key": pd.Categorical(keys)}))
    found = fitted.transform(pd.DataFrame({"key": [7]})).tolist()
    assert found == [[category == 7 for category in fitted.columns_[0].categories]]
    with pytest.raises(ValueError, match=r"column 'key' held categories beyond 2\*\*53 in fit, .* got numbers"):
        fitted.transform(pd.DataFrame({"key": keys}))


def test_numbers_may_stand_for_numeric_categories() -> None:
    booleanizer = Booleanizer(missing="indicator").fit(pd.DataFrame({"c": pd.Categorical([1, 2, 3])}))
    assert rows(booleanizer.transform(pd.DataFrame({"c": [3.0, np.nan, 1.0, 9.0]}))) == ["001", "000", "100", "000"]


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
def test_a_sparse_table_may_follow_a_dense_one_of_any_kind(kind: Any) -> None:
    new = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    for X in (new > 0, new, pd.DataFrame({"a": [True, False, True], "b": [1, 2, 0]})):
        booleanizer = Booleanizer().fit(np.asarray(X) if isinstance(X, np.ndarray) else X.to_numpy(dtype=object))
        np.testing.assert_array_equal(booleanizer.literals(kind(new)).words, booleanizer.literals(new).words)
        np.testing.assert_array_equal(booleanizer.transform(kind(new)).toarray(), booleanizer.transform(new))


def test_it_must_be_fitted_first() -> None:
    for use in ("transform", "literals"):
        with pytest.raises(NotFittedError):
            getattr(Booleanizer(), use)([[1.0]])
    with pytest.raises(NotFittedError):
        Booleanizer().get_feature_names_out()
    with pytest.raises(NotFittedError):
        Booleanizer().to_state()
    assert not hasattr(Booleanizer(), "bits_")


def test_width_and_names_are_compared_with_those_of_fit() -> None:
    booleanizer = Booleanizer().fit(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}))
    with pytest.raises(ValueError, match="feature names should match"):
        booleanizer.literals(pd.DataFrame({"a": [1, 2], "c": ["x", "y"]}))
    with pytest.raises(ValueError, match="X has 3 features, but Booleanizer is expecting 2 features"):
        Booleanizer().fit([[1.0, 2.0]]).literals([[1.0, 2.0, 3.0]])
    assert names(Booleanizer().fit([[1.0], [2.0]])) == ["x0 <= 1"]
    assert list(Booleanizer().fit([[1.0], [2.0]]).get_feature_names_out(["age"])) == ["age <= 1"]
