"""Advice: what can hardly work is said, with what to do, once, and at the line that asked for it."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from adtm import ADTMClassifier, ADTMRegressor, AdviceWarning, Booleanizer, Pieces, TMClassifier
from adtm.advice import (
    counting_clauses,
    dates,
    disguised_numbers,
    far_values,
    heavy_weights,
    identifiers,
    many_bits,
    new_categories,
    unreachable_target,
    unreachable_value,
    worse_than_one_number,
)
from adtm.tables import csvfile, table, values
from adtm.tables.csvfile import read_csv
from adtm.tables.table import Frame

RNG = np.random.default_rng(2)
X = RNG.integers(0, 5, (60, 3)).astype(float)
Y = (X[:, 0] > X[:, 1]).astype(int)


def advice(ask: Any) -> list[str]:
    """What was advised."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ask()
    assert {warning.category for warning in caught} <= {AdviceWarning}
    assert all(warning.filename == __file__ for warning in caught)
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize("kind", [ADTMClassifier, TMClassifier])
def test_a_vote_target_out_of_reach_is_said(kind: type) -> None:
    said = advice(lambda: kind(n_clauses=20, T=10, tolerance=0, epochs=1).fit(X, Y))
    assert said == [
        "T=10 is too large for n_clauses=20, which cast at most 10 votes for a class: every clause goes on learning "
        "from every sample. Take T='auto', or more clauses."
    ]
    assert len(advice(lambda: kind(n_clauses=20, T=10, tolerance=0).partial_fit(X, Y, classes=[0, 1]))) == 1


@pytest.mark.parametrize(
    "parameters", [{"T": 9}, {"T": "auto"}, {"T": 10, "tolerance": 1}, {"n_clauses": 2, "T": 1}, {}]
)
def test_a_vote_target_within_reach_is_not(parameters: Any) -> None:
    assert (
        advice(lambda: ADTMClassifier(**{"n_clauses": 20, "tolerance": 0, "epochs": 1, **parameters}).fit(X, Y)) == []
    )


@pytest.mark.parametrize(("n_classes", "n_rows"), [(101, 1009), (101, 1010), (100, 500)])
def test_many_classes_of_few_rows_are_said(n_classes: int, n_rows: int) -> None:
    y = np.arange(n_rows) % n_classes
    said = advice(lambda: ADTMClassifier(n_clauses=2, epochs=1, choose=False).fit(y[:, None], y))
    assert [text.split(".")[0] for text in said] == ["y has 101 classes for 1,009 rows"] * (n_rows == 1009)


def test_a_value_in_more_parts_than_there_are_votes_is_said() -> None:
    assert advice(lambda: ADTMRegressor(n_clauses=50, T=500, epochs=1).fit(X, X[:, 0])) == [
        "T=500 is too large for n_clauses=50, which cast at most 200 votes: answers hardly reach the upper part of y's "
        "range. Take T='auto', more clauses, or weights='integer'."
    ]


@pytest.mark.parametrize(
    "parameters",
    [{}, {"n_clauses": 1}, {"n_clauses": 50, "T": 100}, {"n_clauses": 50, "T": 500, "weights": "integer"}],
)
def test_a_value_in_parts_that_votes_add_up_to_needs_no_advice(parameters: Any) -> None:
    assert advice(lambda: ADTMRegressor(epochs=1, **parameters).fit(X, X[:, 0])) == []


def test_values_that_lie_close_together_beside_some_far_out_are_said() -> None:
    rng = np.random.default_rng(3)
    y = np.exp(3 * rng.normal(size=60))
    (said,) = advice(lambda: ADTMRegressor(epochs=1).fit(X, y))
    assert said.startswith(f"y goes from {y.min():g} to {y.max():g}, but the middle 80 % of it have ")
    assert "TransformedTargetRegressor" in said


@pytest.mark.parametrize("y", [X[:, 0], np.exp(RNG.normal(size=60)), np.arange(60), np.full(60, 7.0)])
def test_values_that_fill_their_range_need_no_advice(y: Any) -> None:
    assert advice(lambda: ADTMRegressor(epochs=1).fit(X, y)) == []


