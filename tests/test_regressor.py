"""The regressor: y in its own units, its range, its records, and what it refuses."""

from __future__ import annotations

import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_friedman1
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV

import adtm
from adtm import ADTMRegressor, Booleanizer
from adtm.tables.table import Frame
from made_files import forge, put

X, Y = make_friedman1(400, noise=1.0, random_state=0)
SMALL = {"booleanizer": Booleanizer(max_bits=15), "random_state": 0, "n_clauses": 200, "T": 300, "epochs": 10}


#: What the paper's machine draws.
DRAWN = {"selection": "random", "start": "random", "shuffle": True, "d": 100}


def small(**parameters: Any) -> ADTMRegressor:
    return ADTMRegressor(**{**SMALL, **parameters})


@pytest.mark.parametrize("parameters", [{}, DRAWN, {"weak": "every", "n_states": 1000, "d": 100}])
def test_it_learns_what_a_linear_model_cannot(parameters: dict[str, Any]) -> None:
    X, y = make_friedman1(900, noise=1.0, random_state=0)
    machine = small(n_clauses=300, epochs=15, **parameters).fit(X[:600], y[:600])
    linear = LinearRegression().fit(X[:600], y[:600])
    assert machine.score(X[600:], y[600:]) > linear.score(X[600:], y[600:]) + 0.08


def test_the_first_epoch_is_already_better_than_the_mean() -> None:
    first = small(epochs=1).fit(X, Y).history_[0]
    assert first.train_error < 0.9 * np.abs(Y - Y.mean()).mean()


@pytest.mark.parametrize(("scale", "shift"), [(1, 0), (1e-9, 0), (1e6, -1e9), (-3, 5), (1e150, 0)])
def test_answers_are_in_the_units_of_y_and_in_its_range(scale: float, shift: float) -> None:
    y = scale * Y + shift
    machine = small().fit(X, y)
    answers = machine.predict(X)
    assert machine.y_range_ == (y.min(), y.max())
    assert (answers >= y.min()).all()
    assert (answers <= y.max()).all()
    same = small().fit(X, Y) if scale > 0 else machine
    assert machine.score(X, y) == pytest.approx(same.score(X, Y if scale > 0 else y), abs=0.02)


def test_records_have_the_mean_absolute_error_and_no_accuracy() -> None:
    machine = small(epochs=3).fit(X[:200], Y[:200], eval_set=(X[200:], Y[200:]))
    last = machine.history_[-1]
    assert last.train_error == pytest.approx(np.abs(machine.predict(X[:200]) - Y[:200]).mean())
    assert last.eval_error == pytest.approx(np.abs(machine.predict(X[200:]) - Y[200:]).mean())
    assert (last.train_accuracy, last.eval_accuracy, last.train_silent, last.eval_silent) == (None,) * 4
    assert small(epochs=1).fit(X, Y, train_accuracy=False).history_[0].train_error is None


def test_the_range_is_that_of_the_first_call() -> None:
    machine = small().partial_fit(X[:200], np.clip(Y[:200], 10, 15))
    machine.partial_fit(X, Y)
    assert machine.y_range_ == (10, 15)
    assert machine.predict(X).min() >= 10
    assert machine.fit(X, Y).y_range_ == (Y.min(), Y.max())


def test_the_vote_target_may_change_while_learning_goes_on() -> None:
    machine = small().fit(X, Y)
    before = machine.predict(X)
    machine.set_params(T=400)
    np.testing.assert_array_equal(machine.predict(X), before)  # what was learned was learned for 300
    machine.partial_fit(X, Y)
    assert machine.model_.head.T == 400


@pytest.mark.parametrize(
    ("parameters", "T"),
    [
        ({}, 500),
        ({"n_clauses": 50}, 50),
        ({"n_clauses": 2000, "tolerance": 7}, 4000),
        ({"n_clauses": 1, "tolerance": 0}, 1),
        ({"n_clauses": 50, "weights": "integer"}, 800),
    ],
)
def test_the_parts_of_the_range_go_with_the_votes_that_clauses_can_cast(parameters: dict[str, Any], T: int) -> None:
    assert ADTMRegressor(**parameters).check_parameters().T == T


