"""Clauses that tolerate failed literals, and clauses with a budget: the native core equals the reference.

The rules themselves, one by one, are in test_reference_rules.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parity import Case, assert_parity

LITERALS = [2, 62, 64, 66, 126, 128, 130, 510, 512, 514, 1026]


@pytest.mark.parametrize("weak", ["every", "rota", "bernoulli"])
@pytest.mark.parametrize("tolerance", [1, 2, 3, 7, 8, 63, 254, 255, 4000])
@pytest.mark.parametrize("max_literals", [None, 1, 12])
def test_every_tolerance(weak: str, tolerance: int, max_literals: int | None) -> None:
    assert_parity(Case(weak=weak, tolerance=tolerance, max_literals=max_literals, T=20, s=5, d=7, n_samples=70))


@pytest.mark.parametrize("n_literals", LITERALS)
@pytest.mark.parametrize("d", [1, 7, math.inf])
@pytest.mark.parametrize("weak", ["every", "rota"])
def test_every_width_of_a_row(n_literals: int, d: float, weak: str) -> None:
    assert_parity(Case(n_literals=n_literals, d=d, weak=weak, tolerance=3, max_literals=8, T=20, n_samples=20))


@pytest.mark.parametrize("weak", ["every", "rota", "bernoulli"])
@pytest.mark.parametrize("boost", [True, False])
@pytest.mark.parametrize("max_literals", [1, 5, 40])
def test_a_budget_without_tolerance(weak: str, boost: bool, max_literals: int) -> None:
    assert_parity(Case(weak=weak, boost=boost, max_literals=max_literals, n_literals=130, T=10, d=7, n_samples=70))


@pytest.mark.parametrize("n_states", [1, 2, 100, 128, 1000])
@pytest.mark.parametrize("s", [1, 20, 200])
@pytest.mark.parametrize("weak", ["every", "rota"])
def test_saturated_states(n_states: int, s: int, weak: str) -> None:
    assert_parity(Case(weak=weak, n_states=n_states, s=s, d=3, n_literals=130, saturated=True, tolerance=5, T=30))


@pytest.mark.parametrize("d", [1, 64, 5000, math.inf])
@pytest.mark.parametrize("weak", ["every", "rota"])
def test_feedback_may_be_deferred(d: float, weak: str) -> None:
    assert_parity(Case(d=d, weak=weak, s=40, T=90, n_literals=200, n_clauses=4, n_samples=200, epochs=3, tolerance=2))


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_threads_change_nothing(n_jobs: int, n_classes: int) -> None:
    case = Case(n_classes=n_classes, n_clauses=330, n_samples=40, tolerance=3, T=40, n_other_classes=2)
    assert_parity(case, n_jobs=n_jobs)


@pytest.mark.parametrize("n_samples", [1, 63, 64, 65, 513])
def test_windows_and_batches_of_every_length(n_samples: int) -> None:
    assert_parity(Case(n_samples=n_samples, n_literals=12, tolerance=2, epochs=1))


@pytest.mark.parametrize("weak", ["every", "rota"])
def test_a_long_run(weak: str) -> None:
    # Long enough that the budget matters: lists, looks and teams all work.
    case = Case(
        weak=weak, s=20, n_states=1000 if weak == "every" else 100, n_literals=640, n_clauses=66, T=30, n_samples=700
    )
    case = Case(**{**vars(case), "tolerance": 3, "max_literals": 8, "selection": "weyl", "d": math.inf})
    final = assert_parity(case, n_jobs=2).memory
    included = (final.states >= case.n_states).sum(axis=2)
    assert 2 < included.mean() < 64


@pytest.mark.parametrize("tolerance", [254, 255, 600, 3000])
def test_many_votes_do_not_overflow(tolerance: int) -> None:
    # 700 clauses of 255 votes and more: more than a 16-bit counter holds.
    case = Case(
        n_clauses=700, tolerance=tolerance, n_literals=1200, T=100_000, n_samples=12, weak="rota", saturated=True
    )
    votes = assert_parity(case).votes
    assert np.abs(votes).max() > 0


@pytest.mark.parametrize("tolerance", [255, 256, 511, 512, 1023, 65534])
@pytest.mark.parametrize("saturated", [True, False])
@pytest.mark.parametrize("n_states", [100, 300])
def test_more_votes_than_a_byte_holds(n_states: int, saturated: bool, tolerance: int) -> None:
    # Empty clauses cast all votes while learning; saturated ones include about 650 literals, half of which fail.
    sizes = {"n_literals": 1300, "n_clauses": 20, "n_samples": 25, "n_classes": 3, "T": 2000}
    case = Case(**sizes, n_states=n_states, tolerance=tolerance, weak="rota", saturated=saturated)
    assert_parity(case, n_jobs=2)


@settings(max_examples=120, deadline=None, derandomize=True)
@given(
    d=st.sampled_from([1, 2, 7, 100, 5000, math.inf]),
    s=st.integers(1, 300),
    n_states=st.integers(1, 300),
    n_literals=st.integers(1, 300).map(lambda o: 2 * o),
    n_clauses=st.integers(1, 40).map(lambda m: 2 * m),
    T=st.integers(1, 200),
    n_classes=st.sampled_from([2, 3, 5]),
    weak=st.sampled_from(["every", "rota", "bernoulli"]),
    selection=st.sampled_from(["random", "weyl"]),
    boost=st.booleans(),
    n_samples=st.integers(1, 60),
    seed=st.integers(0, 2**64 - 1),
    saturated=st.booleans(),
    tolerance=st.one_of(st.integers(0, 9), st.integers(0, 254), st.integers(0, 65534)),
    max_literals=st.one_of(st.none(), st.integers(1, 60)),
    n_other_classes=st.integers(1, 5),
    n_jobs=st.sampled_from([1, 2, 5]),
)
def test_any_machine(n_jobs: int, **parameters: object) -> None:
    assert_parity(Case(epochs=1, **parameters), n_jobs=n_jobs)  # type: ignore[arg-type]
