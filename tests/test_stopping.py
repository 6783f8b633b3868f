"""Early stopping: when it ends, whose model is kept, and which rows it watches."""

from __future__ import annotations

import signal
from typing import Any

import numpy as np
import pytest

import adtm
from adtm import ADTMClassifier, ADTMRegressor, TMClassifier
from adtm.learning.estimator import plan_of
from adtm.learning.fitting import Patience
from adtm.learning.samples import Samples, held_out
from adtm.machine.model import Learning, Score
from pinned import named

RNG = np.random.default_rng(3)
X = RNG.integers(0, 6, (300, 4))
Y = ((X[:, 0] > X[:, 1]) ^ (RNG.random(300) < 0.2)).astype(int)
SCORES = [0.5, 0.7, 0.6, 0.7, 0.65, 0.9]  # by epoch; the second is the best until the sixth


def machine(**parameters: Any) -> ADTMClassifier:
    return named(**{"n_clauses": 20, "T": 4, "epochs": 6, "random_state": 1, **parameters})


def plain(epochs: int, rows: Any = slice(None)) -> ADTMClassifier:
    """The machine after so many epochs without early stopping."""
    return machine(epochs=epochs, early_stopping=False).fit(X[rows], Y[rows])


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Accuracies as in SCORES, whatever the machine answers."""
    monkeypatch.setattr(Learning, "score", lambda self, *_, **__: Score(SCORES[self.epochs - 1], 0.0))


def assert_same(a: Any, b: Any) -> None:
    np.testing.assert_array_equal(a.states_, b.states_)
    assert (a.ledger_, a.model_.samples, a.n_epochs_) == (b.ledger_, b.model_.samples, b.n_epochs_)


@pytest.mark.usefixtures("scored")
@pytest.mark.parametrize(("patience", "run", "best"), [(1, 3, 2), (3, 5, 2), (4, 6, 6), (99, 6, 6)])
def test_the_best_epochs_model_is_kept(patience: int, run: int, best: int) -> None:
    stopped = machine(early_stopping=True, n_iter_no_change=patience).fit(X, Y, eval_set=(X, Y))
    assert (len(stopped.history_), stopped.n_epochs_) == (run, best)
    assert_same(stopped, plain(best))


@pytest.mark.parametrize(("choose", "n_averaged"), [(True, 5), (False, 1)])
def test_where_settings_were_compared_the_best_mean_of_five_epochs_counts(choose: bool, n_averaged: int) -> None:
    few = {"n_clauses": 20, "epochs": 14, "n_iter_no_change": 3}
    stopped = ADTMClassifier(**few, choose=choose, early_stopping=True).fit(X, Y)
    scores = [record.eval_accuracy for record in stopped.history_]
    means = [float(np.mean(scores[k - n_averaged : k])) for k in range(n_averaged, len(scores) + 1)]
    best = int(np.argmax(np.round(means, 9))) + n_averaged
    assert stopped.n_epochs_ == best
    assert len(scores) == min(14, best + 3)


def test_a_value_that_was_chosen_for_stops_by_single_epochs() -> None:
    few = {"n_clauses": 20, "epochs": 14, "n_iter_no_change": 3}
    stopped = adtm.ADTMRegressor(**few, choose=True, early_stopping=True).fit(X, X[:, 0] * 2.0)
    errors = [record.eval_error for record in stopped.history_]
    assert stopped.n_epochs_ == int(np.argmin(errors)) + 1


@pytest.mark.usefixtures("scored")
@pytest.mark.parametrize("end", ["stop", "exception", "interrupt"])
def test_the_best_model_is_kept_however_the_call_ends(end: str) -> None:
    met = []

    def look(fitted: ADTMClassifier, record: adtm.EpochRecord) -> bool:
        met.append(fitted.n_epochs_)  # the machine of this epoch, not the best one
        if record.epoch < 4:
            return False
        if end == "exception":
            raise RuntimeError("enough")
        if end == "interrupt":
            signal.raise_signal(signal.SIGINT)
        return True

    stopped = machine(early_stopping=True)
    if end == "stop":
        stopped.fit(X, Y, eval_set=(X, Y), callback=look)
    else:
        with pytest.raises((RuntimeError, KeyboardInterrupt)):
            stopped.fit(X, Y, eval_set=(X, Y), callback=look)
    assert met == [1, 2, 3, 4]
    assert [record.eval_accuracy for record in stopped.history_] == SCORES[:4]
    assert_same(stopped, plain(2))


@pytest.mark.parametrize("kind", [ADTMClassifier, TMClassifier])
def test_held_out_rows_are_not_learned_from(kind: type) -> None:
    out = held_out(Y, 0.25)
    parameters = {"n_clauses": 20, "T": 4, "epochs": 5, "random_state": 1, "shuffle": "weyl"}
    features = adtm.Booleanizer().fit(X).literals(X)
    stopped = kind(**parameters, early_stopping=True, validation_fraction=0.25).fit(features, Y)
    assert len(stopped.history_) == 5
    alone = kind(**{**parameters, "epochs": stopped.n_epochs_}, early_stopping=False)
    alone.fit(features.take(~out), Y[~out], eval_set=(features.take(out), Y[out]))
    assert_same(stopped, alone)
    assert [r.eval_accuracy for r in stopped.history_[: stopped.n_epochs_]] == [r.eval_accuracy for r in alone.history_]
    assert stopped.history_[0].train_accuracy == alone.history_[0].train_accuracy


def test_an_answer_comes_from_the_model_that_is_kept() -> None:
    stopped = machine(epochs=12, early_stopping=True).fit(X, Y)
    kept = stopped.history_[stopped.n_epochs_ - 1].eval_accuracy
    assert kept == max(record.eval_accuracy for record in stopped.history_)
    out = held_out(Y, 0.1)
    assert stopped.score(X[out], Y[out]) == kept


def test_a_named_number_of_epochs_is_learned_whole() -> None:
    many = np.repeat(X, 40, axis=0), np.repeat(Y, 40)
    assert len(machine(epochs=2).fit(*many).history_) == 2
    assert machine(epochs=2).fit(*many).history_[0].eval_accuracy is None


@pytest.mark.parametrize(
    ("parameters", "n_samples", "stops"),
    [
        ({"epochs": "auto", "early_stopping": "auto"}, 10_001, True),
        ({"epochs": "auto", "early_stopping": "auto"}, 10_000, False),
        ({"epochs": 60, "early_stopping": "auto"}, 10_001, False),
        ({"epochs": "auto", "early_stopping": False}, 10_001, False),
        ({"early_stopping": True}, 3, True),
    ],
)
@pytest.mark.parametrize("kind", [adtm.ADTMClassifier, adtm.TMClassifier, adtm.ADTMRegressor])
def test_which_machines_stop_early(kind: type, parameters: dict[str, Any], n_samples: int, stops: bool) -> None:
    assert plan_of(kind(**parameters)).for_samples(n_samples).early_stopping == stops


def test_a_regressor_keeps_the_epoch_with_the_least_error() -> None:
    stopped = adtm.ADTMRegressor(n_clauses=40, epochs=30, early_stopping=True, n_iter_no_change=3).fit(X, X[:, 0])
    errors = [record.eval_error for record in stopped.history_]
    assert stopped.n_epochs_ == errors.index(min(errors)) + 1
    assert len(errors) == min(30, stopped.n_epochs_ + 3)


def test_a_machine_that_stopped_early_is_saved_loaded_and_goes_on(tmp_path: Any) -> None:
    stopped = machine(epochs=12, early_stopping=True, n_iter_no_change=2).fit(X, Y)
    stopped.save(tmp_path / "stopped.safetensors")
    loaded = adtm.load(tmp_path / "stopped.safetensors")
    assert (loaded.n_epochs_, loaded.history_, loaded.n_iter_no_change) == (stopped.n_epochs_, stopped.history_, 2)
    assert_same(loaded.partial_fit(X, Y), stopped.partial_fit(X, Y))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("early_stopping", 1, "early_stopping must be one of 'auto', True, False, got 1"),
        ("validation_fraction", 0, "validation_fraction must be a number between 0 and 1, got 0"),
        ("validation_fraction", 1.0, "validation_fraction must be a number between 0 and 1, got 1.0"),
        ("n_iter_no_change", 0, "n_iter_no_change must be a whole number in 1..2147483647, got 0"),
        ("epochs", "all", "epochs must be 'auto' or a whole number in 1..2147483647, got 'all'"),
    ],
)
def test_a_bad_parameter_is_named(name: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        machine(**{name: value}).fit(X, Y)


def test_patience_counts_from_the_best() -> None:
    patience = Patience(2)
    assert [patience.improved(score) for score in (0.0, 0.4, 0.4, 0.5, 0.1, 0.5)] == [
        True,
        True,
        False,
        True,
        *[False] * 2,
    ]
    assert (patience.best, patience.over) == (0.5, True)


# ---- which rows ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fraction", [0.01, 0.1, 0.5, 0.9])
def test_every_class_and_every_stretch_of_rows_gives_its_share(fraction: float) -> None:
    y = np.tile(np.arange(10), 1000)  # rows with a period of 10, of which a choice of every tenth would see one
    out = held_out(y, fraction)
    assert abs(out.mean() - fraction) < 0.002
    assert np.abs(np.bincount(y[out], minlength=10) / 1000 - fraction).max() < 0.01
    assert np.abs(out.reshape(10, 1000).mean(axis=1) - fraction).max() < 0.05


@pytest.mark.parametrize("n", [2, 3, 5, 20])
def test_there_is_always_a_row_on_each_side(n: int) -> None:
    for fraction in (1e-6, 0.1, 0.5, 0.999):
        assert 0 < held_out(np.arange(n) % 2, fraction).sum() < n


def test_rows_of_rows_can_be_held_out() -> None:
    features = adtm.Booleanizer().fit(X).literals(X)
    learn, held = Samples(features, Y, rows=np.arange(100)).split(0.2)
    assert sorted([*learn.rows, *held.rows]) == list(range(100))
    assert (len(learn), len(held)) == (len(learn.rows), len(held.rows))


def test_a_better_epoch_starts_the_wait_anew() -> None:
    patience = Patience(2)
    assert [patience.improved(score) for score in (0.5, 0.4, 0.6, 0.5)] == [True, False, True, False]
    assert not patience.over


def test_the_rows_that_are_held_out_are_what_they_always_were() -> None:
    assert np.flatnonzero(held_out(np.arange(20) % 2, 0.25)).tolist() == [2, 9, 12, 15, 18]


@pytest.mark.parametrize(("rows", "epochs"), [(100, 60), (50_000, 60), (70_000, 42), (100_000, 30), (10**6, 10)])
def test_epochs_that_nobody_named_go_with_the_rows(rows: int, epochs: int) -> None:
    assert plan_of(ADTMClassifier()).for_samples(rows).epochs == epochs


@pytest.mark.parametrize(
    ("X", "y", "weights"), [([[1, 0]], [3.0], None), ([[1, 0]] * 3, [1.0, 2.0, 3.0], [0, 1, 0])], ids=["row", "weight"]
)
def test_where_no_row_can_be_held_out_early_stopping_is_refused(X: Any, y: Any, weights: Any) -> None:
    machine = ADTMRegressor(booleanizer=None, early_stopping=True, n_clauses=10, epochs=2)
    with pytest.raises(
        ValueError, match="early_stopping must be False where there is one sample: none can be held out"
    ):
        machine.fit(X, y, weights)
    assert not hasattr(machine, "model_")


@pytest.mark.parametrize("n", [2, 60, 12_000])
def test_rows_that_are_all_equal_stop_early(n: int) -> None:
    early = True if n < 12_000 else "auto"
    machine = ADTMRegressor(booleanizer=None, n_clauses=10, choose=False, early_stopping=early)
    machine.fit([[1, 0]] * n, [3.0] * n)
    assert machine.history_[-1].eval_error == 0.0
    assert machine.predict([[1, 0]]).tolist() == [3.0]