def test_few_clauses_learn_where_columns_have_few_values_and_where_they_have_many() -> None:
    weights = np.array(np.meshgrid(*[range(1, 6)] * 4)).reshape(4, -1).T.astype(float)
    moment = weights[:, 0] * weights[:, 1] - weights[:, 2] * weights[:, 3]
    for table, y in (make_friedman1(1200, random_state=0), (weights, moment)):
        machine = ADTMRegressor(n_clauses=50, random_state=0).fit(table[::2], y[::2])
        assert machine.score(table[1::2], y[1::2]) > 0.7
        assert machine.predict(table).max() > y.max() - 0.2 * np.ptp(y)


def test_parts_that_were_left_to_the_machine_are_kept_in_its_file(tmp_path: Path) -> None:
    machine = ADTMRegressor(n_clauses=30, epochs=2, random_state=0).fit(X, Y)
    machine.save(tmp_path / "machine")
    again = adtm.load(tmp_path / "machine")
    assert (again.T, again.model_.head) == ("auto", machine.model_.head)
    np.testing.assert_array_equal(again.partial_fit(X, Y).states_, machine.partial_fit(X, Y).states_)


@pytest.mark.parametrize("value", [0.0, -7.25, 1e300])
def test_a_y_that_is_always_the_same_is_the_answer(value: float) -> None:
    machine = small(epochs=2).fit(X, np.full(len(X), value))
    assert machine.predict(X).tolist() == [value] * len(X)
    assert machine.history_[-1].train_error == 0


@pytest.mark.parametrize(
    "y", [Y.tolist(), Y.astype(object), pd.Series(Y), Y.astype(np.float32), (100 * Y).astype(int), Y > 14]
)
def test_numbers_may_come_in_any_form(y: Any) -> None:
    assert small(epochs=2).fit(X, y).predict(X).dtype == np.float64


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "y must hold the numbers"),
        (np.where(Y > 14, np.nan, Y), "y contains NaN"),
        (np.where(Y > 14, np.inf, Y), "y contains infinity"),
        (np.where(Y > 14, 1.7e308, -1.7e308), "y must have a range that is a finite number"),
        ([10**400, *Y[1:]], "y must hold numbers that fit into 64-bit floats"),
        (Y[:10], "X and y must have the same length, got 400 samples and 10 numbers"),
        (np.column_stack([Y, Y]), "y should be a 1d array"),
        (np.array(["a"] * 400), "y must hold real numbers, got <U1"),
        (
            np.array(["a"] * 400, object),
            "y must hold real numbers, and none missing: could not convert string to float",
        ),
        ([Decimal("sNaN")] * 400, "y must hold real numbers, and none missing: cannot convert signaling NaN"),
        ([[1], [1, 2]] * 200, "y must hold one value for each sample"),
        (Frame.of(pd.DataFrame({"a": Y, "b": Y})), "y should be a 1d array"),
        (Y * 1j, "Complex data not supported"),
        (np.ma.masked_array(Y, Y > 14), "y must hold a number for every sample, got masked values"),
    ],
)
def test_other_numbers_are_refused_and_leave_the_machine_as_it_was(y: Any, message: str) -> None:
    machine = small(epochs=1).fit(X, Y)
    before = machine.predict(X)
    with pytest.raises(ValueError, match=message):
        machine.fit(X, y)
    np.testing.assert_array_equal(machine.predict(X), before)
    if "range" not in message:  # beyond the range of the first call everything is its end
        with pytest.raises(ValueError, match=message):
            machine.partial_fit(X, y)
        np.testing.assert_array_equal(machine.predict(X), before)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("unit", [1e-200, 1e200, 1e307])
def test_settings_are_chosen_for_values_of_any_size(unit: float) -> None:
    X = np.arange(60).reshape(-1, 3)
    y = X[:, 0] % 9
    usual, scaled = ADTMRegressor().fit(X, y), ADTMRegressor().fit(X, y * unit)
    assert scaled.choice_.values == usual.choice_.values
    assert scaled.predict(X) / unit == pytest.approx(usual.predict(X))
    assert scaled.held_out_score_ == pytest.approx(usual.held_out_score_)


def test_one_sample_says_too_little() -> None:
    with pytest.raises(ValueError, match=r"X gives no Boolean feature: every column is constant.*n_samples=1"):
        ADTMRegressor().fit([[1.0, 2.0]], [3.0])


def test_an_odd_number_of_clauses_will_do_and_none_will_not() -> None:
    small(n_clauses=1, T=4, epochs=1).fit(X, Y)
    with pytest.raises(ValueError, match=r"n_clauses must be 'auto' or a whole number in 1\.\.65536, got 0"):
        small(n_clauses=0).fit(X, Y)