def test_a_great_number_of_bits_is_said() -> None:
    rng = np.random.default_rng(2)
    wide = rng.random((3000, 5))
    (said,) = advice(lambda: Booleanizer(max_bits=None).fit(wide))
    assert said.startswith(
        "X gives 14,995 Boolean features, since columns 'x0', 'x1', 'x2', 'x3', 'x4' have more than 256"
    )
    assert "Booleanizer(max_bits=25)" in said
    assert advice(lambda: Booleanizer().fit(wide)) == []
    assert advice(lambda: Booleanizer().fit(sparse.random_array((50, 20_000), density=0.01, rng=rng))) == []


def test_numbers_that_one_word_has_made_texts_of_are_said() -> None:
    frame = pd.DataFrame({"a": X[:, 0], "dose": [f"{k / 8:g}" for k in range(59)] + ["lost"]})
    (said,) = advice(lambda: Booleanizer().fit(frame))
    assert said.startswith("column 'dose' has numbers as texts, such as '0', a different one in most of the 60 rows")
    assert "pandas.to_numeric" in said


def test_a_text_column_that_is_an_identifier_is_said() -> None:
    frame = pd.DataFrame({"name": [f"n{i}" for i in range(60)], "size": X[:, 0], "town": ["a", "b", "c"] * 20})
    (said,) = advice(lambda: ADTMClassifier(epochs=1).fit(frame, Y))
    assert said.startswith("column 'name' has a different text in most of the 60 rows")
    assert "Drop it" in said
    assert advice(lambda: Booleanizer().fit(frame.head(20))) == []  # too few rows to tell


def test_constant_columns_are_said() -> None:
    frame = pd.DataFrame({"a": X[:, 0], "b": 1.0, "c": "same"})
    (said,) = advice(lambda: ADTMClassifier(epochs=1).fit(frame, Y))
    assert said == "columns 'b', 'c' have one value in all rows: nothing can be learned from that. Drop such columns."
    (said,) = advice(lambda: Booleanizer().fit(np.column_stack([X, np.zeros(60)])))
    assert said.startswith("column 'x3' has one value")
    pixels = np.zeros((60, 51))
    pixels[:, :5] = X[:, :1]
    assert advice(lambda: Booleanizer().fit(pixels)) == []  # the margin of an image is no mistake
    assert len(advice(lambda: Booleanizer().fit(pixels[:, :50]))) == 1
    assert len(advice(lambda: Booleanizer().fit(pd.DataFrame(pixels).add_prefix("x")))) == 1


@pytest.mark.parametrize("form", ["array", "sparse", "frame"])
def test_missing_values_that_fit_did_not_meet_are_said(form: str) -> None:
    make = {"array": np.asarray, "sparse": sparse.csr_array, "frame": lambda t: pd.DataFrame(t, columns=list("abc"))}[
        form
    ]
    known = X.copy()
    known[::7, 2] = np.nan
    holes = X.copy()
    holes[0, 0] = holes[1, 2] = np.nan
    machine = ADTMClassifier(epochs=2, booleanizer=Booleanizer(missing="indicator")).fit(make(known), Y)
    (said,) = advice(lambda: machine.predict(make(holes)))
    assert said.startswith(f"column {'a' if form == 'frame' else 'x0'!r} has missing values but had none in fit")
    assert "Fill them in" in said
    assert advice(lambda: machine.predict(make(known))) == []
    with pytest.raises(ValueError, match="missing values"):
        ADTMClassifier(epochs=2, booleanizer=Booleanizer()).fit(make(X), Y).predict(make(holes))


def test_missing_values_in_a_column_without_bits_need_no_advice() -> None:
    table = np.column_stack([X[:, 0], np.ones(60)])
    booleanizer = Booleanizer(missing="indicator")
    advice(lambda: booleanizer.fit(table))
    table[3, 1] = np.nan
    assert advice(lambda: booleanizer.transform(table)) == []


