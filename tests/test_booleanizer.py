"""The booleanizer: the bits of every kind of column, their names, and every form a table may have."""

import datetime
import decimal
import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    check_set_output_transform_pandas,
    check_transformer_get_feature_names_out,
    check_transformer_get_feature_names_out_pandas,
    parametrize_with_checks,
)

from adtm import Booleanizer, Literals
from adtm.columns import choose_thresholds

BOOLEANIZERS = [Booleanizer(), Booleanizer(max_bits=3), Booleanizer(missing="indicator")]


@parametrize_with_checks(BOOLEANIZERS)
def test_scikit_learn_accepts_it(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.filterwarnings(
    "ignore:X (has|does not have valid) feature names"
)  # these checks transform arrays on purpose
@pytest.mark.parametrize("booleanizer", BOOLEANIZERS)
@pytest.mark.parametrize(
    "check",
    [
        check_dataframe_column_names_consistency,
        check_set_output_transform_pandas,
        check_transformer_get_feature_names_out,
        check_transformer_get_feature_names_out_pandas,
    ],
)
def test_scikit_learn_accepts_its_feature_names(booleanizer: Booleanizer, check: Any) -> None:
    check("Booleanizer", booleanizer)


def names(booleanizer: Booleanizer) -> list[str]:
    return list(booleanizer.get_feature_names_out())


def rows(bits: Any) -> list[str]:
    """Write Boolean rows as strings of 0 and 1, easy to compare by eye."""
    dense = bits.toarray() if sparse.issparse(bits) else bits
    return ["".join(map(str, row)) for row in np.asarray(dense).astype(int).tolist()]


# ---------------------------------------------------------------- numeric columns


def test_each_distinct_value_but_the_largest_is_a_threshold() -> None:
    booleanizer = Booleanizer().fit([[3.0], [1.0], [2.5], [1.0]])
    assert names(booleanizer) == ["x0 <= 1", "x0 <= 2.5"]
    assert rows(booleanizer.transform([[1.0], [2.5], [3.0]])) == ["11", "01", "00"]


def test_values_outside_the_training_range_get_all_bits_or_none() -> None:
    booleanizer = Booleanizer().fit([[1.0], [2.0], [3.0]])
    assert rows(booleanizer.transform([[-1e300], [0.0], [3.5], [1e300]])) == ["11", "11", "00", "00"]


def test_a_constant_column_gets_no_bits() -> None:
    booleanizer = Booleanizer().fit([[1.0, 5.0], [2.0, 5.0]])
    assert names(booleanizer) == ["x0 <= 1"]
    assert rows(booleanizer.transform([[1.0, 9.0]])) == ["1"]


def test_a_table_of_constants_has_no_bits_at_all() -> None:
    booleanizer = Booleanizer().fit([[1.0, 5.0]])
    assert booleanizer.n_bits_ == 0
    assert booleanizer.transform([[2.0, 3.0], [4.0, 4.0]]).shape == (2, 0)
    assert booleanizer.transform(sparse.csr_array([[2.0, 3.0], [4.0, 4.0]])).shape == (2, 0)
    assert booleanizer.literals([[2.0, 3.0]]).words.shape == (1, 0)
    assert names(booleanizer) == []


def test_negative_zero_is_zero() -> None:
    booleanizer = Booleanizer().fit([[-0.0], [0.0], [1.0]])
    assert names(booleanizer) == ["x0 <= 0"]
    assert rows(booleanizer.transform([[-0.0], [0.0]])) == ["1", "1"]


@pytest.mark.parametrize(
    ("values", "written"),
    [
        (np.array([57.0, 58.0]), "57"),
        (np.array([57, 58]), "57"),
        (np.array([-3, 4], dtype=np.int8), "-3"),
        (np.array([0.1, 1.0]), "0.1"),
        (np.array([0.1, 1.0], dtype=np.float32), "0.1"),
        (np.array([0.1, 1.0], dtype=np.float16), "0.099975586"),
        (np.array([1e-7, 1.0]), "1e-07"),
        (np.array([1e20, 1e21]), "1e+20"),
        (np.array([123456789, 123456790]), "123456789"),
        (np.array([False, True], dtype=object) * 2, "0"),
    ],
)
def test_thresholds_are_written_shortly(values: np.ndarray, written: str) -> None:
    assert names(Booleanizer().fit(values.reshape(-1, 1))) == [f"x0 <= {written}"]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float16, np.float32, np.longdouble, ">f8", ">i4"])