def test_a_grid_search_finds_the_best_of_some() -> None:
    search = GridSearchCV(small(epochs=3), {"tolerance": [0, 3], "s": [5, (5, 50)]}, cv=2, error_score="raise")
    assert search.fit(X, Y).best_params_["tolerance"] == 3
    assert math.isfinite(search.best_score_)


def test_weights_count_when_it_goes_on_learning_too() -> None:
    weights = np.arange(400) % 3
    rows = np.repeat(np.arange(400), weights)
    literals = Booleanizer(max_bits=15).fit(X).literals(X)
    weighted, repeated = (ADTMRegressor(20, T=30, random_state=0) for _ in range(2))
    for _ in range(2):
        weighted.partial_fit(literals, Y, sample_weight=weights)
        repeated.partial_fit(literals.take(rows), Y[rows])
    np.testing.assert_array_equal(weighted.states_, repeated.states_)


@pytest.mark.parametrize("largest", [1e308, 1.7e308])
def test_an_infinite_error_is_saved_and_loaded(largest: float, tmp_path: Any) -> None:
    machine = small(epochs=2).fit(X, Y, eval_set=(X, np.full(len(Y), largest)))
    assert machine.history_[0].eval_error == np.inf
    machine.save(tmp_path / "machine")
    assert adtm.load(tmp_path / "machine").history_ == machine.history_


# ---- intervals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parameters", [{}, {"early_stopping": True, "validation_fraction": 0.3}, {"n_members": 2}])
def test_intervals_hold_new_values_as_often_as_asked_for(parameters: dict[str, Any]) -> None:
    X, y = make_friedman1(600, noise=1.0, random_state=2)
    machine = ADTMRegressor(n_clauses=50, epochs=8, **parameters).fit(X[:300], y[:300])
    for coverage in (0.5, 0.9):
        low, high = machine.predict_interval(X[300:], coverage).T
        assert np.mean((low <= y[300:]) & (y[300:] <= high)) == pytest.approx(coverage, abs=0.08)
        assert (low + high) / 2 == pytest.approx(machine.predict(X[300:]))


def test_of_few_rows_each_judges_once_so_that_the_ends_of_y_count() -> None:
    held = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = rng.random((107, 3)), rng.normal(size=107)
        low, high = ADTMRegressor(n_clauses=10, epochs=2, choose=False).fit(X[:7], y[:7]).predict_interval(X[7:], 0.5).T
        held.append(np.mean((low <= y[7:]) & (y[7:] <= high)))
    assert np.mean(held) > 0.42  # rows in the middle of y alone gave 0.28


def test_rows_that_chose_the_best_epoch_do_not_say_how_large_errors_are() -> None:
    held = []
    for seed in range(15):
        rng = np.random.default_rng(seed)
        X, y = rng.random((260, 4)), rng.normal(size=260)
        parameters = {"n_clauses": 20, "epochs": 20, "early_stopping": True, "validation_fraction": 0.3}
        machine = ADTMRegressor(**parameters, n_iter_no_change=20).fit(X[:60], y[:60])
        low, high = machine.predict_interval(X[60:], 0.8).T
        held.append(np.mean((low <= y[60:]) & (y[60:] <= high)))
    assert np.mean(held) > 0.8


def test_chosen_machines_know_their_errors_from_the_rows_that_chose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adtm.learning.plan.MOST_EPOCHS", 3)
    monkeypatch.setattr("adtm.learning.choosing.NEAR", math.inf)
    X, y = make_friedman1(100, random_state=0)
    machine = ADTMRegressor(n_clauses=20).fit(X, y)
    width = np.ptp(machine.predict_interval(X[:1], 0.9))
    assert width / 2 == pytest.approx(machine.choice_.calibrated[89])


def test_intervals_are_saved_and_depend_on_neither_threads_nor_order(tmp_path: Path) -> None:
    X, y = make_friedman1(100, random_state=0)
    parameters = {"n_clauses": 20, "epochs": 3}
    machine = ADTMRegressor(**parameters).fit(X, y)
    machine.save(tmp_path / "m.safetensors")
    again = ADTMRegressor(**parameters, n_jobs=3).fit(X[::-1], y[::-1])
    for other in (adtm.load(tmp_path / "m.safetensors"), again):
        assert other.predict_interval(X, 0.8).tolist() == machine.predict_interval(X, 0.8).tolist()


