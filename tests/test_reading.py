"""Data of every kind, as the estimators read them: the same machine from any form, and errors that say why."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from adtm import ADTMClassifier, Booleanizer, Literals
from made_machines import LABELS, NUMBERS, assert_same, small, snapshot

CAREFUL = Booleanizer()  # refuses missing values, which "auto" gives a bit


# ---- X of every kind -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form",
    [
        lambda X: X.astype(np.int8),
        lambda X: X.astype(np.uint16),
        lambda X: X.astype(np.float32),
        lambda X: X.astype(np.float64),
        lambda X: np.asfortranarray(X),
        lambda X: X.tolist(),
        lambda X: pd.DataFrame(X),
        lambda X: pd.DataFrame(X, columns=list("abc")),
        lambda X: pl.DataFrame(X, schema=list("abc")),
        sparse.csr_array,
        sparse.csc_array,
        sparse.csr_matrix,
        sparse.csc_matrix,
        lambda X: Booleanizer().fit(X).literals(X),
    ],
)
def test_the_same_numbers_in_any_form_give_the_same_machine(form: Callable) -> None:
    expected = small().fit(NUMBERS, LABELS)
    machine = small().fit(form(NUMBERS), LABELS)
    np.testing.assert_array_equal(machine.states_, expected.states_)
    np.testing.assert_array_equal(machine.predict(form(NUMBERS)), expected.predict(NUMBERS))


def test_literals_without_a_feature_are_refused_as_their_table_is() -> None:
    constant = np.ones((60, 2))
    for X in (constant, Booleanizer().fit(constant).literals(constant)):
        with pytest.raises(ValueError, match=r"X gives no Boolean feature: every column is constant.*n_samples=60"):
            small(booleanizer="auto").fit(X, LABELS)


@pytest.mark.parametrize("booleanizer", ["auto", None])
@pytest.mark.parametrize(
    "form",
    [
        np.asarray,
        sparse.csr_array,
        sparse.csc_array,
        lambda X: pd.DataFrame(X, columns=list("abc")),
        lambda X: pl.DataFrame(X, schema=list("abc")),
        Literals.from_boolean,
    ],
)
def test_booleans_in_any_form_pass_through_untouched(form: Callable, booleanizer: Any) -> None:
    X = NUMBERS > 1
    expected = small().fit(Literals.from_boolean(X), LABELS)
    machine = small(booleanizer=booleanizer).fit(form(X), LABELS)
    np.testing.assert_array_equal(machine.states_, expected.states_)
    np.testing.assert_array_equal(machine.decision_function(form(X)), expected.decision_function(X))


def test_without_a_booleanizer_zeros_and_ones_are_booleans() -> None:
    X = NUMBERS > 1
    np.testing.assert_array_equal(
        small(booleanizer=None).fit(X.astype(float), LABELS).states_, small(booleanizer=None).fit(X, LABELS).states_
    )


@pytest.mark.parametrize("library", [pd, pl])
def test_frames_with_strings_categories_booleans_and_numbers_are_learned(library: Any) -> None:
    colour = np.array(["red", "green", "blue"])[NUMBERS[:, 2] % 3]
    size = pd.Categorical(np.array(["S", "M"])[NUMBERS[:, 0] % 2])
    columns = {"colour": colour, "size": size, "old": NUMBERS[:, 1] > 1, "age": NUMBERS[:, 0] + 0.5}
    y = np.where((colour == "red") | (NUMBERS[:, 0] > 2), "yes", "no")
    frame = pd.DataFrame(columns)
    if library is pl:
        frame = pl.DataFrame({**columns, "size": pl.Series(list(size), dtype=pl.Categorical)})
    machine = small(epochs=30).fit(frame, y)
    assert machine.score(frame, y) > 0.95
    assert "colour = red" in machine.booleanizer_.get_feature_names_out()
    assert machine.feature_names_in_.tolist() == list(columns)


@pytest.mark.parametrize("weight", [None, np.arange(60) % 3])
def test_rows_of_a_list_keep_their_numbers_beside_texts(weight: Any) -> None:
    frame = pd.DataFrame({"age": NUMBERS[:, 0] + 0.5, "colour": np.array(["red", "blue"])[NUMBERS[:, 2] % 2]})
    frame.loc[::7, "age"] = np.nan
    rows = frame.to_numpy(dtype=object).tolist()
    machine = small(booleanizer="auto").fit(frame.set_axis(["x0", "x1"], axis=1), LABELS, sample_weight=weight)
    from_rows = small(booleanizer="auto").fit(rows, LABELS, sample_weight=weight)
    assert from_rows.booleanizer_.columns_ == machine.booleanizer_.columns_
    np.testing.assert_array_equal(from_rows.states_, machine.states_)
    assert from_rows.predict(rows[:1]) == from_rows.predictor()(rows[0])


@pytest.mark.parametrize("gap", [False, None, np.nan])
@pytest.mark.parametrize("weight", [None, np.arange(60) % 3])
def test_rows_of_a_list_keep_their_booleans_beside_numbers(weight: Any, gap: Any) -> None:
    rows: list[Any] = [[b > 1, a, c + 0.5] for a, b, c in NUMBERS.tolist()]
    rows[7][0] = gap
    frame, table = pd.DataFrame(rows, columns=["x0", "x1", "x2"]), np.array(rows, dtype=object)
    machine = small(booleanizer="auto").fit(rows, LABELS, sample_weight=weight)
    for same in (frame, table):
        other = small(booleanizer="auto").fit(same, LABELS, sample_weight=weight)
        assert machine.booleanizer_.columns_ == other.booleanizer_.columns_
        np.testing.assert_array_equal(machine.states_, other.states_)
    assert machine.booleanizer_.columns_[0].kind == "boolean"
    assert machine.predict(rows[:1]) == machine.predict(table[:1]) == machine.predictor()(rows[0])


@pytest.mark.parametrize("weight", [None, np.arange(60) % 3])
def test_images_of_a_list_keep_their_booleans_beside_numbers(weight: Any) -> None:
    rows: list[Any] = [[[[b > 1, a + 0.5], [c > 1, b]]] for a, b, c in NUMBERS.tolist()]
    forms = (rows, np.array(rows, dtype=object))
    machine, same = (small(booleanizer="auto", patch=(1, 1)).fit(X, LABELS, weight) for X in forms)
    assert machine.booleanizer_.columns_ == same.booleanizer_.columns_
    assert machine.booleanizer_.columns_[0].kind == "boolean"
    np.testing.assert_array_equal(machine.states_, same.states_)


def test_a_machine_fitted_on_literals_has_no_booleanizer_and_takes_only_literals_of_its_width() -> None:
    literals = Literals.from_boolean(NUMBERS > 1)
    machine = small().fit(literals, LABELS)
    assert machine.booleanizer_ is None
    assert machine.n_features_in_ == 3
    np.testing.assert_array_equal(machine.predict(NUMBERS > 1), machine.predict(literals))
    with pytest.raises(ValueError, match="X has 4 Boolean features, but the machine was fitted with 3"):
        machine.predict(Literals.from_boolean(np.ones((2, 4), bool)))


def test_missing_values_get_a_bit_of_their_own_when_asked_for() -> None:
    X = NUMBERS.astype(float)
    X[::7, 1] = np.nan
    machine = small(booleanizer=Booleanizer(missing="indicator")).fit(X, LABELS)
    assert "x1 is missing" in machine.booleanizer_.get_feature_names_out()
    assert machine.predict(X).shape == LABELS.shape


# ---- data that no machine can learn from --------------------------------------------------------------------------


BAD_X = [
    (np.where(NUMBERS == 3, np.nan, NUMBERS), "X contains missing values .* column 'x0'"),
    (np.where(NUMBERS == 3, np.inf, NUMBERS), "X contains infinity .* column 'x0'"),
    (sparse.csr_array(np.where(NUMBERS == 3, np.nan, NUMBERS)), "X contains missing values"),
    (NUMBERS[:0], r"0 sample\(s\) .* minimum of 1 is required"),
    (NUMBERS[:, 0], "Expected 2D array, got 1D array"),
    (NUMBERS[:, :, None], r"Found array with dim 3, .* such as patch=\(10, 10\)"),
    (NUMBERS * 1j, "Complex data not supported"),
    (Literals.from_boolean(np.ones((0, 3), bool)), r"X must hold at least 1 sample, got 0 sample\(s\)"),
    (None, "Expected 2D array, got scalar array"),
    ("heart.csv", "X must hold rows, got 'heart.csv': adtm.tables.csvfile.read_csv or pandas.read_csv reads a file"),
    ([{"age": 20}] * 60, r"X must hold rows of values in one order, got dictionaries: pandas.DataFrame\(X\)"),
    ({"age": [20] * 60}, "X must hold rows of values in one order, got dictionaries"),
    ([[1, 2], [3]] * 30, "X must have as many values in every row, got rows of different lengths"),
]
LABEL_TYPES = "y must hold labels that are texts, Booleans, whole numbers of at most 64 bits or NumPy's dates"
BAD_Y = [
    (None, "y must hold the labels"),
    (LABELS[:10], "X and y must have the same length, got 60 samples and 10 labels"),
    ([-1, 2**63] * 30, f"y must hold whole numbers that share a type of at most 64 bits, got -1 and {2**63}"),
    (LABELS / 3, "Unknown label type: continuous"),
    (np.where(LABELS, np.nan, 0.0), "y contains NaN"),
    (np.where(LABELS, np.inf, 0.0), "y contains infinity"),
    (np.array([None, "a"], object)[LABELS], "y must hold labels of one type and none missing, got NoneType and str"),
    (np.array([3, "a"], object)[LABELS], "y must hold labels of one type and none missing, got int and str"),
    (pl.Series([None, "a"] * 30), "y must hold labels of one type and none missing, got NoneType and str"),
    ([[np.nan, "a"][k] for k in LABELS], "y must hold labels of one type and none missing, got float and str"),
    ([[3, "a"][k] for k in LABELS], "y must hold labels of one type and none missing, got int and str"),
    ([["a"], ["a", "b"]] * 30, "y must hold one value .* MultiLabelBinarizer makes a matrix of labels"),
    (np.ma.masked_array(LABELS, LABELS == 0), "y must hold a label for every sample, got masked values"),
    (np.array([0.5, 1.5], object)[LABELS], "Unknown label type: continuous. y must hold classes, got .* such as 1.5"),
    (np.array([b"a", b"b"])[LABELS], f"{LABEL_TYPES}, got np.bytes_"),
    (np.array([Decimal(1), Decimal(2)])[LABELS], f"{LABEL_TYPES}, got Decimal"),
    (np.array([date(2020, 1, 1), date(2021, 1, 1)])[LABELS], f"{LABEL_TYPES}, got datetime.date"),
    (np.array([2**64, 2**65])[LABELS], f"{LABEL_TYPES}, got {2**65}"),
    (LABELS * 1j, f"{LABEL_TYPES}, got np.complex128"),
    (np.array([(0,), (1,)], [("a", int)])[LABELS], f"{LABEL_TYPES}, got np.void"),
    (np.array(["2020-01-01", "NaT"], "M8[D]")[LABELS], "y must hold labels of one type and none missing, got NaT"),
]
if np.dtype(np.longdouble).itemsize > 8:
    BAD_Y.append((LABELS.astype(np.longdouble), f"{LABEL_TYPES}, got np.longdouble"))


@pytest.mark.parametrize(("X", "message"), BAD_X)
@pytest.mark.parametrize("booleanizer", [CAREFUL, None])
def test_bad_data_are_refused_with_a_reason(X: Any, message: str, booleanizer: Any) -> None:
    if booleanizer is None and "missing" in message:
        message = "X contains NaN"
    if booleanizer is None and "infinity" in message:
        message = "X contains infinity"
    machine = small(booleanizer=booleanizer)
    with pytest.raises(ValueError, match=message):
        machine.fit(X, LABELS)
    assert vars(machine) == vars(small(booleanizer=booleanizer))


@pytest.mark.filterwarnings("error")
def test_few_samples_of_many_classes_are_taken_without_a_word_of_scikit_learn() -> None:
    y = np.arange(60) % 26
    machine = ADTMClassifier(n_clauses=4).partial_fit(NUMBERS[:30], y[:30], classes=np.arange(26))
    machine.fit(NUMBERS, y, eval_set=(NUMBERS[:30], y[:30]))
    machine.score(NUMBERS[:30], y[:30])


@pytest.mark.parametrize(("y", "message"), BAD_Y)
def test_bad_labels_are_refused_with_a_reason(y: Any, message: str) -> None:
    machine = small()
    with pytest.raises(ValueError, match=message):
        machine.fit(NUMBERS, y)
    assert vars(machine) == vars(small())


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (NUMBERS, np.zeros(60, int), r"y must hold at least 2 classes, got 1 class: \[0\]"),
        (np.ones((60, 3)), LABELS, "X gives no Boolean feature: every column is constant"),
        (np.ones((60, 0)), LABELS, r"0 feature\(s\) .* minimum of 1 is required"),
    ],
)
def test_data_that_teach_nothing_are_refused(X: np.ndarray, y: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        small().fit(X, y)


def test_a_frame_without_rows_is_refused_with_the_name_of_who_asked() -> None:
    for frame in (pl.DataFrame(NUMBERS[:0]), pd.DataFrame(NUMBERS[:0])):
        with pytest.raises(ValueError, match=r"0 sample\(s\) .* minimum of 1 is required by Booleanizer\.$"):
            Booleanizer().fit(frame)


def test_without_a_booleanizer_other_numbers_than_0_and_1_are_refused() -> None:
    with pytest.raises(ValueError, match="X must hold only Booleans or the numbers 0 and 1, got "):
        small(booleanizer=None).fit(NUMBERS, LABELS)
    bits = (NUMBERS > 1).astype(int)
    bits[0, -1] = 2
    for X in (bits, np.ma.masked_equal(bits, 2)):
        with pytest.raises(ValueError, match=f"got .* in column 'x{bits.shape[1] - 1}'"):
            small(booleanizer=None).fit(X, LABELS)


@pytest.mark.parametrize("other", [pd.NA, pd.NaT, None, Decimal("sNaN"), Decimal(1), "1"])
def test_without_a_booleanizer_objects_are_0_and_1_or_refused_with_their_column(other: Any) -> None:
    table = np.array([[0, other], [1, 0]] * 30, dtype=object)
    texts = np.array([["0", "1"]] * 60, dtype=np.dtypes.StringDType())
    for X in (table, pd.DataFrame(table, columns=["x0", "x1"]), texts):
        with pytest.raises(ValueError, match=r"the numbers 0 and 1, got .* in column 'x[01]'\. booleanizer='auto'"):
            small(booleanizer=None).fit(X, LABELS)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_questions_with_bad_data_are_refused_and_change_nothing(method: str) -> None:
    machine = small(booleanizer=CAREFUL).fit(NUMBERS, LABELS)
    before = snapshot(machine)
    wide = (np.ones((4, 5)), "X has 5 features, but ADTMClassifier is expecting 3 features")
    for X, message in [*BAD_X, wide]:
        if isinstance(X, Literals):
            continue
        with pytest.raises(ValueError, match=message):
            getattr(machine, method)(X)
    assert_same(machine, before)


@pytest.mark.parametrize(
    ("eval_set", "message"),
    [
        ([NUMBERS, LABELS], r"eval_set must be a tuple \(X, y\), got a list of 2"),
        ((NUMBERS, LABELS, LABELS), r"eval_set must be a tuple \(X, y\), got a tuple of 3"),
        ((NUMBERS[:, :2], LABELS), "eval_set must be .* X has 2 features, but .* 3 features"),
        ((NUMBERS, LABELS + 7), r"eval_set must be .* known classes \[0, 1\], got \[7, 8\]"),
        ((NUMBERS, LABELS[:9]), "eval_set must be .* got 60 samples and 9 labels"),
        ((NUMBERS[:0], LABELS[:0]), r"eval_set must be .* 0 sample\(s\)"),
    ],
)
def test_a_bad_eval_set_is_refused_before_anything_is_learned(eval_set: Any, message: str) -> None:
    machine = small()
    with pytest.raises(ValueError, match=message):
        machine.fit(NUMBERS, LABELS, eval_set=eval_set)
    assert vars(machine) == vars(small())


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr"])
@pytest.mark.parametrize("booleanizer", [None, "auto"])
def test_a_sparse_matrix_with_indices_beyond_its_end_is_refused(form: str, booleanizer: Any) -> None:
    X = sparse.random_array((24, 4), density=0.9, format=form, rng=np.random.default_rng(0))
    X.data[:] = 1
    indices = X.col if form == "coo" else X.indices
    indices[3 if form != "bsr" else 0] = 10**8
    with pytest.raises(ValueError, match="must"):
        ADTMClassifier(booleanizer=booleanizer, epochs=1).fit(X, np.arange(24) % 2)


REFUSED = [
    *[(X, LABELS, None, message) for X, message in BAD_X if not isinstance(X, Literals)],
    *[(NUMBERS, y, None, message) for y, message in BAD_Y],
    (NUMBERS[:, :2], LABELS, None, "X has 2 features, but ADTMClassifier is expecting 3 features"),
    (NUMBERS, LABELS + 1, None, r"y must hold only the known classes \[0, 1\], got \[2\]"),
    (NUMBERS, np.arange(len(LABELS)) % 8, None, r"known classes \[0, 1\], got \[2, 3, 4, 5, 6\]$"),
    (
        NUMBERS,
        np.array(["no", "yes"])[LABELS],
        None,
        r"y must hold only the known classes \[0, 1\], got \['no', 'yes'\]",
    ),
    (NUMBERS, LABELS.astype("M8[D]"), None, r"known classes \[0, 1\], got \[datetime.date\(1970, 1, 1\)"),
    (NUMBERS, LABELS, [0, 1, 2], r"classes must stay \[0, 1\], got \[0, 1, 2\]"),
    (NUMBERS, LABELS, [0], r"classes must stay \[0, 1\], got \[0\]"),
    (NUMBERS, LABELS, 3, "classes must be a list of labels, got 3"),
]


@pytest.mark.parametrize(
    ("known", "others"),
    [([0.0, 2.0**53], [0, 2**53 + 1]), ([0, 2**53 + 1], [0.0, 2.0**53]), ([-(2.0**53), 0.0], [-(2**53) - 1, 0])],
)
def test_a_whole_number_that_a_float_rounds_to_a_class_is_no_class(known: list[Any], others: list[Any]) -> None:
    machine = small().fit(NUMBERS, np.array(known)[LABELS])
    with pytest.raises(ValueError, match="y must hold only the known classes"):
        machine.partial_fit(NUMBERS, np.array(others)[LABELS])
    right = machine.predict(NUMBERS) == 0
    assert machine.score(NUMBERS, np.array(others)[LABELS]) == np.mean(right & (np.array(others)[LABELS] == 0))


@pytest.mark.parametrize(("X", "y", "classes", "message"), REFUSED)
def test_a_refused_partial_fit_changes_nothing(X: Any, y: Any, classes: Any, message: str) -> None:
    machine = small(booleanizer=CAREFUL, random_state=np.random.default_rng(2)).fit(NUMBERS, LABELS)
    before, votes = snapshot(machine), machine.decision_function(NUMBERS)
    with pytest.raises(ValueError, match=message):
        machine.partial_fit(X, y, classes=classes)
    assert_same(machine, before)
    np.testing.assert_array_equal(machine.decision_function(NUMBERS), votes)
