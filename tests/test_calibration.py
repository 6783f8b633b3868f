"""Probabilities: a temperature fitted on rows that were not learned from, kept with the model."""

from __future__ import annotations

import copy
import pickle
import threading
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import log_loss

import adtm
from adtm import ADTMClassifier, ADTMRegressor, Booleanizer, TMClassifier
from adtm.learning import calibrating
from adtm.learning.fitting import Fitting
from adtm.learning.samples import Samples
from adtm.machine.calibration import error_quantiles, fit_temperature, softmax
from made_files import forge, put
from made_machines import SECONDS, with_states

RNG = np.random.default_rng(11)
X = RNG.integers(0, 6, (1200, 4))
NOISE = RNG.random(1200) < 0.25
TWO = ((X[:, 0] > X[:, 1]) ^ NOISE).astype(int)
LABELS = np.column_stack([TWO, (X[:, 2] > 4) & ~NOISE, (X[:, 3] < 5) ^ NOISE]).astype(int)
THREE = np.where(NOISE, RNG.integers(0, 3, 1200), X[:, 0] % 3)
KINDS = [ADTMClassifier, TMClassifier]
TRAIN, TEST = slice(0, 700), slice(700, None)


def machine(kind: type = ADTMClassifier, **parameters: Any) -> Any:
    return kind(**{"n_clauses": 40, "epochs": 15, "random_state": 1, **parameters})


@pytest.mark.parametrize("true", [0.7, 5.0, 40.0])
def test_the_temperature_of_made_votes_is_found(true: float) -> None:
    rng = np.random.default_rng(12)
    scores = rng.normal(0, 2 * true, (40_000, 3))
    drawn = softmax(scores, true).cumsum(axis=1) < rng.random((40_000, 1))
    assert fit_temperature(scores, drawn.sum(axis=1)) == pytest.approx(true, rel=0.05)


def test_no_temperature_nearby_has_a_smaller_loss() -> None:
    rng = np.random.default_rng(13)
    scores, y = rng.normal(0, 3, (500, 4)), rng.integers(0, 4, 500)
    scores[np.arange(500), y] += 2

    def loss(temperature: float) -> float:
        targets = np.full((500, 4), 1 / 504)
        targets[np.arange(500), y] += 500 / 504
        return float(-(targets * np.log(softmax(scores, temperature))).sum())

    best = fit_temperature(scores, y)
    assert all(loss(best) <= loss(best * factor) for factor in (0.9, 0.999, 1.001, 1.1))


def test_shares_have_the_mean_score_of_the_labels_however_far_rows_lie_apart() -> None:
    scores, y = np.array([[0.0, 4.0]] * 200 + [[0.0, 3e3]]), np.append(np.arange(200) < 150, True).astype(int)
    scores -= scores.mean(axis=1, keepdims=True)
    labels = 201 / 203 * scores[np.arange(201), y].sum()  # and of one more row of each class, whose mean is 0
    assert (softmax(scores, fit_temperature(scores, y)) * scores).sum() == pytest.approx(labels, rel=1e-6)


def test_rows_without_an_error_make_nothing_certain() -> None:
    scores = np.array([[0.0, 10.0], [10.0, 0.0]] * 20)
    shares = softmax(scores, fit_temperature(scores, np.array([1, 0] * 20)))
    assert shares.max() == pytest.approx(41 / 42, abs=1e-4)


def test_votes_that_say_nothing_give_equal_probabilities() -> None:
    scores = np.array([[0.0, 4.0], [0.0, -4.0]] * 50)
    assert softmax(scores, fit_temperature(scores, np.array([0, 1] * 50))) == pytest.approx(0.5, abs=1e-3)


def test_probabilities_of_a_row_do_not_depend_on_the_others() -> None:
    found = softmax(np.array([[0.0, 1.0], [1e6, 1e6 + 1]]), 0.5)
    np.testing.assert_array_equal(found[0], found[1])
    assert found[0, 1] == pytest.approx(1 / (1 + np.exp(-2)))


def test_temperatures_end_where_one_vote_decides_or_none_says_anything() -> None:
    sure, blind = np.array([[0.0, 1e-9]] * 10), np.array([[0.0, 4.0]] * 10)
    assert fit_temperature(sure, np.ones(10, int)) == pytest.approx(2.0**-10, rel=1e-6)
    assert fit_temperature(blind, np.zeros(10, int)) == pytest.approx(2.0**30, rel=5e-6)


