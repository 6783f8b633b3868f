"""Parameters at the door: what passes, as what, and what the refusal says."""

import math
import re
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from adtm import ADTMClassifier, Booleanizer, Composite, ImageBooleanizer, Literals
from adtm.validation import (
    check_choice,
    check_determinism,
    check_flag,
    check_folds,
    check_fraction,
    check_jobs,
    check_keys,
    check_real,
    check_seed,
    check_spread,
    check_verbosity,
    check_whole,
    threads_of,
)

NOT_NUMBERS: list[Any] = [
    None,
    "3",
    True,
    np.True_,
    [3],
    1j,
    Decimal(3),
    Decimal("sNaN"),
    math.nan,
    np.longdouble("nan"),
]


@pytest.mark.parametrize("value", [1, np.int8(5), np.uint64(9), 10])
def test_a_whole_number_between_its_ends_passes_as_int(value: Any) -> None:
    found = check_whole("n", value, low=1, high=10)
    assert (type(found), found) == (int, value)


@pytest.mark.parametrize("value", [*NOT_NUMBERS, 0, 11, -1, 3.0, np.float64(3), Fraction(3)])
def test_anything_else_is_no_whole_number(value: Any) -> None:
    with pytest.raises(ValueError, match=r"n must be a whole number in 1\.\.10, got "):
        check_whole("n", value, low=1, high=10)


@pytest.mark.parametrize("value", [None, 1, -1, 2**15, np.int64(-(2**15))])
def test_threads_are_a_number_or_counted_from_all_cores(value: Any) -> None:
    assert check_jobs(value) == value


@pytest.mark.parametrize("value", [*NOT_NUMBERS[1:], 0, 2**15 + 1, -(2**15) - 1, 1.0])
def test_anything_else_is_no_number_of_threads(value: Any) -> None:
    with pytest.raises(ValueError, match=r"n_jobs must be .*got "):
        check_jobs(value)


def test_wherever_threads_are_named_they_are_checked() -> None:
    bits, literals = [[0], [1]], r"n_jobs must be a whole number in 1\.\.32768, got "
    for wrong in ("x", 0, -1, None, 2**15 + 1):
        with pytest.raises(ValueError, match=literals):
            Literals.from_boolean(bits, n_jobs=wrong)
        with pytest.raises(ValueError, match=literals):
            Booleanizer().fit(bits).literals(bits, n_jobs=wrong)
    for wrong in ("x", 0):
        with pytest.raises(ValueError, match="n_jobs must be"):
            ImageBooleanizer(n_jobs=wrong).fit_transform(np.zeros((1, 2, 2), np.uint8))
        with pytest.raises(ValueError, match="n_jobs must be"):
            Composite([("a", ADTMClassifier())], n_jobs=wrong).fit(bits, [0, 1])


def test_an_even_number_is_even() -> None:
    assert [check_whole("n", n, low=2, high=10, even=True) for n in (2, 4, 6)] == [2, 4, 6]
    with pytest.raises(ValueError, match=r"n must be an even whole number in 2\.\.10, got 5"):
        check_whole("n", 5, low=2, high=10, even=True)


@pytest.mark.parametrize(
    "value", [1, 1.0, 2.5, Fraction(7, 2), np.longdouble(2.5), np.float32(1.5), np.float16(1.5), 1.7e308]
)
def test_a_finite_number_passes_as_float(value: Any) -> None:
    found = check_real("s", value, low=1)
    assert (type(found), found) == (float, float(value))


@pytest.mark.parametrize(
    "value", [*NOT_NUMBERS, 0.99, -5, math.inf, Fraction(10**400), 10**400, np.longdouble("inf"), Fraction(1, 2)]
)
def test_anything_else_is_no_finite_number(value: Any) -> None:
    with pytest.raises(ValueError, match="s must be a finite number >= 1, got "):
        check_real("s", value, low=1)


@pytest.mark.parametrize(
    "value", [1, 2**32, 7.0, Fraction(7), np.longdouble(50), np.float64(2**32), np.float16(7), np.float32(7)]
)
def test_determinism_is_a_whole_number_of_any_type(value: Any) -> None:
    found = check_determinism(value)
    assert (type(found), found) == (int, int(value))


@pytest.mark.parametrize("value", [math.inf, np.float32("inf"), np.longdouble("inf")])
def test_determinism_may_be_infinite(value: Any) -> None:
    found = check_determinism(value)
    assert (type(found), found) == (float, math.inf)


@pytest.mark.parametrize("value", [*NOT_NUMBERS, 0, 0.5, 1.5, -math.inf, 2**32 + 1, Fraction(3, 2), Fraction(10**400)])
def test_anything_else_is_no_determinism(value: Any) -> None:
    with pytest.raises(ValueError, match=r"d must be a whole number >= 1 \(at most 2\*\*32\) or math\.inf, got "):
        check_determinism(value)


@pytest.mark.parametrize("pair", [(3, 5), [3, 3], (1, 4.5)])
def test_a_spread_is_one_number_or_two_in_their_order(pair: Any) -> None:
    check = partial(check_real, "s", low=1)
    assert check_spread("s", 3, check) == 3.0
    assert check_spread("s", pair, check) == tuple(map(float, pair))
    for wrong, why in (([5, 3], "a pair (low, high) with low <= high"), ([3], "a number or a pair (low, high)")):
        with pytest.raises(ValueError, match=re.escape(f"s must be {why}, got {wrong}")):
            check_spread("s", wrong, check)
    long: Any  # is told in its first eighty letters
    for long in ([10**99, 3], list(range(99))):
        with pytest.raises(ValueError, match=re.escape(f", got {repr(long)[:80]}") + "$"):
            check_spread("s", long, check)
    with pytest.raises(ValueError, match=r"s must be a finite number >= 1, got 0\.5"):
        check_spread("s", (0.5, 3), check)