def test_any_numeric_type_gives_the_same_bits(dtype: Any) -> None:
    X = np.random.default_rng(0).integers(0, 50, (60, 4))
    booleanizer = Booleanizer().fit(X)
    same = Booleanizer().fit(X.astype(dtype))
    np.testing.assert_array_equal(same.transform(X.astype(dtype)), booleanizer.transform(X))
    np.testing.assert_array_equal(same.literals(X.astype(dtype)).words, booleanizer.literals(X).words)


def test_max_bits_takes_quantiles_of_the_samples() -> None:
    booleanizer = Booleanizer(max_bits=3).fit(np.arange(100.0).reshape(-1, 1))
    assert names(booleanizer) == ["x0 <= 24", "x0 <= 49", "x0 <= 74"]


def test_max_bits_uses_all_its_bits_even_if_one_value_is_frequent() -> None:
    column = np.concatenate([np.zeros(1000), np.arange(1, 31)])
    thresholds = Booleanizer(max_bits=5).fit(column.reshape(-1, 1)).columns_[0].thresholds
    assert len(thresholds) == 5
    assert thresholds[0] == 0
    assert thresholds[-1] > 20


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix])
@pytest.mark.parametrize("max_bits", [None, 1, 2, 5])
def test_a_sparse_table_gives_the_thresholds_of_the_dense_one(form: Any, max_bits: int | None) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(-5, 20, (50, 6)) * (rng.random((50, 6)) < np.linspace(0, 1, 6)) * 1.0
    dense, thin = (Booleanizer(max_bits=max_bits).fit(table) for table in (X, form(X)))
    assert thin.bits_ == dense.bits_


def test_max_bits_changes_nothing_where_there_are_few_values() -> None:
    assert names(Booleanizer(max_bits=2).fit([[1.0], [2.0], [3.0]])) == ["x0 <= 1", "x0 <= 2"]


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=60), st.integers(1, 20))
def test_max_bits_is_kept_and_reached(counts: list[int], max_bits: int) -> None:
    values = np.arange(len(counts), dtype=float) - 3
    thresholds = choose_thresholds(values, np.array(counts, dtype=np.int64), max_bits)
    assert len(thresholds) == min(max_bits, len(counts) - 1)
    assert (np.diff(thresholds) > 0).all()
    assert set(thresholds) <= set(values[:-1])


# ---------------------------------------------------------------- categories and Booleans

COLOURS = ["red", "green", "red", "blue"]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(COLOURS),
        pd.Series(COLOURS, dtype=object),
        pd.Series(COLOURS, dtype="string"),
        pd.Series(COLOURS, dtype="category"),
        pd.Series(pd.Categorical(COLOURS, categories=["red", "unused", "green", "blue"], ordered=True)),
    ],
)
def test_pandas_strings_and_categories_get_one_bit_per_category(column: pd.Series) -> None:
    frame = pd.DataFrame({"colour": column})
    booleanizer = Booleanizer().fit(frame)
    assert names(booleanizer) == ["colour = blue", "colour = green", "colour = red"]
    assert rows(booleanizer.transform(frame)) == ["001", "010", "001", "100"]


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Enum(["red", "unused", "green", "blue"])])
def test_polars_strings_and_categories_get_one_bit_per_category(dtype: Any) -> None:
    frame = pl.DataFrame({"colour": pl.Series(COLOURS, dtype=dtype)})
    booleanizer = Booleanizer().fit(frame)
    assert names(booleanizer) == ["colour = blue", "colour = green", "colour = red"]
    assert rows(booleanizer.transform(frame)) == ["001", "010", "001", "100"]


def test_an_unseen_category_sets_no_bit() -> None:
    booleanizer = Booleanizer().fit(pd.DataFrame({"colour": COLOURS}))
    assert rows(booleanizer.transform(pd.DataFrame({"colour": ["violet", "red"]}))) == ["000", "001"]