@pytest.mark.parametrize("n", [99, 199])
def test_of_so_few_errors_each_is_a_percent(n: int) -> None:
    step = (n + 1) // 100
    assert error_quantiles(np.arange(n, 0.0, -1)).tolist() == list(range(step, n + 1, step))
    assert len(error_quantiles(np.arange(98.0))) == 98  # so few say nothing of 99 %


def test_errors_beyond_all_numbers_say_nothing() -> None:
    assert error_quantiles(np.array([1.0, -np.inf, 2.0]))[-1] == 2.0


def test_whole_weights_count_as_rows() -> None:
    rng = np.random.default_rng(14)
    scores, weights = rng.normal(0, 3, (60, 3)), rng.integers(0, 4, 60)
    y = (scores + rng.gumbel(0, 2, (60, 3))).argmax(axis=1)  # labels that follow the scores: a temperature in between
    repeated = fit_temperature(scores.repeat(weights, axis=0), y.repeat(weights))
    assert fit_temperature(scores, y, weights.astype(float)) == pytest.approx(repeated, rel=1e-5)
    assert fit_temperature(scores, y) != pytest.approx(repeated, rel=1e-2)
    left = rng.normal(size=60)
    np.testing.assert_array_equal(error_quantiles(left, weights.astype(float)), error_quantiles(left.repeat(weights)))