# A column of whole numbers and one beside it, in every form that X may have.
WITH_NUMBERS: dict[str, Callable[[list[int]], Any]] = {
    "array": lambda whole: np.column_stack([whole, np.arange(len(whole))]),
    "unsigned array": lambda whole: np.column_stack([whole, np.arange(len(whole))]).astype(np.uint64),
    "lists": lambda whole: [[number, k] for k, number in enumerate(whole)],
    "lists, floats beside": lambda whole: [[number, 0.5 + k] for k, number in enumerate(whole)],
    "objects": lambda whole: np.array([[number, 0.5 + k] for k, number in enumerate(whole)], object),
    "sparse": lambda whole: sparse.csr_array(np.column_stack([whole, np.arange(len(whole))])),
    "pandas": lambda whole: pd.DataFrame({"x0": whole, "b": range(len(whole))}),
    "pandas, floats beside": lambda whole: pd.DataFrame({"x0": whole, "b": np.arange(len(whole)) / 2}),
    "pandas, unsigned, floats beside": lambda whole: pd.DataFrame(
        {"x0": np.array(whole, np.uint64), "b": np.arange(len(whole)) / 2}
    ),
    "pandas, texts beside": lambda whole: pd.DataFrame({"x0": whole, "b": list("abcdef"[: len(whole)])}),
    "pandas, one missing": lambda whole: pd.DataFrame({"x0": pd.array([*whole, None], "Int64")}),
    "polars": lambda whole: pl.DataFrame({"x0": whole, "b": range(len(whole))}),
    "polars, floats beside": lambda whole: pl.DataFrame({"x0": whole, "b": np.arange(len(whole)) / 2}),
    "polars, one missing": lambda whole: pl.DataFrame({"x0": [*whole, None]}),
    "polars, wide": lambda whole: pl.DataFrame({"x0": whole}, schema={"x0": pl.Int128}),
    "a frame of our own": lambda whole: Frame.of(pd.DataFrame({"x0": whole, "b": list("abcdef"[: len(whole)])})),
    "CSV": lambda whole: read_csv(io.BytesIO("\n".join(["x0", *map(str, whole), "NA"]).encode())),
}


@pytest.mark.parametrize("form", WITH_NUMBERS)
def test_whole_numbers_that_double_precision_cannot_tell_apart_are_said(form: str) -> None:
    known_by_digits = [3, 2**60, 2**60 + 1, 2**60 + 4096]
    X = WITH_NUMBERS[form](known_by_digits)
    booleanizer = Booleanizer(missing="indicator")
    assert advice(lambda: booleanizer.fit(X)) == [
        "column 'x0' has whole numbers beyond 2**53 that differ in their last digits only and count as one value: "
        "numbers are compared in double precision. Convert them to texts if they are names, or drop the column; "
        "if they are counts, subtract the smallest first."
    ]
    assert booleanizer.columns_[0].thresholds == (3, 2**60)


@pytest.mark.parametrize("whole", [[2**60, 2**60 + 1, 1, 2], [1, 2, 2**60, 2**60 + 1]], ids=["first", "last"])
def test_rows_of_a_file_that_are_read_in_pieces_or_taken_out_say_it_too(
    whole: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csvfile, "ROWS_AT_ONCE", 2)
    frame = WITH_NUMBERS["CSV"](whole)
    for rows in (frame, frame.take(np.arange(4))):
        (said,) = advice(lambda rows=rows: Booleanizer(missing="indicator").fit(rows))
        assert said.startswith("column 'x0' has whole numbers beyond 2**53")


@pytest.mark.parametrize("form", [form for form in WITH_NUMBERS if "unsigned" not in form])
def test_so_are_large_numbers_below_zero(form: str) -> None:
    X = WITH_NUMBERS[form]([-3, -(2**60), -(2**60) - 1, -(2**60) - 4096])
    (said,) = advice(lambda: Booleanizer(missing="indicator").fit(X))
    assert said.startswith("column 'x0' has whole numbers beyond 2**53")


@pytest.mark.parametrize("form", WITH_NUMBERS)
@pytest.mark.parametrize("whole", [[2**53 - 1, 2**53, 5, 5], [2**60, 2**60, 2**60 + 4096, 1]])
def test_large_whole_numbers_that_stay_apart_need_no_advice(whole: list[int], form: str) -> None:
    assert advice(lambda: Booleanizer(missing="indicator").fit(WITH_NUMBERS[form](whole))) == []