@pytest.mark.parametrize(
    ("categories", "written"),
    [
        ([3, 1, 3], ["c = 1", "c = 3"]),
        ([0.5, 2.0, 0.5], ["c = 0.5", "c = 2"]),
        ([True, False, True], ["c = False", "c = True"]),
        ([pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01"), pd.NaT], None),
        (pd.cut([1, 5, 9], [0, 4, 10]), ["c = (0, 4]", "c = (4, 10]"]),
        ([1, "one", 1], ["c = 1", "c = one"]),
    ],
)
def test_categories_may_be_numbers_booleans_or_anything_with_a_text(categories: Any, written: list[str] | None) -> None:
    frame = pd.DataFrame({"c": pd.Series(categories, dtype="category")})
    booleanizer = Booleanizer(missing="indicator").fit(frame)
    assert written is None or names(booleanizer) == written
    assert {type(value) for value in booleanizer.columns_[0].categories} <= {str, bool, int, float}
    assert booleanizer.transform(frame).sum(axis=1).tolist() == [1, 1, 1]


def test_an_object_array_may_mix_kinds_of_columns() -> None:
    X = np.array([[1, "a", True], [2.5, "b", False], [3, "a", False]], dtype=object)
    booleanizer = Booleanizer().fit(X)
    assert names(booleanizer) == ["x0 <= 1", "x0 <= 2.5", "x1 = a", "x1 = b", "x2"]
    assert rows(booleanizer.transform(X)) == ["11101", "01010", "00100"]


@pytest.mark.parametrize("dtype", ["U3", object, np.dtypes.StringDType()])
def test_string_arrays_are_categories(dtype: Any) -> None:
    X = np.array([["a"], ["b"], ["a"]], dtype=dtype)
    booleanizer = Booleanizer().fit(X)
    assert names(booleanizer) == ["x0 = a", "x0 = b"]
    assert type(booleanizer.columns_[0].categories[0]) is str


def test_booleans_pass_through_with_their_own_names() -> None:
    X = np.array([[True, False], [True, True]])
    booleanizer = Booleanizer().fit(X)
    assert names(booleanizer) == ["x0", "x1"]
    np.testing.assert_array_equal(booleanizer.transform(X), X)
    np.testing.assert_array_equal(booleanizer.literals(X).words, Literals.from_boolean(X).words)
    for form in (sparse.csr_array, sparse.csc_matrix):
        fitted = Booleanizer().fit(form(X))
        np.testing.assert_array_equal(fitted.transform(form(X)).toarray(), X)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_mixed_frame_keeps_its_columns_in_order(frame: Any) -> None:
    X = frame({"age": [30, 57, 60], "smokes": [True, False, True], "colour": ["red", "green", "red"]})
    booleanizer = Booleanizer().fit(X)
    assert names(booleanizer) == ["age <= 30", "age <= 57", "smokes", "colour = green", "colour = red"]
    assert rows(booleanizer.transform(X)) == ["11101", "01010", "00101"]
    assert list(booleanizer.feature_names_in_) == ["age", "smokes", "colour"]
    assert [tuple(bit) for bit in booleanizer.bits_] == [
        (0, "<=", 30.0),
        (0, "<=", 57.0),
        (1, "is", True),
        (2, "=", "green"),
        (2, "=", "red"),
    ]


# ---------------------------------------------------------------- missing and infinite values

MISSING = [
    np.array([[1.0], [np.nan], [2.0]]),
    np.array([[1.0], [None], [2.0]], dtype=object),
    np.array([["a"], [None], ["b"]], dtype=object),
    np.array([[True], [None], [False]], dtype=object),
    np.array([[1], [decimal.Decimal("NaN")], [2]], dtype=object),
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


# ---------------------------------------------------------------- errors


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
        (np.array([["a"], [1]], dtype=object), "column 'x0' must hold one kind of value, got a mixture of int, str"),
    ],
)
def test_tables_that_cannot_be_read_are_refused(X: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Booleanizer().fit(X)


@pytest.mark.parametrize("value", [{}, [1], b"a", object])
def test_objects_that_are_neither_numbers_nor_strings_are_refused(value: Any) -> None:
    X = np.empty((2, 1), dtype=object)
    X[0, 0], X[1, 0] = 1.0, value
    with pytest.raises(TypeError, match="argument must be a string or a number, not "):
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


# ---------------------------------------------------------------- in company


def test_it_works_in_a_pipeline_and_survives_clone_and_pickle() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 2, 80)
    pipeline = make_pipeline(Booleanizer(max_bits=5), BernoulliNB()).fit(X, y)
    again = pickle.loads(pickle.dumps(pipeline))
    np.testing.assert_array_equal(again.predict(X), pipeline.predict(X))
    assert clone(pipeline[0]).get_params() == {"max_bits": 5, "missing": "error"}
    assert len(pipeline[:-1].get_feature_names_out()) == 15


@pytest.mark.parametrize(("library", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_it_can_return_frames(library: str, frame: Any) -> None:
    X = frame({"age": [1, 2, 3], "colour": ["a", "b", "a"]})
    out = Booleanizer().set_output(transform=library).fit_transform(X)
    assert isinstance(out, frame)
    assert list(out.columns) == ["age <= 1", "age <= 2", "colour = a", "colour = b"]


def test_fitting_again_forgets_the_first_fit() -> None:
    booleanizer = Booleanizer().fit(pd.DataFrame({"a": ["x", "y"]}))
    booleanizer.fit(np.array([[1.0, 5.0], [2.0, 6.0]]))
    assert names(booleanizer) == ["x0 <= 1", "x1 <= 5"]


def test_a_refused_fit_changes_nothing() -> None:
    booleanizer = Booleanizer().fit([[1.0], [2.0]])
    before = pickle.dumps(booleanizer)
    with pytest.raises(ValueError, match="NaN"):
        booleanizer.fit([[1.0, np.nan]])
    assert pickle.dumps(booleanizer) == before


# ---------------------------------------------------------------- every input kind, at random

small = st.integers(-3, 3).map(float)
number = st.one_of(small, st.floats(-1e6, 1e6), st.sampled_from([1e-300, -1e300, 0.1, -0.0]))
text = st.sampled_from(["a", "b", "c", "", "ü", "a "])


@st.composite
def tables(draw: st.DrawFn, kind: str, n_columns: int, missing: bool) -> Any:
    """Draw a table of one kind; column j of every table has the same type."""
    n = draw(st.integers(1, 12))

    def column(elements: st.SearchStrategy[Any], gap: Any = None) -> list[Any]:
        return draw(st.lists(elements | st.just(gap) if missing else elements, min_size=n, max_size=n))

    if kind in ("dense", "csr", "csc"):
        X = np.array([column(number, np.nan) for _ in range(n_columns)]).T.reshape(n, n_columns)
        return {"dense": np.asarray, "csr": sparse.csr_array, "csc": sparse.csc_matrix}[kind](X)
    if kind in ("boolean", "boolean csr"):
        X = np.array([draw(st.lists(st.booleans(), min_size=n, max_size=n)) for _ in range(n_columns)]).T
        return X if kind == "boolean" else sparse.csr_array(X)
    if kind == "integer":
        return np.array([draw(st.lists(st.integers(0, 255), min_size=n, max_size=n)) for _ in range(n_columns)]).T
    kinds = [number, text, st.booleans()]
    columns = {f"c{j}": column(kinds[j % 3]) for j in range(n_columns)}
    if kind == "object":
        return pd.DataFrame(columns, dtype=object).to_numpy()
    if kind == "polars":
        types = [pl.Float64, pl.String, pl.Boolean]
        return pl.DataFrame({c: pl.Series(v, dtype=types[j % 3]) for j, (c, v) in enumerate(columns.items())})
    types = ["Float64", "category", "boolean"]
    return pd.DataFrame({c: pd.Series(v, dtype=types[j % 3]) for j, (c, v) in enumerate(columns.items())})


KINDS = ["dense", "csr", "csc", "boolean", "boolean csr", "integer", "object", "polars", "pandas"]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None)
@given(data=st.data(), n_columns=st.integers(1, 7), missing=st.booleans(), max_bits=st.none() | st.integers(1, 4))
def test_literals_are_the_packed_transform_and_survive_a_state(
    kind: str, data: st.DataObject, n_columns: int, missing: bool, max_bits: int | None
) -> None:
    train, new = (data.draw(tables(kind, n_columns, missing)) for _ in range(2))
    booleanizer = Booleanizer(max_bits=max_bits, missing="indicator" if missing else "error").fit(train)
    state = booleanizer.to_state()
    thresholds = state.pop("thresholds")
    restored = Booleanizer.from_state({**json.loads(json.dumps(state)), "thresholds": thresholds})
    assert restored.bits_ == booleanizer.bits_
    assert names(restored) == names(booleanizer)
    for X in (train, new):
        expected = Literals.from_boolean(booleanizer.transform(X))
        np.testing.assert_array_equal(booleanizer.literals(X).words, expected.words)
        np.testing.assert_array_equal(restored.literals(X).words, expected.words)
        assert booleanizer.literals(X).n_features == len(booleanizer.bits_) == booleanizer.n_bits_


@settings(max_examples=40, deadline=None)
@given(data=st.data(), n_columns=st.integers(1, 4), kinds=st.tuples(*[st.sampled_from(KINDS)] * 2))
def test_any_table_may_follow_any_other_without_a_crash(
    data: st.DataObject, n_columns: int, kinds: tuple[str, str]
) -> None:
    train, new = (data.draw(tables(kind, n_columns, True)) for kind in kinds)
    booleanizer = Booleanizer(missing="indicator")
    booleanizer.fit(train if not hasattr(train, "columns") else train.rename({}))
    if hasattr(booleanizer, "feature_names_in_") and not hasattr(new, "columns"):
        new = pd.DataFrame(new.toarray() if sparse.issparse(new) else new, columns=booleanizer.feature_names_in_)
    elif hasattr(new, "columns") and not hasattr(booleanizer, "feature_names_in_"):
        new = new.to_numpy()
    outcomes = []
    for use in (booleanizer.transform, booleanizer.literals):
        try:
            outcomes.append(use(new))
        except (ValueError, TypeError) as error:
            outcomes.append(str(error))
    if isinstance(outcomes[0], str):
        assert outcomes[0] == outcomes[1]
    else:
        np.testing.assert_array_equal(outcomes[1].words, Literals.from_boolean(outcomes[0]).words)


# ---------------------------------------------------------------- states from untrusted files

COLUMNS: list[dict[str, Any]] = [
    {"kind": "numeric", "missing": True, "n_thresholds": 2},
    {"kind": "category", "missing": False, "categories": ["a", 1, 0.5]},
    {"kind": "boolean", "missing": False},
    {"kind": "numeric", "missing": False, "n_thresholds": 1},
]


def state_with(**changes: Any) -> dict[str, Any]:
    state: dict[str, Any] = {
        "max_bits": None,
        "missing": "indicator",
        "feature_names_in": ["p", "q", "r", "s"],
        "columns": COLUMNS,
        "thresholds": np.array([1.0, 2.0, -5.0]),
    }
    return {**state, **changes}


def column_with(index: int, **changes: Any) -> dict[str, Any]:
    columns = [dict(column) for column in COLUMNS]
    columns[index] = {**columns[index], **changes}
    return state_with(columns=columns)


def test_a_state_restores_every_kind_of_column() -> None:
    booleanizer = Booleanizer.from_state(state_with())
    assert names(booleanizer) == [
        "p <= 1",
        "p <= 2",
        "p is missing",
        "q = a",
        "q = 1",
        "q = 0.5",
        "r",
        "s <= -5",
    ]


@pytest.mark.parametrize(
    "state",
    [
        None,
        {},
        state_with(extra=1),
        state_with(max_bits=0),
        state_with(max_bits="x"),
        state_with(missing=[]),
        state_with(missing="maybe"),
        state_with(feature_names_in=["p"]),
        state_with(feature_names_in=["p", "q", "r", "s", "t"]),
        state_with(feature_names_in=[1, 2, 3, 4]),
        state_with(feature_names_in="pqrs"),
        state_with(columns=[]),
        state_with(columns="numeric"),
        state_with(columns=[1, 2, 3, 4]),
        state_with(columns=COLUMNS[:3]),
        state_with(thresholds=[1.0, 2.0, -5.0]),
        state_with(thresholds=np.array([1.0, 2.0, -5.0], dtype=np.float32)),
        state_with(thresholds=np.array([[1.0, 2.0, -5.0]])),
        state_with(thresholds=np.array([1.0, 2.0])),
        state_with(thresholds=np.array([1.0, 2.0, -5.0, 6.0])),
        state_with(thresholds=np.array([2.0, 1.0, -5.0])),
        state_with(thresholds=np.array([1.0, 1.0, -5.0])),
        state_with(thresholds=np.array([1.0, np.nan, -5.0])),
        state_with(thresholds=np.array([1.0, np.inf, -5.0])),
        column_with(0, kind="other"),
        column_with(0, kind=[]),
        column_with(0, kind="boolean"),
        column_with(0, missing=1),
        column_with(0, n_thresholds=-1),
        column_with(0, n_thresholds=10**30),
        column_with(0, n_thresholds=True),
        column_with(0, n_thresholds=2.0),
        column_with(0, extra=0),
        column_with(1, categories="ab"),
        column_with(1, categories=["a"]),
        column_with(1, categories=["a", "a"]),
        column_with(1, categories=[1, True]),
        column_with(1, categories=["a", None]),
        column_with(1, categories=["a", ["b"]]),
        column_with(1, categories=["a", float("nan")]),
        column_with(1, categories=["a", float("inf")]),
    ],
)
def test_an_altered_state_is_refused(state: Any) -> None:
    with pytest.raises(ValueError, match=r"must|expected"):
        Booleanizer.from_state(state)