@pytest.mark.parametrize("right", [60, 75, 99])
def test_the_temperature_has_six_digits(right: int) -> None:
    # One score for all rows: the share of the label is known, and so is the temperature that gives it.
    share = (right + 1) / 102
    found = fit_temperature(np.array([[0.0, 4.0]] * 100), (np.arange(100) < right).astype(int))
    assert found == pytest.approx(4 / np.log(share / (1 - share)), rel=2e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("early", [False, True])
def test_probabilities_are_better_than_shares_and_agree_with_the_answers(
    kind: type, y: np.ndarray, early: bool
) -> None:
    fitted = machine(kind, early_stopping=early).fit(X[TRAIN], y[TRAIN])
    given, answer = fitted.predict_proba(X[TEST]), fitted.predict(X[TEST])
    np.testing.assert_allclose(given.sum(axis=1), 1)
    np.testing.assert_array_equal(given.argmax(axis=1), answer)
    shares = fitted.set_params(probability="shares").predict_proba(X[TEST])
    np.testing.assert_array_equal(shares.argmax(axis=1), answer)
    assert log_loss(y[TEST], given) < min(log_loss(y[TEST], shares), np.log(len(fitted.classes_)))


def test_probabilities_follow_the_votes() -> None:
    fitted = machine().fit(X, TWO)
    votes = fitted.decision_function(X)
    expected = 1 / (1 + np.exp(-votes / fitted.temperature_))
    np.testing.assert_allclose(fitted.predict_proba(X)[:, 1], expected)


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("shared", [False, True], ids=["a bank each", "shared"])
def test_probabilities_of_labels_are_better_than_shares_and_agree_with_the_answers(shared: bool, early: bool) -> None:
    parameters = {"shared": shared, "early_stopping": early, "validation_fraction": 0.2}
    fitted = machine(**parameters).fit(X[TRAIN], LABELS[TRAIN])
    assert fitted.temperature_.shape == (3,)
    given, answer = fitted.predict_proba(X[TEST]), fitted.predict(X[TEST])
    shares = fitted.set_params(probability="shares").predict_proba(X[TEST])
    for probabilities in (given, shares):
        np.testing.assert_array_equal(probabilities > 0.5, answer)
        np.testing.assert_array_equal(probabilities < 0.5, 1 - answer)
        assert (probabilities > 0).all()
        assert (probabilities < 1).all()
    for label, found, share in zip(LABELS[TEST].T, given.T, shares.T, strict=True):
        assert log_loss(label, found) < min(log_loss(label, share), np.log(2))


@pytest.mark.parametrize("probability", ["calibrated", "shares"])
@pytest.mark.parametrize("y", [TWO, THREE, LABELS], ids=["two", "three", "labels"])
def test_logarithms_are_those_of_the_probabilities(y: np.ndarray, probability: str) -> None:
    fitted = machine(probability=probability, T=3).fit(X, y)  # votes beyond 3 are shares of 0 and 1
    given, logarithms = fitted.predict_proba(X), fitted.predict_log_proba(X)
    assert logarithms.shape == given.shape
    np.testing.assert_allclose(np.exp(logarithms), given, rtol=1e-12)
    np.testing.assert_array_equal(np.isneginf(logarithms), given == 0)


def test_the_answer_to_a_tie_has_the_largest_logarithm_too() -> None:
    y = np.append(np.arange(10), 9)  # the last is the most frequent: the answer where all are tied
    blind = machine(n_clauses=2, epochs=1).fit(np.eye(11), y)
    blind.predict_proba(np.eye(11))
    with_states(blind, np.zeros_like(blind.model_.memory.states))  # no clause has a literal, so none votes
    shares = blind.predict_proba(np.eye(11))
    assert blind.predict(np.eye(11)).tolist() == [9] * 11 == shares.argmax(axis=1).tolist()
    # Logarithms alone would be equal: a tenth and the next larger number round to the same.
    assert blind.predict_log_proba(np.eye(11)).argmax(axis=1).tolist() == [9] * 11


def test_each_label_is_calibrated_as_two_classes_are() -> None:
    both = machine().fit(X, np.column_stack([TWO, TWO]))
    assert both.temperature_[0] == both.temperature_[1] == machine().fit(X, TWO).temperature_
    votes = both.decision_function(X)[:, 1]
    np.testing.assert_allclose(both.predict_proba(X)[:, 1], 1 / (1 + np.exp(-votes / both.temperature_[1])))


def test_the_rows_that_early_stopping_holds_out_fit_the_temperature() -> None:
    fitted = machine(early_stopping=True, shuffle="weyl").fit(X, TWO)
    held = Samples(Booleanizer().fit(X).literals(X), TWO).split(0.1)[1].rows
    votes = np.round(fitted.decision_function(X[held]))
    assert fitted.temperature_ == fit_temperature(np.column_stack([-votes, votes]) / 2, TWO[held])


def test_without_held_out_rows_a_second_machine_that_did_not_see_them_fits_it() -> None:
    fitted = machine(shuffle="weyl").fit(X, TWO)
    features = Booleanizer().fit(X).literals(X)
    learn, held = Samples(features, TWO).split(0.2)
    twin = machine(shuffle="weyl").fit(features.take(learn.rows), TWO[learn.rows])
    votes = np.round(twin.decision_function(features.take(held.rows)))
    assert fitted.temperature_ == fit_temperature(np.column_stack([-votes, votes]) / 2, TWO[held.rows])


@pytest.mark.parametrize("early", [False, True])
def test_rows_that_fit_the_temperature_count_as_often_as_their_class(
    early: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged, usual = [], calibrating.calibrated
    monkeypatch.setattr(calibrating, "calibrated", lambda *given: judged.append(given) or usual(*given))
    machine(class_weight={1: 3.0}, early_stopping=early).fit(X, TWO).predict_proba(X[:1])
    ((_, _, y, weights),) = judged
    assert weights.tolist() == np.where(y == 1, 3, 1).tolist()


@pytest.fixture
def learned(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows that each machine learned from, one after the other."""
    numbers, usual = [], Fitting.run
    monkeypatch.setattr(Fitting, "run", lambda self, data, *a: numbers.append(len(data)) or usual(self, data, *a))
    return numbers


def test_of_many_rows_the_second_machine_takes_ten_thousand(learned: list[int]) -> None:
    fitted = machine(shuffle="weyl", epochs=1, n_clauses=2).fit(np.tile(X, (9, 1)), np.tile(TWO, 9))
    assert fitted.temperature_ > 0
    assert learned == [10_800, 8_000]


ASK = [
    lambda fitted: fitted.predict_proba(X),
    lambda fitted: fitted.temperature_,
    pickle.dumps,
    copy.deepcopy,
]


@pytest.mark.parametrize("ask", ASK, ids=["predict_proba", "temperature_", "pickle", "deepcopy"])
def test_the_second_machine_learns_once_and_only_when_probabilities_are_asked_for(ask: Any, learned: list[int]) -> None:
    fitted = machine(epochs=1).fit(X, TWO)
    fitted.predict(X), fitted.decision_function(X), fitted.rules()
    assert len(learned) == 1
    for _ in range(2):
        ask(fitted)
    assert len(learned) == 2


def test_a_copy_holds_the_temperature_and_no_row(learned: list[int]) -> None:
    fitted = machine(epochs=1).fit(X, TWO)
    size = len(pickle.dumps(fitted))
    assert len(pickle.dumps(machine(epochs=1).fit(np.vstack([X] * 4), np.tile(TWO, 4)))) < 1.1 * size
    assert pickle.loads(pickle.dumps(fitted)).temperature_ == fitted.temperature_


@pytest.mark.parametrize("kept", [True, False])
def test_rows_that_are_large_are_not_kept(kept: bool, learned: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibrating, "MOST_KEPT", Booleanizer().fit(X).literals(X).words.nbytes - (not kept))
    machine(epochs=1).fit(X, TWO)
    assert len(learned) == (1 if kept else 2)


@pytest.mark.parametrize(("n_rows", "n_machines"), [(49, 5), (50, 1)])
def test_of_few_rows_of_a_value_each_fifth_is_held_out(n_rows: int, n_machines: int, learned: list[int]) -> None:
    fitted = ADTMRegressor(n_clauses=4, epochs=1, choose=False).fit(X[:n_rows], X[:n_rows, 0])
    fitted.predict_interval(X)
    assert len(learned) == 1 + n_machines


@pytest.mark.parametrize(("n_held", "n_machines"), [(999, 1), (1000, 0)])
def test_many_rows_that_stop_the_learning_of_a_value_tell_its_errors(
    n_held: int, n_machines: int, learned: list[int]
) -> None:
    fitted = ADTMRegressor(n_clauses=4, epochs=1, choose=False, early_stopping=True)
    fitted.fit(X, X[:, 0], eval_set=(X[:n_held], X[:n_held, 0])).predict_interval(X)
    assert len(learned) == 1 + n_machines


def test_threads_that_ask_at_once_wait_for_one_second_machine(learned: list[int]) -> None:
    fitted, found = machine(epochs=3).fit(X, TWO), []
    threads = [threading.Thread(target=lambda: found.append(fitted.temperature_)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=SECONDS)
    assert (len(learned), len(found), len(set(found))) == (2, 4, 1)


def test_calibrating_changes_nothing_in_what_is_learned() -> None:
    fitted, plain = machine().fit(X, THREE), machine(probability="shares").fit(X, THREE)
    np.testing.assert_array_equal(fitted.states_, plain.states_)
    assert (fitted.ledger_, fitted.n_epochs_) == (plain.ledger_, plain.n_epochs_)
    assert not hasattr(plain, "temperature_")


def test_partial_fit_alone_has_shares_and_keeps_the_temperature_of_a_fit() -> None:
    alone = machine().partial_fit(X, TWO, classes=[0, 1])
    np.testing.assert_array_equal(
        alone.predict_proba(X), machine(probability="shares").partial_fit(X, TWO, [0, 1]).predict_proba(X)
    )
    fitted = machine().fit(X, TWO)
    before = fitted.temperature_
    assert fitted.partial_fit(X, TWO).temperature_ == before
    assert not hasattr(fitted.set_params(probability="shares").fit(X, TWO), "temperature_")


def test_probabilities_are_kept_in_the_model_file(tmp_path: Any) -> None:
    for probability, y in product(("calibrated", "shares"), (THREE, LABELS)):
        fitted = machine(probability=probability).fit(X, y)
        fitted.save(tmp_path / "machine.safetensors")
        loaded = adtm.load(tmp_path / "machine.safetensors")
        np.testing.assert_array_equal(loaded.predict_proba(X), fitted.predict_proba(X))
        np.testing.assert_array_equal(getattr(loaded, "temperature_", None), getattr(fitted, "temperature_", None))


def test_a_file_of_labels_from_before_they_were_calibrated_has_shares(tmp_path: Any) -> None:
    fitted, path = machine().fit(X, LABELS), tmp_path / "machine.safetensors"
    fitted.save(path)
    forge(path, path.read_bytes(), put("temperature", value=None))
    shares = fitted.set_params(probability="shares").predict_proba(X)
    np.testing.assert_array_equal(adtm.load(path).predict_proba(X), shares)


@pytest.mark.parametrize("temperature", [3.0, [3.0, 3.0], [3.0, 3.0, 0.0], [3.0, 3.0, "3"]])
def test_a_file_of_labels_with_other_temperatures_is_refused(temperature: Any, tmp_path: Any) -> None:
    path = tmp_path / "machine.safetensors"
    machine(epochs=1).fit(X, LABELS).save(path)
    forge(path, path.read_bytes(), put("temperature", value=temperature))
    with pytest.raises(ValueError, match="temperature must be"):
        adtm.load(path)


def test_a_bad_choice_is_named() -> None:
    with pytest.raises(ValueError, match="probability must be one of 'calibrated', 'shares', got 'sure'"):
        machine(probability="sure").fit(X, TWO)


def test_without_any_row_no_vote_says_anything() -> None:
    assert fit_temperature(np.empty((0, 2)), np.empty(0, int)) == 2.0**30
    assert len(error_quantiles(np.empty(0))) == 0
