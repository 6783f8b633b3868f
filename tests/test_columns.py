"""Columns one by one: which thresholds and categories are learned, how they are named, laid out and renumbered."""

from typing import Any

import numpy as np
import pytest

from adtm.tables.columns import (
    Bit,
    Column,
    as_kind_of,
    bits_with_ties,
    choose_thresholds,
    column_to_state,
    columns_from_state,
    format_number,
    learn_column,
    learn_numeric,
)
from adtm.tables.values import Values


def numeric(*thresholds: float, missing: bool = False) -> Column:
    return Column("x", "numeric", thresholds=thresholds, missing=missing)


# ---- thresholds ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "max_bits", "chosen"),
    [
        ([1] * 10, 3, [2, 4, 7]),  # quarters of ten samples: at 2.5, 5, 7.5
        ([1] * 10, 9, list(range(9))),
        ([1] * 10, None, list(range(9))),
        ([1, 1, 1, 1, 100], 2, [1, 3]),  # never the largest; the bit left over in the middle of the rest
        ([1000, *[1] * 30], 4, [0, 5, 15, 25]),  # three left over: middles of thirds of 1..29
        ([1000, *[1] * 30], 5, [0, 4, 11, 19, 26]),
        ([1, 2, 3, 4], 1, [2]),  # five of ten samples are reached at the third value
        ([5, 5], 1, [0]),
        ([7], 3, []),
        ([], 3, []),
    ],
)
def test_thresholds_lie_at_quantiles_and_what_ties_leave_over_is_spread_evenly(
    counts: list[int], max_bits: int | None, chosen: list[int]
) -> None:
    values = 10.0 * np.arange(len(counts))
    found = choose_thresholds(values, np.array(counts, dtype=np.int64), max_bits)
    assert found.tolist() == [10.0 * k for k in chosen]


MANY = 10_001  # numbers, from which on ties give a column more bits


@pytest.mark.parametrize(
    ("counts", "tied_bits", "chosen"),
    [
        ([MANY, *[1] * 30], 4, [0, 8, 15, 22]),  # three left over: quarters of 1..29, at 7.25, 14.5, 21.75
        ([MANY - 30, *[1] * 30], 4, [0, 8, 15, 22]),
        ([MANY - 31, *[1] * 30], 4, [0, 8, 22]),  # too few numbers: three bits, those left over in middles of halves
        ([MANY, 5, 1, 1, 9, 1, 1, 1, 1], 3, [0, 3, 4]),  # thirds of 19 others: the seventh and the thirteenth
        ([MANY, 1, 90, 1, 90, 1, 1, 1, 1], 4, [0, 2, 4, 5]),  # two of three quantiles are alike, so once more
        ([MANY, *[1] * 5], 9, list(range(5))),  # fewer values than bits
        ([*[1] * 6, MANY], 4, [1, 2, 3, 5]),  # never the largest, whose rows are none of the others
        ([MANY, MANY, *[1] * 30], 9, [0, 1, 16]),  # two of three quantiles at different values: few ties
    ],
)
def test_ties_among_many_numbers_give_bits_at_quantiles_of_the_other_samples(
    counts: list[int], tied_bits: int, chosen: list[int]
) -> None:
    values = 10.0 * np.arange(len(counts))
    found = choose_thresholds(values, np.array(counts, dtype=np.int64), 3, tied_bits)
    assert found.tolist() == [10.0 * k for k in chosen]


def test_ties_take_less_than_half_of_the_quantiles_of_many_numbers() -> None:
    assert [bits_with_ties(n_chosen, 10_001, 24, 100) for n_chosen in (11, 12, 13)] == [100, None, None]
    assert [bits_with_ties(1, n_numbers, 24, 100) for n_numbers in (10_000, 10_001)] == [None, 100]


