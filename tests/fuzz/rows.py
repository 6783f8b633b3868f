"""The same samples in other words: rows in another order, and a whole weight or so many rows.

Machines that sort their rows are the same machine, with the same scores, probabilities and intervals.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone

from adtm import ADTMClassifier, ADTMRegressor, AdviceWarning, Booleanizer

from . import Rng, pick


def any_bits(rng: Rng, n: int) -> np.ndarray:
    """Rows of bits of which only a few columns differ: whole ones repeat, and sums of words may meet."""
    width = pick(rng, [1, 3, 12, 63, 64, 65, 128, 129, 256])
    bits = np.zeros((n, width), bool)
    for column in {0, *rng.integers(0, width, 2).tolist(), *rng.choice([width - 1, width // 2], 2).tolist()}:
        bits[:, column] = rng.random(n) < pick(rng, [0.5, 0.05])
    bits[0], bits[1] = False, True  # no column is constant
    return bits


def any_numbers(rng: Rng, n: int) -> np.ndarray:
    """Columns of few or many values, zeros of both signs and gaps."""
    columns = [rng.integers(-size, size, n) * pick(rng, [0.0, 1.0, -1.0, 0.1]) for size in rng.choice([1, 3, 80], 3)]
    X = np.column_stack(columns).astype(float)
    X[rng.random(X.shape) < pick(rng, [0.0, 0.1])] = np.nan
    X[0], X[1] = -100, 100
    return X


def any_target(rng: Rng, first: np.ndarray, goal: str) -> np.ndarray:
    noisy = first + (rng.random(len(first)) < 0.3)
    noisy[:3] = [-1, 1, 2]
    if goal == "value":
        return np.round(noisy * pick(rng, [-0.4, 3.0])) * pick(rng, [1.0, 0.5])  # of zeros some are -0.0
    if goal == "labels":
        return np.column_stack([noisy > 0, noisy > 1, rng.random(len(first)) < 0.5]).astype(int)
    return np.digitize(noisy, pick(rng, [[0.5], [0.5, 1.5]]))


def any_machine(rng: Rng, goal: str) -> Any:
    parameters: dict[str, Any] = {
        "n_clauses": pick(rng, [2, 10, 66]),
        "epochs": int(rng.integers(1, 5)),
        "n_members": pick(rng, [1, 1, 3]),
        "tolerance": pick(rng, ["auto", 0, 2]),
        "early_stopping": bool(rng.random() < 0.5),
        "validation_fraction": pick(rng, [0.1, 0.4]),
        "choose": bool(rng.random() < 0.1),
        "booleanizer": Booleanizer(max_bits=None, missing="indicator"),  # as thresholds count rows, not weights
    }
    if goal == "value":
        return ADTMRegressor(**parameters)
    weights = {"class_weight": pick(rng, [None, None, {1: 2.0}])} if goal == "classes" else {}
    return ADTMClassifier(**parameters, **weights)


def assert_same(one: Any, other: Any, X: np.ndarray) -> None:
    np.testing.assert_array_equal(one.states_, other.states_)
    np.testing.assert_array_equal(one.model_.memory.weights, other.model_.memory.weights)
    assert one.chosen_ == other.chosen_
    if isinstance(one, ADTMRegressor):
        np.testing.assert_array_equal(one._fitted.calibration.found, other._fitted.calibration.found)
    else:
        np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


def attack(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, goal = int(rng.integers(8, 150)), pick(rng, ["classes", "classes", "labels", "value"])
    X = any_bits(rng, n) if rng.random() < 0.6 else any_numbers(rng, n)
    y, machine = any_target(rng, np.nan_to_num(X[:, 0].astype(float)), goal), any_machine(rng, goal)
    weights = pick(rng, [None, rng.integers(1, 4, n), rng.integers(0, 3, n) + (np.arange(n) < 3), rng.random(n) + 0.01])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AdviceWarning)  # any setting may come up
        fitted = clone(machine).fit(X, y, weights)
        mixed = rng.permutation(n)
        again = clone(machine).fit(X[mixed], y[mixed], None if weights is None else weights[mixed])
        assert_same(again, fitted, X)
        np.testing.assert_equal(again.held_out_score_, fitted.held_out_score_)
        if weights is not None and (weights % 1 == 0).all():
            times = weights.astype(int)
            assert_same(clone(machine).fit(X.repeat(times, axis=0), y.repeat(times, axis=0)), fitted, X)
