"""Reading one column: odd numbers, objects with gaps, categories of any type."""

import enum
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from adtm import Booleanizer
from adtm.tables.values import numeric_values, object_values, plain_category
from made_tables import names_of


class Colour(str, enum.Enum):  # noqa: UP042
    RED = "red"


@pytest.mark.parametrize("nan", ["NaN", "sNaN", "-sNaN123"])
def test_a_decimal_that_is_no_number_is_missing(nan: str) -> None:
    X = np.array([[Decimal("1.5")], [Decimal(nan)], [Decimal(3)]], dtype=object)
    assert names_of(X, missing="indicator") == ["x0 <= 1.5", "x0 is missing"]
    with pytest.raises(ValueError, match="contains missing values"):
        names_of(X)


def test_fractions_and_decimals_are_numbers() -> None:
    X = np.array([[Fraction(1, 4)], [Decimal("0.5")], [np.float32(2)], [3]], dtype=object)
    assert names_of(X) == ["x0 <= 0.25", "x0 <= 0.5", "x0 <= 2"]


def test_missing_values_have_a_mask_only_where_there_are_any() -> None:
    assert numeric_values(np.array([1, 2])).missing is None
    mask = numeric_values(np.array([1.0, np.nan])).missing
    assert mask is not None
    assert mask.tolist() == [False, True]


def test_objects_are_spread_around_their_gaps() -> None:
    values = object_values([None, "b", float("nan"), "a", pd.NA, "b"], "c")
    assert (values.kind, values.data.tolist(), values.categories) == ("category", [-1, 1, -1, 0, -1, 1], ("a", "b"))
    values = object_values([None, True, False], "c")
    assert (values.kind, values.data.tolist()) == ("boolean", [False, True, False])
    values = object_values([None, 2, 3.5], "c")
    assert values.kind == "numeric"
    np.testing.assert_array_equal(values.data, [np.nan, 2, 3.5])


def test_objects_of_two_kinds_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="column 'c' must hold one kind of value, got a mixture of int, str"):
        object_values(["a", 1], "c")
    assert object_values([True, 2], "c").kind == "numeric"
    with pytest.raises(TypeError, match="column 'c': argument must be a string or a number, not 'list'"):
        object_values([[1]], "c")
    with pytest.raises(TypeError, match="a number, not 'date': make numbers of it first, such as the year"):
        object_values([date(2024, 2, 29)], "c")
    with pytest.raises(ValueError, match="Complex data not supported"):
        object_values([1j], "c")


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.str_("a"), "a"),
        (np.int8(3), 3),
        (np.True_, True),
        (np.float32(0.5), 0.5),
        (pd.Interval(0, 1), "(0, 1]"),
        (Colour.RED, "red"),
        (Decimal("1.50"), "1.50"),
    ],
)
def test_a_category_becomes_plain(value: Any, plain: Any) -> None:
    found = plain_category(value)
    assert (type(found), found) == (type(plain), plain)


def test_an_enumeration_of_strings_is_its_strings() -> None:
    X = np.array([[Colour.RED], ["blue"], [np.str_("red")]], dtype=object)
    assert names_of(X) == ["x0 = blue", "x0 = red"]
    assert Booleanizer().fit(X).transform(np.array([["red"]], dtype=object)).tolist() == [[False, True]]


def test_numbers_of_classes_of_their_own_are_plain_categories() -> None:
    class Level(enum.IntEnum):
        LOW = 1

    class Share(float):
        pass

    found = [plain_category(value) for value in (Level.LOW, Share(0.5), np.float64(1.5), np.True_, date(2020, 1, 1))]
    assert found == [1, 0.5, 1.5, True, "2020-01-01"]
    assert [type(value) for value in found] == [int, float, float, bool, str]