@pytest.mark.parametrize(
    ("stored", "n_zeros", "max_bits", "thresholds"),
    [
        ([1.0, 2.0, 3.0], 1, None, [0, 1, 2]),  # a zero that is not stored is a value like others
        ([-2.0, 3.0], 1, None, [-2, 0]),
        ([-2.0, -1.0], 1, None, [-2, -1]),  # and may be the largest
        ([0.0, 1.0, 2.0], 5, None, [0, 1]),
        ([1.0, 2.0, 3.0], 0, None, [1, 2]),
        ([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 0, 1, [2]),
        ([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 2, 1, [1]),  # each of them counts
        ([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 4, 1, [0]),
        ([1.0, 2.0, 3.0, 4.0, 5.0], 5, 1, [0]),
        ([1.0, 2.0, 3.0, 4.0, 5.0], 1, 1, [2]),
    ],
)
def test_zeros_that_a_sparse_matrix_does_not_store_count(
    stored: list[float], n_zeros: int, max_bits: int | None, thresholds: list[float]
) -> None:
    column = learn_numeric("x", np.array(stored), max_bits=max_bits, n_zeros=n_zeros)
    assert list(column.thresholds) == thresholds
    assert not column.missing


@pytest.mark.parametrize(
    ("stored", "n_zeros", "missing"),
    [
        ([1.0, np.nan], 0, True),
        ([np.nan, np.nan], 0, False),
        ([np.nan, np.nan], 1, True),  # the zero is a value
        ([1.0, 2.0], 0, False),
        ([np.nan, 1.0, 2.0], 0, True),
    ],
)
def test_a_bit_for_missing_values_where_some_but_not_all_are_missing(
    stored: list[float], n_zeros: int, missing: bool
) -> None:
    assert learn_numeric("x", np.array(stored), max_bits=None, n_zeros=n_zeros).missing is missing


# ---- categories ------------------------------------------------------------------------------------------------------


def category(codes: list[int], categories: tuple[Any, ...], missing: list[bool] | None = None) -> Values:
    mask = None if missing is None else np.array(missing)
    return Values("category", np.array(codes, dtype=np.int32), mask, categories)


def test_categories_are_sorted_as_what_they_are() -> None:
    values = category([0, 1, 2, 3], (10, 2, -1, 1.5))
    assert learn_column("x", values, max_bits=None).categories == (1.5, -1, 2, 10)  # floats, then whole numbers
    assert learn_column("x", category([0, 1, 2], ("b", "10", "2")), max_bits=None).categories == ("10", "2", "b")


def test_only_categories_that_occur_get_a_bit_and_never_one_alone() -> None:
    assert learn_column("x", category([2, 0, 2], ("a", "b", "c")), max_bits=None).categories == ("a", "c")
    assert learn_column("x", category([1, 1, 1], ("a", "b", "c")), max_bits=None).categories == ()
    assert learn_column("x", category([0, 1, 1], ("a", "a")), max_bits=None).categories == ()


@pytest.mark.parametrize(
    ("missing", "bit"), [(None, False), ([False] * 3, False), ([True, False, False], True), ([True] * 3, False)]
)
def test_categories_and_booleans_get_a_bit_for_missing_values_where_some_but_not_all_are(
    missing: list[bool] | None, bit: bool
) -> None:
    mask = None if missing is None else np.array(missing)
    assert learn_column("x", Values("boolean", np.zeros(3, bool), mask), max_bits=None).missing is bit
    codes = [-1 if gone else k % 2 for k, gone in enumerate(missing or [False] * 3)]
    assert learn_column("x", category(codes, ("a", "b"), missing), max_bits=None).missing is bit


def test_new_categories_are_numbered_as_in_fit() -> None:
    column = Column("x", "category", categories=("a", "c", "d"))
    read = as_kind_of(column, category([0, 1, 2, -1, 3], ("d", "b", "a", "c"), [False] * 3 + [True, False]))
    assert read.data.tolist() == [2, -1, 0, -1, 1]
    assert read.categories == ("a", "c", "d")
    assert read.missing is not None
    assert read.missing.tolist() == [False, False, False, True, False]


def test_numbers_may_stand_for_categories_that_were_numbers_but_not_for_strings() -> None:
    numbers = Values("numeric", np.array([np.nan, 2.0, 7.0, 1.0]), np.array([True, False, False, False]))
    assert as_kind_of(Column("x", "category", categories=(1, 2)), numbers).data.tolist() == [-1, 1, -1, 0]
    with pytest.raises(ValueError, match=r"column 'x' held strings in fit, so it must hold strings now, got 2\.0"):
        as_kind_of(Column("x", "category", categories=("1", "2")), numbers)


def test_categories_cannot_stand_for_numbers_and_booleans_can() -> None:
    with pytest.raises(
        ValueError, match="column 'x' was numeric in fit, so it must hold numbers now, got the category 'a'"
    ):
        as_kind_of(numeric(1.0), category([0], ("a",)))
    with pytest.raises(ValueError, match=r"column 'x' was boolean in fit: X must hold only .* 0 and 1, got 1\.5"):
        as_kind_of(Column("x", "boolean"), Values("numeric", np.array([0, 1.5])))
    with pytest.raises(ValueError, match="column 'x' was boolean in fit, so it must hold numbers now, got categories"):
        as_kind_of(Column("x", "boolean"), category([-1], ()))
    gone = np.array([False, True, False])
    read = as_kind_of(numeric(1.0), Values("boolean", np.array([True, True, False]), gone))
    np.testing.assert_array_equal(read.data, [1.0, np.nan, 0.0])
    read = as_kind_of(Column("x", "boolean"), Values("numeric", np.array([1.0, np.nan, 0.0]), gone))
    assert read.data.tolist() == [True, False, False]
    with pytest.raises(ValueError, match=r"only Booleans or the numbers 0 and 1, got 3\.0"):
        as_kind_of(Column("x", "boolean"), Values("numeric", np.array([3.0])))


# ---- names and places ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (57.0, "57"),
        (-3.0, "-3"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (9999999999999998.0, "9999999999999998"),
        (1e16, "1e+16"),
        (2e16, "2e+16"),
        (-1e16, "-1e+16"),
        (1e-7, "1e-07"),
    ],
)
def test_a_number_is_written_shortly_and_to_be_told_apart(value: float, written: str) -> None:
    assert format_number(value) == written


def test_single_precision_is_written_shortly_where_all_thresholds_have_it() -> None:
    tenth = float(np.float32(0.1))
    assert list(numeric(tenth, 0.5).bit_names("a")) == ["a <= 0.1", "a <= 0.5"]
    assert list(numeric(tenth, 0.7).bit_names("a")) == ["a <= 0.10000000149011612", "a <= 0.7"]
    assert list(numeric(0.1, 1e300).bit_names("a")) == ["a <= 0.1", "a <= 1e+300"]


def test_bits_say_what_they_mean_in_the_order_of_the_row() -> None:
    column = numeric(1.0, 2.5, missing=True)
    assert list(column.bits(4)) == [Bit(4, "<=", 1.0), Bit(4, "<=", 2.5), Bit(4, "missing", None)]
    assert list(column.bit_names("age")) == ["age <= 1", "age <= 2.5", "age is missing"]
    assert (column.n_bits, column.n_values) == (3, 3)
    column = Column("x", "category", categories=("a", 2.0, 3), missing=True)
    assert list(column.bit_names("c")) == ["c = a", "c = 2", "c = 3", "c is missing"]
    assert list(Column("x", "boolean", missing=True).bits(0)) == [Bit(0, "is", True), Bit(0, "missing", None)]


def test_a_plain_value_is_in_the_state_of_its_kind() -> None:
    number = Column("n", "numeric", (1.0, 2.0))
    assert [number.state_of(value) for value in (-5, 1, 1.5, 2.0, 3)] == [0, 0, 1, 1, 2]
    truth = Column("b", "boolean", may_miss=True)
    assert [truth.state_of(value) for value in (False, 1, 1.0, None, np.nan)] == [0, 1, 1, 2, 2]
    mixed, texts = Column("m", "category", categories=("a", 1, 0.5)), Column("t", "category", categories=("a", "b"))
    assert [mixed.state_of(value) for value in ("a", 1, 0.5, "b", 2)] == [0, 1, 2, 3, 3]
    assert [texts.state_of(value) for value in ("a", "b", "c")] == [0, 1, 2]
    for column, value, message in (
        (number, None, "'n' must hold no missing value, got None"),
        (truth, 0.5, "'b' must hold 0 or 1, got 0.5"),
        (texts, 1, "'t' must hold a text, got 1"),
    ):
        with pytest.raises(ValueError, match=message):
            column.state_of(value)
    known = [column.n_known for column in (number, truth, mixed, Column("c", "category"))]
    assert known == [3, 2, 3, 1]
    assert [column.n_states for column in (number, truth, mixed)] == [3, 3, 4]
    named = Column("n", "numeric", (1.0, 2.0), missing=True, may_miss=True)
    assert [named.holds(bit).tolist() for bit in range(3)] == [
        [True, False, False, False],
        [True, True, False, False],
        [False, False, False, True],
    ]
    assert [mixed.holds(bit).tolist() for bit in range(3)] == np.eye(3, 4, dtype=bool).tolist()
    assert truth.holds(0).tolist() == [False, True, False]


def test_columns_survive_their_state() -> None:
    columns = [
        numeric(1.0, 2.0, missing=True),
        Column("x", "boolean"),
        Column("x", "category", categories=("a", 1)),
        numeric(-5.0),
    ]
    states = [column_to_state(column) for column in columns]
    names = [column.name for column in columns]
    assert columns_from_state(states, np.array([1.0, 2.0, -5.0]), names, may_miss=False) == columns
    unnamed = columns_from_state(states, np.array([1.0, 2.0, -5.0]), None, may_miss=True)
    assert [(column.name, column.may_miss) for column in unnamed] == [(f"x{j}", True) for j in range(4)]
