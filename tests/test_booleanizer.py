"""The booleanizer: the bits of every kind of column, their names, and every form a table may have."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    check_set_output_transform_pandas,
    check_transformer_get_feature_names_out,
    check_transformer_get_feature_names_out_pandas,
    parametrize_with_checks,
)

from adtm import Booleanizer, Literals, Pieces
from adtm.tables.columns import choose_thresholds
from made_tables import names, rows

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


# ---- numeric columns -------------------------------------------------------------------------------------------------


def test_each_distinct_value_but_the_largest_is_a_threshold() -> None:
    booleanizer = Booleanizer().fit([[3.0], [1.0], [2.5], [1.0]])
    assert names(booleanizer) == ["x0 <= 1", "x0 <= 2.5"]
    assert rows(booleanizer.transform([[1.0], [2.5], [3.0]])) == ["11", "01", "00"]


def test_values_outside_the_training_range_get_all_bits_or_none() -> None:
    booleanizer = Booleanizer().fit([[1.0], [2.0], [3.0]])
    assert rows(booleanizer.transform([[-1e300], [0.0], [3.5], [1e300]])) == ["11", "11", "00", "00"]


def test_values_whose_difference_is_infinite_have_thresholds() -> None:
    booleanizer = Booleanizer().fit([[-1.7e308], [0.0], [1.7e308]] * 20)
    assert rows(booleanizer.transform([[-1.7e308], [0.0], [1.7e308]])) == ["11", "01", "00"]


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
    booleanizer = Booleanizer().fit([[-0.0], [0.0], [1.0], [-0.0], [1.0], [0.0]])
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


@pytest.mark.parametrize(("n_columns", "n_bits"), [(1, 100), (20, 100), (30, 68), (81, 25), (82, 25), (400, 20)])
def test_a_column_of_many_numbers_that_is_mostly_zero_gets_more_bits(n_columns: int, n_bits: int) -> None:
    rare = np.concatenate([np.zeros(10_001), np.arange(1, 301)])
    X = sparse.csc_array(rare.reshape(-1, 1)[:, [0] * n_columns]) if n_columns > 20 else np.tile(rare, (n_columns, 1)).T
    wide = [len(column.thresholds) for column in Booleanizer().fit(X).columns_]
    assert wide == [n_bits] * n_columns
    assert wide[0] > 25 or len(Booleanizer(max_bits=25).fit(X).columns_[0].thresholds) == 25
    few = np.concatenate([np.zeros(9_700), np.arange(1, 301)]).reshape(-1, 1)
    assert len(Booleanizer().fit(few).columns_[0].thresholds) == 25


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix])
@pytest.mark.parametrize("max_bits", [None, 1, 2, 5])
def test_a_sparse_table_gives_the_thresholds_of_the_dense_one(form: Any, max_bits: int | None) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(-5, 20, (50, 6)) * (rng.random((50, 6)) < np.linspace(0, 1, 6)) * 1.0
    stored = form((X + 10) * (rng.random((50, 6)) < 0.7))
    stored.data -= 10  # many of the zeros are stored
    for table, thin in ((X, form(X)), (stored.toarray(), stored)):
        assert Booleanizer(max_bits=max_bits).fit(thin).bits_ == Booleanizer(max_bits=max_bits).fit(table).bits_


def test_max_bits_changes_nothing_where_there_are_few_values() -> None:
    assert names(Booleanizer(max_bits=2).fit([[1.0], [2.0], [3.0]])) == ["x0 <= 1", "x0 <= 2"]


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=60), st.integers(1, 20))
def test_max_bits_is_kept_and_reached(counts: list[int], max_bits: int) -> None:
    values = np.arange(len(counts), dtype=float) - 3
    thresholds = choose_thresholds(values, np.array(counts, dtype=np.int64), max_bits)
    assert len(thresholds) == min(max_bits, len(counts) - 1)
    assert (np.diff(thresholds) > 0).all()
    assert set(thresholds) <= set(values[:-1])


# ---- categories and Booleans -----------------------------------------------------------------------------------------

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


@pytest.mark.parametrize("form", [np.array, sparse.csr_array, sparse.csc_array, pd.DataFrame])
@pytest.mark.parametrize("dtype", [np.bool_, np.float64])
def test_bits_are_not_those_of_the_table(form: Any, dtype: Any) -> None:
    X = form(np.array([[1, 0], [0, 0], [1, 1]], dtype=dtype))
    bits = Booleanizer().fit(X).transform(X)
    (bits.data if sparse.issparse(bits) else bits)[:] = False
    table = X.toarray() if sparse.issparse(X) else np.asarray(X)
    assert table.tolist() == [[1, 0], [0, 0], [1, 1]]


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


# ---- in company ------------------------------------------------------------------------------------------------------


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


def test_pieces_leave_the_parameters_of_a_subclass_alone_and_forget_the_first_fit() -> None:
    class Mine(Booleanizer):
        def __init__(self, extra: int = 1, max_bits: Any = None) -> None:
            super().__init__(max_bits, "error")
            self.extra = extra

    booleanizer = Mine(extra=7, max_bits=1).fit(pd.DataFrame({"a": ["x", "y"]}))
    booleanizer.fit(Pieces([np.array([[1.0, 5.0], [2.0, 6.0]]), np.array([[4.0, 5.0]])]))
    assert booleanizer.get_params() == {"extra": 7, "max_bits": 1}
    assert names(booleanizer) == ["x0 <= 2", "x1 <= 5"]


def test_a_refused_fit_changes_nothing() -> None:
    booleanizer = Booleanizer().fit([[1.0], [2.0]])
    before = pickle.dumps(booleanizer)
    with pytest.raises(ValueError, match="NaN"):
        booleanizer.fit([[1.0, np.nan]])
    assert pickle.dumps(booleanizer) == before
