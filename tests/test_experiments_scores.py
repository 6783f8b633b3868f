"""Scores: F1 equal to scikit-learn's, intervals equal to scipy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import accuracy_score, f1_score

from adtm.paper.reading.estimates import estimate, on_rows
from adtm.paper.running.trial import accuracy, f1

pairs = st.integers(1, 40).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 1), min_size=n, max_size=n).map(np.array)] * 2)
)
triples = st.integers(1, 40).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 2), min_size=n, max_size=n).map(np.array)] * 2)
)


@given(pairs)
def test_f1_and_accuracy_are_scikit_learns(labels: tuple[np.ndarray, np.ndarray]) -> None:
    y, told = labels
    assert f1(y, told) == pytest.approx(f1_score(y, told, zero_division=0), abs=1e-12)
    assert accuracy(y, told) == pytest.approx(accuracy_score(y, told), abs=1e-12)


@given(triples)
def test_f1_of_several_classes_is_the_mean_over_them(labels: tuple[np.ndarray, np.ndarray]) -> None:
    y, told = labels
    expected = f1_score(y, told, labels=[0, 1, 2], average="macro", zero_division=0)
    assert f1(y, told, n_classes=3) == pytest.approx(expected, abs=1e-12)


def test_the_interval_is_students() -> None:
    values = [0.71, 0.74, 0.69, 0.80, 0.77]
    low, high = stats.t.interval(0.95, len(values) - 1, loc=np.mean(values), scale=stats.sem(values))
    found = estimate(values)
    assert (found.mean - found.half, found.mean + found.half, found.n) == pytest.approx((low, high, 5))


@pytest.mark.parametrize("values", [[0.5], [0.4, 0.6]])
def test_one_or_two_repeats_have_a_mean_and_exclude_nothing(values: list[float]) -> None:
    found = estimate(values)
    assert (found.mean, found.n, found.has_interval) == (0.5, len(values), False)
    assert math.isnan(found.half)
    assert not found.excludes(0.9)


def test_a_printed_value_is_granted_its_rounding() -> None:
    certain = estimate([0.9999, 0.9999, 0.9999])
    assert not certain.excludes(1.000)
    assert certain.excludes(0.998)


def test_no_scores_are_an_error() -> None:
    with pytest.raises(ValueError, match="values must hold at least one score, got none"):
        estimate([])


def test_the_interval_over_test_rows_is_the_binomial_one() -> None:
    found = on_rows(0.9, rows=400)
    assert found.half == pytest.approx(stats.norm.ppf(0.975) * stats.binom.std(400, 0.9) / 400, rel=1e-6)
    assert found.has_interval
    assert not estimate([0.5, 0.6]).has_interval