def test_a_file_holds_at_most_99_errors_that_grow(tmp_path: Path) -> None:
    path = tmp_path / "machine"
    ADTMRegressor(n_clauses=4, epochs=1).fit([[0], [1], [2]], [0.0, 1.0, 2.0]).save(path)
    forge(path, path.read_bytes(), put("errors", value=[float(k) for k in range(99)]))
    assert np.ptp(adtm.load(path).predict_interval([[1]], 0.5)) == 2 * 49
    for errors in ([float(k) for k in range(100)], [2.0, 1.0]):
        forge(path, path.read_bytes(), put("errors", value=errors))
        with pytest.raises(ValueError, match="errors must be at most 99 numbers that grow"):
            adtm.load(path)


def test_few_rows_say_nothing_about_rare_errors() -> None:
    machine = ADTMRegressor(n_clauses=20, epochs=2).fit(np.arange(20)[:, None], np.arange(20))
    assert machine.predict_interval([[3]], 0.95).shape == (1, 2)
    with pytest.raises(ValueError, match=r"coverage must be at most 0.95 with so few rows held out, got 0.951"):
        machine.predict_interval([[3]], 0.951)


def test_only_fit_holds_rows_out() -> None:
    machine = ADTMRegressor(n_clauses=20).partial_fit([[0], [1]], [0.0, 1.0])
    with pytest.raises(ValueError, match="an interval needs rows held out by fit"):
        machine.predict_interval([[0]])


def test_the_score_is_r2_of_numbers_of_any_size_and_takes_what_fit_takes() -> None:
    X = np.arange(60)[:, None]
    y, weights = np.arange(60) % 7 + X[:, 0] / 9, np.arange(60) % 3
    machine = ADTMRegressor(n_clauses=20, epochs=3).fit(X, y)
    answers = machine.predict(X)
    assert machine.score(X, y) == pytest.approx(r2_score(y, answers), rel=1e-12)
    assert machine.score(X, y, weights * 1e300) == pytest.approx(r2_score(y, answers, sample_weight=weights), rel=1e-12)
    assert machine.score(X, y, 2) == pytest.approx(machine.score(X, y), rel=1e-12)
    assert (machine.score(X[:1], answers[:1]), machine.score(X[:1], answers[:1] + 1)) == (1.0, 0.0)
    large = ADTMRegressor(n_clauses=20, epochs=3).fit(X, y * 1e300)
    assert large.score(X, y * 1e300) == pytest.approx(machine.score(X, y))
    for wrong, message in (
        ((np.ma.array(y, mask=y > 3),), "y must hold a number for every sample, got masked values"),
        ((y, -np.ones(60)), "sample_weight must hold finite numbers >= 0, got -1"),
        ((y, np.zeros(60)), "sample_weight must hold at least one weight above 0, got only zeros"),
        ((y[1:],), "X and y must have the same length, got 60 samples and 59 numbers"),
    ):
        with pytest.raises(ValueError, match=message):
            machine.score(X, *wrong)


def test_the_smallest_interval_covers_one_percent() -> None:
    X = np.random.default_rng(0).random((300, 2))
    machine = ADTMRegressor(n_clauses=20, epochs=2).fit(X, X[:, 0])
    widths = [float(np.ptp(machine.predict_interval(X[:1], coverage))) for coverage in (1e-300, 0.01, 0.02)]
    assert widths[0] == widths[1] < widths[2]


@pytest.mark.parametrize("n_columns", [3, 6, 12, 100])
@pytest.mark.parametrize("parameters", [{}, {"epochs": 20}], ids=["chosen", "by the rules"])
def test_columns_with_few_values_are_learned_without_naming_anything(
    n_columns: int, parameters: dict[str, Any]
) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (2000, n_columns))
    y = 10 * X[:, 0] + 5 * X[:, 1] + 3 * rng.normal(size=2000)  # .776 at best
    assert ADTMRegressor(**parameters).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) > 0.6


def test_of_a_coverage_between_whole_percents_the_next_one_is_taken() -> None:
    X = np.random.default_rng(0).random((300, 2))
    machine = ADTMRegressor(n_clauses=20, epochs=2).fit(X, X[:, 0])
    widths = [float(np.ptp(machine.predict_interval(X[:1], coverage))) for coverage in (0.8, 0.801, 0.81)]
    assert widths[0] < widths[1] == widths[2]
