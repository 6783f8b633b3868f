"""Votes while predicting: the native voter equals the reference for any weights, any clauses and any samples.

Machines that have learned vote in test_parity and test_convolution; here states and weights are made up. Weights may be
0, of both signs, and larger than a counter holds.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from adtm import _core
from adtm.machine.backends.native import NativeBackend
from adtm.machine.backends.reference import ReferenceBackend
from adtm.machine.memory import Memory
from adtm.machine.settings import Settings
from adtm.tables.patches import Patches
from parity import TARGETS, Case

OUTPUTS = [1, 2, 3, 10, 17]
WEIGHTS = {
    "all 0": [0],
    "1 and -1": [1, -1],
    "0 among others": [0, 0, 1, -1, 7],
    "of every size": [0, 1, -1, 2, -3, 100, -255, 256, 4095, -65_535, 65_536, -1_000_000],
    "larger than a counter holds": [70_000, -70_000],
}


def made_up(case: Case, *, n_outputs: int, weights: list[int], n_banks: int = 1) -> Memory:
    """Clauses of a few literals, of many, and of none, with these weights."""
    rng = np.random.default_rng(case.seed)
    shape = (n_banks, case.n_clauses, case.all_literals)
    share = rng.choice([0.0, 2 / case.all_literals, 0.05, 0.6], (*shape[:2], 1))
    states = np.where(rng.random(shape) < share, case.n_states, case.n_states - 1).astype(np.uint8)
    memory = Memory.whole(states, np.zeros(shape[:2], np.uint64), np.zeros(n_banks, np.uint64))
    return replace(memory, weights=rng.choice(weights, (n_banks, n_outputs, case.n_clauses)).astype(np.int32))


def assert_same_votes(settings: Settings, memory: Memory, case: Case, *, n_jobs: int = 1) -> np.ndarray:
    literals, _ = case.data()
    expected = ReferenceBackend().voter(settings, memory).votes(literals)
    for target in TARGETS:
        found = NativeBackend(target).voter(settings, memory).votes(literals, n_jobs=n_jobs)
        np.testing.assert_array_equal(found, expected, target)
    return expected


@pytest.mark.parametrize("n_samples", [1, 4, 5, 70])  # up to four vote one by one
@pytest.mark.parametrize("n_outputs", OUTPUTS)
@pytest.mark.parametrize("tolerance", [0, 3, 254])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_votes_for_any_weights(weights: str, tolerance: int, n_outputs: int, n_samples: int) -> None:
    case = Case(n_literals=130, n_clauses=40, n_samples=n_samples, tolerance=tolerance)
    memory = made_up(case, n_outputs=n_outputs, weights=WEIGHTS[weights])
    votes = assert_same_votes(case.settings(), memory, case)
    assert votes.shape == (n_samples, n_outputs)
    assert votes.any() == (weights != "all 0")


@pytest.mark.parametrize("n_outputs", OUTPUTS)
@pytest.mark.parametrize("tolerance", [0, 3])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_votes_on_patches_for_any_weights(weights: str, tolerance: int, n_outputs: int) -> None:
    case = Case(patches=Patches((9, 8, 1), (3, 3)), n_clauses=30, n_samples=6, tolerance=tolerance)
    assert_same_votes(case.settings(), made_up(case, n_outputs=n_outputs, weights=WEIGHTS[weights]), case)


@pytest.mark.parametrize("n_samples", [511, 512, 513, 1100])
@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_votes_of_batches_of_every_length_in_several_banks(n_jobs: int, n_outputs: int, n_samples: int) -> None:
    case = Case(n_literals=66, n_clauses=20, n_samples=n_samples, tolerance=2)
    memory = made_up(case, n_outputs=n_outputs, weights=WEIGHTS["of every size"], n_banks=3)
    votes = assert_same_votes(case.settings(), memory, case, n_jobs=n_jobs)
    assert votes.shape == (n_samples, 3 * n_outputs)


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_a_vote_may_reach_the_largest_number_there_is(n_outputs: int) -> None:
    case = Case(n_literals=2, n_clauses=2, n_samples=9)
    memory = made_up(case, n_outputs=n_outputs, weights=[0])
    memory.states[:] = np.where(np.arange(2) == 0, case.n_states, case.n_states - 1)  # both clauses are the feature
    memory.weights[:] = [2**31 - 2, 1]
    votes = assert_same_votes(case.settings(), memory, case)
    assert set(np.unique(votes)) == {0, 2**31 - 1}


@pytest.mark.parametrize("n_jobs", [1, 7])
@pytest.mark.parametrize("n_columns", [1, 2, 3, 10])
def test_the_winner_is_the_first_of_the_largest_votes_in_the_given_order(n_columns: int, n_jobs: int) -> None:
    rng = np.random.default_rng(n_columns)
    least, most = np.iinfo(np.int32).min, np.iinfo(np.int32).max
    votes = rng.choice(np.array([least, least + 1, -1, 0, 1, most - 1, most], np.int32), (10_000, n_columns))
    order = rng.permutation(n_columns).astype(np.uint32)
    winners, tied = np.empty(len(votes), np.int64), np.empty(len(votes), np.bool_)
    _core.first_largest(votes, order, winners, tied, n_jobs)
    np.testing.assert_array_equal(winners, order[np.argmax(votes[:, order], axis=1)])
    np.testing.assert_array_equal(tied, (votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1)