@pytest.mark.parametrize("form", WITH_NUMBERS)
def test_only_those_who_learn_thresholds_look_for_such_numbers(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X = WITH_NUMBERS[form]([3, 2**60, 2**60 + 1, 2**60 + 4096])
    booleanizer = Booleanizer(missing="indicator").fit(X)
    for module in (values, table):
        monkeypatch.setattr(module, "are_merged", None)
    said = booleanizer.transform(X)
    bits = said.toarray() if sparse.issparse(said) else said
    assert bits[:4, :2].tolist() == [[True, True], [False, True], [False, True], [False, False]]


def test_dates_as_texts_are_said_to_have_no_order() -> None:
    days = [f"2024-01-{day:02}" for day in range(1, 31)]
    frame = pd.DataFrame({"day": days * 4, "size": np.arange(120) % 7, "code": ["20240101", "20240102"] * 60})
    (text,) = advice(lambda: ADTMClassifier(epochs=1).fit(frame, np.arange(120) % 2))
    assert text.startswith("column 'day' has dates as texts, so each date is a category without an order.")


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["2024-01-01", "2024-01-02"], True),
        (["2024-01-01T12:30", "2024-01-02 01:00:00+01:00"], True),
        (["2024-01-01"], False),  # says nothing, whatever it is
        (["2024-01-01", "unknown"], False),
        (["unknown", "2024-01-01"], False),
        (["20240101", "20240102"], False),
        (["2024-01-01", "20240102"], False),
        ([], False),
    ],
)
def test_texts_are_dates_if_all_of_them_are(texts: list[str], told: bool) -> None:
    assert bool(advice(lambda: dates([("size", ["a", "b"]), ("day", texts)]))) is told


@pytest.mark.parametrize(
    "form",
    [
        "{},5",
        "1,{}00.50",
        "{}%",
        *(side for sign in "$€£" for side in (f"{sign}{{}}", f"{sign} {{}}", f"-{{}} {sign}")),
    ],
)
def test_numbers_as_texts_are_said_to_have_no_order(form: str) -> None:
    frame = pd.DataFrame({"price": [form.format(k) for k in range(1, 31)] * 4, "size": np.arange(120) % 7})
    (text,) = advice(lambda: ADTMClassifier(epochs=1).fit(frame, np.arange(120) % 2))
    first = sorted(set(frame["price"]))[0]
    assert text.startswith(f"column 'price' has numbers as texts, such as {first!r}, so each number is a category")


def test_of_many_columns_with_numbers_as_texts_five_are_named() -> None:
    frame = pd.DataFrame({name: [f"${k}" for k in range(5)] * 10 for name in "abcdefg"})
    (text,) = advice(lambda: Booleanizer().fit(frame))
    assert text.startswith("columns 'a', 'b', 'c', 'd', 'e' and 2 more have numbers as texts, such as '$0'")


@pytest.mark.parametrize("texts", [["1", "2"], ["a, 1", "b, 2"], ["1,5", "none"], ["10-12", "13-15"], ["%", "$"]])
def test_other_texts_are_not_taken_for_numbers(texts: list[str]) -> None:
    assert advice(lambda: Booleanizer().fit(pd.DataFrame({"code": texts * 30}))) == []


@pytest.mark.parametrize(
    "column",
    [
        pd.date_range("2024-01-01", periods=2),
        pd.to_timedelta([1, 2], "D"),
        pd.period_range("2024-01", periods=2, freq="M"),
    ],
)
def test_a_column_of_time_is_refused_with_the_cure(column: Any) -> None:
    with pytest.raises(ValueError, match=r"column 'when' must hold .*: make numbers of it first, such as the year"):
        ADTMClassifier().fit(pd.DataFrame({"when": column}), [0, 1])


def test_good_data_and_settings_need_no_advice() -> None:
    assert advice(lambda: ADTMClassifier(epochs=2).fit(X, Y).predict(X)) == []
    assert advice(lambda: TMClassifier(epochs=2).fit(X, Y).predict(X)) == []


@pytest.mark.parametrize("fitted_on_a_frame", [True, False])
def test_names_that_are_missing_or_new_are_said_once_and_by_the_machine(fitted_on_a_frame: bool) -> None:
    forms = [X, pd.DataFrame(X, columns=list("abc"))]
    first, other = reversed(forms) if fitted_on_a_frame else forms
    machine = ADTMClassifier(epochs=1).fit(first, Y)
    for ask in (machine.predict, machine.predict_proba, machine.decision_function):
        with pytest.warns(UserWarning, match="ADTMClassifier was fitted") as caught:
            ask(other)
        assert len(caught) == 1


# ---- refusals that say what to do ------------------------------------------------------------------------------------