@pytest.mark.parametrize("value", [0.5, np.float32(0.1), np.float16(0.999), Fraction(1, 3), 5e-324, 1 - 2**-53])
def test_a_fraction_lies_between_0_and_1(value: Any) -> None:
    assert (type(check_fraction("f", value)), check_fraction("f", value, whole=True)) == (float, float(value))


@pytest.mark.parametrize("value", [*NOT_NUMBERS, 0, 1.01, -0.5, math.inf, Fraction(10**400)])
def test_anything_else_is_no_fraction(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^f must be a number between 0 and 1, got "):
        check_fraction("f", value)
    with pytest.raises(ValueError, match=r"^f must be a number > 0 and <= 1, got "):
        check_fraction("f", value, whole=True)


@pytest.mark.parametrize("value", [1, 1.0, np.float32(1)])
def test_one_is_a_fraction_only_where_all_may_be_asked_for(value: Any) -> None:
    assert check_fraction("f", value, whole=True) == 1.0
    with pytest.raises(ValueError, match="f must be a number between 0 and 1"):
        check_fraction("f", value)


def test_a_mapping_has_the_keys_that_it_must_have_and_may_have() -> None:
    for plain in ({"a": 1, "b": 2}, {"a": 1, "b": 2, "c": 3}):
        check_keys(plain, {"a", "b"}, "x", maybe={"c"})
    for wrong in ({"a": 1}, {"a": 1, "b": 2, "d": 4}, {}, None, ["a", "b"]):
        keys = sorted(wrong) if isinstance(wrong, dict) else wrong
        with pytest.raises(ValueError, match=re.escape(f"x must have the keys ['a', 'b'], got {keys}") + "$"):
            check_keys(wrong, {"a", "b"}, "x", maybe={"c"})
    with pytest.raises(
        ValueError, match=r"x must have the keys \['a'\], got " + re.escape(repr("y" * 999)[:200]) + "$"
    ):
        check_keys("y" * 999, {"a"}, "x")


def test_folds_are_at_most_the_rows_of_the_largest_class_or_half_of_all() -> None:
    for y, classes, most, what in (
        (list("abbbcc"), True, 3, "the rows of the most frequent class"),
        (range(7), False, 3, "half the number of rows"),
    ):
        check_folds(most, y, classes=classes)
        with pytest.raises(ValueError, match=f"^folds must be at most {most}, {what}, got {most + 1}$"):
            check_folds(most + 1, y, classes=classes)


def test_a_choice_is_one_of_the_values_and_of_their_type() -> None:
    assert check_choice("c", np.str_("a"), ("a", True)) == "a"
    assert check_choice("c", np.True_, ("a", True)) is True
    for wrong in ("b", 1, 1.0, None, ["a"], np.array("a"), Decimal("sNaN")):
        with pytest.raises(ValueError, match="c must be one of 'a', True, got "):
            check_choice("c", wrong, ("a", True))


def test_a_flag_is_true_or_false_and_nothing_that_counts_as_such() -> None:
    assert check_flag("f", np.False_) is False
    assert check_flag("f", True) is True
    for wrong in (0, 1, "True", None):
        with pytest.raises(ValueError, match="f must be True or False, got "):
            check_flag("f", wrong)


def test_verbosity_is_a_whole_number_or_a_flag() -> None:
    assert [check_verbosity(value) for value in (0, 3, True, np.False_, np.int8(2))] == [0, 3, 1, 0, 2]
    for wrong in (-1, 1.0, None, "1"):
        with pytest.raises(ValueError, match="verbose must be a whole number >= 0, got "):
            check_verbosity(wrong)


def test_a_seed_is_a_number_as_it_is_or_the_next_draw_of_a_generator() -> None:
    assert [check_seed(seed) for seed in (0, np.uint64(2**64 - 1))] == [0, 2**64 - 1]
    generator = np.random.default_rng(0)
    assert check_seed(generator) != check_seed(generator)
    assert check_seed(np.random.default_rng(7)) == int(np.random.default_rng(7).integers(0, 2**64, dtype=np.uint64))
    old = np.random.RandomState(7)
    high, low = (int(draw) for draw in np.random.RandomState(7).randint(0, 2**32, size=2, dtype=np.uint64))
    assert check_seed(old) == high * 2**32 + low
    assert check_seed(None) != check_seed(None)
    for wrong in (-1, 2**64, 1.0, True, "1", Decimal(1)):
        with pytest.raises(ValueError, match="random_state must be "):
            check_seed(wrong)


@pytest.mark.parametrize(("n_jobs", "threads"), [(1, 1), (2, 2), (3, 3), (4, 3), (1000, 3), (-1, 3), (-2, 2)])
def test_there_are_no_more_threads_than_cores(n_jobs: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joblib.cpu_count", lambda: 3)
    monkeypatch.setattr("joblib.effective_n_jobs", lambda asked: asked if asked > 0 else 4 + asked)
    assert threads_of(n_jobs) == threads