def test_an_eval_set_is_described_not_printed() -> None:
    with pytest.raises(ValueError, match=r"eval_set must be a tuple \(X, y\), got a list of 1$"):
        ADTMClassifier().fit(X, Y, eval_set=[(X, Y)])


@pytest.mark.parametrize("callback", [lambda record: None, lambda a, b, c: None, int.bit_length])
def test_a_callback_of_other_arguments_is_refused_before_anything_is_learned(callback: Any) -> None:
    machine = ADTMClassifier()
    with pytest.raises(ValueError, match=r"callback must be a function of \(estimator, record\), got"):
        machine.fit(X, Y, callback=callback)
    assert not hasattr(machine, "model_")


@pytest.mark.parametrize("callback", [lambda *both: None, lambda machine, record, more=1: None, max])
def test_a_callback_that_takes_both_is_accepted(callback: Any) -> None:
    try:
        ADTMClassifier(epochs=1).fit(X, Y, callback=callback)
    except TypeError:
        assert callback is max  # it takes two, and cannot compare them


def test_numbers_without_a_booleanizer_name_the_column_and_the_cure() -> None:
    frame = pd.DataFrame({"yes": Y, "weight": X[:, 0]})
    with pytest.raises(ValueError, match=r"in column 'weight'\. booleanizer='auto' makes Booleans of any table"):
        ADTMClassifier(booleanizer=None).fit(frame, Y)
    with pytest.raises(ValueError, match="in column 'x1'"):
        ADTMClassifier(booleanizer=None).fit(sparse.csr_array(frame.to_numpy()), Y)


def test_a_fraction_for_s_says_who_takes_it() -> None:
    with pytest.raises(ValueError, match=r"s must be a whole number \(TMClassifier takes fractions too\), got 3\.9"):
        ADTMClassifier(s=3.9).fit(X, Y)
    assert TMClassifier(s=3.9, epochs=1).fit(X, Y).s == 3.9


@pytest.mark.parametrize("start", [0, 1, 1000])
def test_a_column_that_numbers_the_rows_is_said(start: int) -> None:
    rows = np.arange(50)
    with pytest.warns(AdviceWarning, match="column 'x0' has each whole number of a range once"):
        ADTMClassifier(n_clauses=4, epochs=1).fit(np.column_stack([rows[::-1] + start, rows % 7]), rows % 2)
    for column in (rows[:49], np.append(rows[:-2], [49, 49]), rows + 0.5, np.append(rows[1:], 60)):
        others = [column + start, rows[: len(column)] % 7]  # might be chance, or number nothing
        table, y = np.column_stack(others), others[1] % 2
        assert advice(lambda table=table, y=y: ADTMClassifier(n_clauses=4, epochs=1).fit(table, y)) == []


def test_a_category_that_training_did_not_see_is_said_once_it_is_there() -> None:
    X = pd.DataFrame({"colour": ["red", "blue"] * 10})
    machine = ADTMClassifier(n_clauses=4, epochs=1).fit(X, [0, 1] * 10)
    machine.predict(X.astype(pd.CategoricalDtype(["red", "blue", "green"])))  # a level that no row has
    with pytest.warns(AdviceWarning, match="column 'colour' has a category that was not seen in fit, such as 'green'"):
        machine.predict(pd.DataFrame({"colour": ["red", "green", "azure"]}))  # the first of two


@pytest.mark.parametrize(
    ("column", "begin"),
    [
        ([2**60, 2**60 + 1, *[7] * 58], "column 'a' has whole numbers beyond"),
        ([*[7] * 58, 2**60, 2**60 + 1], "column 'a' has whole numbers beyond"),
        ([f"n{k}" for k in range(60)], "column 'a' has a different text in most of the 60 rows"),
        ([f"{k},5" for k in range(20)] * 3, "column 'a' has numbers as texts, such as '0,5'"),
        (["2020-01-01", "2020-01-02"] * 30, "column 'a' has dates as texts"),
        ([1] * 60, "column 'a' has one value"),
        (["x"] * 60, "column 'a' has one value"),
    ],
)
def test_pieces_give_the_advice_of_the_whole_table(column: list[Any], begin: str) -> None:
    frame = pd.DataFrame({"a": column, "b": [0, 1, 2] * 20})
    (said,) = advice(lambda: Booleanizer().fit(frame))
    assert said.startswith(begin)
    assert advice(lambda: Booleanizer().fit(Pieces([frame[:25], frame[25:]]))) == [said]


def test_the_border_of_what_votes_reach_is_out_of_reach() -> None:
    with pytest.warns(AdviceWarning, match="cast at most 20 votes: answers"):
        unreachable_value(20, 20, 1)
    for n_clauses in (40, 41):  # of an odd number fewer than half have one polarity
        with pytest.warns(AdviceWarning, match="cast at most 20 votes for a class"):
            unreachable_target(20, n_clauses, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        unreachable_value(19, 20, 1)
        unreachable_target(19, 40, 1)
        unreachable_target(20, 42, 1)
        unreachable_value(1, 1, 1)  # no vote target is smaller
        unreachable_target(1, 2, 1)


def test_of_many_columns_some_are_named_and_the_rest_counted() -> None:
    X = pd.DataFrame(np.zeros((20, 7)), columns=list("abcdefg")).assign(h=np.arange(20))
    with pytest.warns(AdviceWarning, match="columns 'a', 'b', 'c', 'd', 'e' and 2 more have"):
        Booleanizer().fit(X)


@pytest.mark.parametrize(
    ("ask", "first", "second"),
    [
        (new_categories, "x", "y"),
        (disguised_numbers, ["0,5", "1"], ["0,7", "2"]),
        (partial(identifiers, 50), [f"{number}.5" for number in range(40)], [str(number) for number in range(40)]),
    ],
)
def test_of_several_columns_the_first_gives_the_example(ask: Any, first: Any, second: Any) -> None:
    for one, other in ((first, second), (second, first)):
        (said,) = advice(lambda one=one, other=other: ask([("a", one), ("b", other)]))
        assert said.startswith("columns 'a', 'b' have")
        assert f", such as {one[0]!r}" in said


def test_one_value_far_below_is_said_as_one_far_above() -> None:
    for far in (-1e6, 1e6):
        with pytest.warns(AdviceWarning, match="the middle 80 % of it have"):
            ADTMRegressor(n_clauses=4, epochs=1).fit(np.arange(100)[:, None], [far, *range(99)])


@pytest.mark.parametrize(
    ("ask", "last", "first"),
    [
        (heavy_weights, 20, 20.1),
        (lambda share: far_values(0, 1, share), 0.1, 0.0999),
        (lambda n: identifiers(100, [("name", [f"n{k}" for k in range(n)])]), 50, 51),
        (lambda n: identifiers(n, [("name", [f"n{k}" for k in range(n)])]), 49, 50),
        (lambda n: many_bits(n, [("a", 9000)]), 10_000, 10_001),
        (lambda n: many_bits(10_002, [("a", n)]), 5001, 5002),
    ],
    ids=["weights", "values", "names", "rows", "bits in all", "bits of columns with many"],
)
def test_advice_begins_right_behind_its_border(ask: Any, last: float, first: float) -> None:
    assert advice(lambda: ask(last)) == []
    assert len(advice(lambda: ask(first))) == 1


@pytest.mark.parametrize(
    ("tolerance", "n", "told"), [(2, 3, ""), (3, 3, "3 Boolean features"), (1, 1, "1 Boolean feature")]
)
def test_a_tolerance_that_no_clause_can_exceed_is_said(tolerance: int, n: int, told: str) -> None:
    assert advice(lambda: counting_clauses(tolerance, n)) == [
        f"tolerance={tolerance} is too large for {told}: a clause survives all that can fail, so it counts and decides "
        "nothing. Take tolerance='auto', or less than half."
    ] * bool(told)


def test_a_crowded_middle_is_told_in_percent() -> None:
    (said,) = advice(lambda: far_values(-1.5, 2e6, 0.0123))
    assert said.startswith("y goes from -1.5 to 2e+06, but the middle 80 % of it have 1.2 % of that range. ")


@pytest.mark.parametrize(("n_words", "numbers"), [(1, True), (30, False)])
def test_a_column_of_most_rows_is_of_numbers_if_nearly_all_texts_are(n_words: int, numbers: bool) -> None:
    texts = [f"{k}.5" for k in range(60 - n_words)] + [f"w{k}" for k in range(n_words)]
    (said,) = advice(lambda: identifiers(60, [("a", texts)]))
    assert ("has numbers as texts" in said, "has a different text" in said) == (numbers, not numbers)


def test_many_categories_are_not_taken_for_many_thresholds(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("MANY_BITS_PER_COLUMN", "MANY_BITS"):
        monkeypatch.setattr(f"adtm.advice.{limit}", 50)
    assert advice(lambda: Booleanizer(None).fit(pd.DataFrame({"a": [f"n{k}" for k in range(60)] * 3}))) == []
    (said,) = advice(lambda: Booleanizer(None).fit(pd.DataFrame({"a": [k / 2 for k in range(60)] * 3})))
    assert said.startswith("X gives 59 Boolean features, since column 'a' has more than 50 each")


def test_only_columns_with_more_than_256_bits_are_named() -> None:
    (said,) = advice(lambda: many_bits(20_000, [("a", 19_000), ("b", 256), ("c", 257)]))
    assert said.startswith("X gives 20,000 Boolean features, since columns 'a', 'c' have more than 256 each")


@pytest.mark.parametrize(("n_far", "told"), [(8, True), (12, False)])
def test_a_tenth_of_the_values_may_lie_far_out_on_either_side(n_far: int, told: bool) -> None:
    for far in (-1e6, 1e6):
        y = [*range(100 - n_far), *[far] * n_far]
        assert (
            bool(advice(lambda y=y: ADTMRegressor(n_clauses=4, epochs=1).fit(np.arange(100)[:, None] % 7, y))) is told
        )


@pytest.mark.parametrize(("error", "told"), [(1.5, False), (1.51, True)])
def test_a_value_that_was_not_learned_is_said(error: float, told: bool) -> None:
    assert (
        advice(lambda: worse_than_one_number(error, 1.0))
        == [
            "the mean error on the rows learned is 1.51, while the median of y alone would have 1: the machine has "
            "learned nothing. Take tolerance=1 and s=5, or leave both open with choose=True."
        ]
        * told
    )


def test_a_machine_that_is_worse_than_the_median_says_so_after_some_epochs() -> None:
    rng = np.random.default_rng(2)
    bits = rng.integers(0, 2, (300, 100))
    y = bits @ rng.normal(size=100)
    machine = ADTMRegressor(n_clauses=200, tolerance=3, s=20, epochs=10, booleanizer=None)
    (said,) = advice(lambda: machine.fit(bits, y))
    error = machine.history_[-1].train_error
    assert said.startswith(
        f"the mean error on the rows learned is {error:.4g}, while the median of y alone would have "
        f"{np.abs(y - np.median(y)).mean():.4g}: "
    )
    assert advice(lambda: machine.set_params(epochs=9).fit(bits, y)) == []
    assert advice(lambda: machine.set_params(epochs=10).fit(bits, y, train_accuracy=False)) == []
    heavy = np.where(np.arange(300) < 20, 5.0, 1.0)
    (said,) = advice(lambda: machine.fit(bits, y, heavy))
    shown = y.repeat(heavy.astype(int))
    assert f"would have {np.abs(shown - np.median(shown)).mean():.4g}: " in said


@pytest.mark.parametrize(
    ("y", "parameters", "alike"),
    [
        (Y, {}, True),
        (X[:, 0], {}, False),  # of five classes each member meets others first
        (X[:, 0], {"n_other_classes": 4}, True),
        (X[:, 0], {"n_other_classes": 3}, False),
        (X[:, 0], {"shared": True}, False),
        (Y, {"shuffle": "weyl"}, False),
        (Y, {"member_rows": 0.5}, False),
        (Y, {"n_members": 1}, False),
    ],
    ids=str,
)
def test_members_that_are_all_the_same_are_said(y: np.ndarray, parameters: Any, alike: bool) -> None:
    given = {"n_clauses": 4, "epochs": 1, "tolerance": 0, "T": 1, "n_members": 2, "shuffle": False, **parameters}
    made: list[Any] = []
    said = advice(lambda: made.append(ADTMClassifier(**given).fit(X, y)))
    assert ["all members learn the same" in each for each in said] == [True] * alike
    members = np.split(made[0].states_, given["n_members"])
    assert all(np.array_equal(members[0], other) for other in members[1:]) == (alike or given["n_members"] == 1)
