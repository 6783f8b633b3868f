"""Silence: what a machine answers where its votes do not decide, and where it says how often that was."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adtm
from adtm import ADTMClassifier, TMClassifier
from adtm.export import c, verilog
from adtm.machine.model import EpochRecord
from adtm.paper.running.splits import literal_split
from pinned import named

RNG = np.random.default_rng(3)
X = RNG.integers(0, 3, (90, 4))
TWO = (X[:, 0] > 1) ^ (RNG.random(90) < 0.15).astype(int)  # the first class is the more frequent
THREE = X[:, 0] + (RNG.random(90) < 0.2) * (2 - X[:, 0])  # the last class is the most frequent


def quiet(machine: type = ADTMClassifier, **parameters: Any) -> Any:
    """A machine that leaves many rows to silence."""
    return named(machine, **{"n_clauses": 4, "T": 2, "epochs": 3, "random_state": 1, **parameters})


def silent_rows(machine: Any, X: Any) -> np.ndarray:
    votes = np.round(machine.decision_function(X))
    if votes.ndim == 1:
        return votes == 0
    return np.array([sorted(row)[-1] == sorted(row)[-2] for row in votes.tolist()])


def mirrored(y: np.ndarray) -> np.ndarray:
    """The same labels with the order of the classes turned round."""
    return y.max() - y


# ---- answers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("machine", [ADTMClassifier, TMClassifier])
def test_two_classes_answer_silence_with_the_more_frequent_class(machine: type) -> None:
    assert quiet(machine).silence == "frequent"
    for y in (TWO, mirrored(TWO)):
        fitted = quiet(machine).fit(X, y)
        silent = silent_rows(fitted, X)
        assert 5 < silent.sum() < 85
        assert set(fitted.predict(X)[silent]) == {np.bincount(y).argmax()}


def test_two_classes_of_equal_frequency_answer_silence_with_the_second() -> None:
    y = np.arange(90) % 2
    fitted = quiet().fit(X, y)
    assert set(fitted.predict(X)[silent_rows(fitted, X)]) == {1}


@pytest.mark.parametrize("machine", [ADTMClassifier, TMClassifier])
def test_several_classes_break_a_tie_by_frequency(machine: type) -> None:
    paper = quiet(machine, silence="paper").fit(X, THREE)
    fitted = quiet(machine).fit(X, THREE)
    assert np.bincount(THREE).argmax() == 2
    votes = paper.decision_function(X)
    np.testing.assert_array_equal(votes, np.round(votes))
    order = np.argsort(-np.bincount(THREE), kind="stable")
    for row, first, frequent in zip(votes, paper.predict(X), fitted.predict(X), strict=True):
        tied = np.flatnonzero(row == row.max())
        assert first == tied[0]
        assert frequent == next(label for label in order if label in tied)
    assert (paper.predict(X) != fitted.predict(X)).any()


def test_the_rule_changes_answers_and_no_model() -> None:
    for y in (TWO, THREE):
        frequent, paper = (quiet(silence=rule).fit(X, y) for rule in ("frequent", "paper"))
        np.testing.assert_array_equal(frequent.states_, paper.states_)
        silent, differ = silent_rows(paper, X), frequent.predict(X) != paper.predict(X)
        assert frequent.ledger_ == paper.ledger_
        assert differ.any()
        assert not (differ & ~silent).any()


def test_a_change_of_the_rule_counts_at_once_and_a_wrong_one_is_refused() -> None:
    machine, paper = quiet().fit(X, TWO), quiet(silence="paper").fit(X, TWO)
    for ask in ("predict", "decision_function", "predict_proba"):
        assert not np.array_equal(getattr(machine, ask)(X), getattr(paper.set_params(silence="paper"), ask)(X))
        np.testing.assert_array_equal(getattr(machine, ask)(X), getattr(paper.set_params(silence="frequent"), ask)(X))
    machine.set_params(silence="loud")
    for ask in ("predict", "decision_function", "predict_proba"):
        with pytest.raises(ValueError, match="silence must be one of 'frequent', 'paper', got 'loud'"):
            getattr(machine, ask)(X)


def test_a_changed_rule_is_the_one_that_is_saved(tmp_path: Path) -> None:
    machine = quiet().fit(X, TWO).set_params(silence="paper")
    machine.save(tmp_path / "machine")
    loaded = adtm.load(tmp_path / "machine")
    assert loaded.silence == "paper"
    np.testing.assert_array_equal(loaded.decision_function(X), machine.decision_function(X))
    for export in (c.inference, c.learner, verilog.learner):
        assert export(loaded) == export(machine)


@pytest.mark.parametrize("silence", ["frequent", "paper"])
@pytest.mark.parametrize("labels", [TWO, mirrored(TWO), THREE, mirrored(THREE)])
def test_votes_and_shares_agree_with_the_answers(labels: np.ndarray, silence: str) -> None:
    machine = quiet(silence=silence).fit(X, labels)
    decision, predicted = machine.decision_function(X), machine.predict(X)
    by_votes = decision > 0 if decision.ndim == 1 else decision.argmax(axis=1)
    np.testing.assert_array_equal(by_votes, predicted)
    np.testing.assert_array_equal(machine.predict_proba(X).argmax(axis=1), predicted)
    assert np.abs(decision - np.round(decision)).max() < 1e-15


# ---- counts ----------------------------------------------------------------------------------------------------------


def test_classes_are_counted_in_every_epoch_however_it_came_about() -> None:
    fitted = quiet().fit(X, THREE)
    assert fitted.class_counts_.tolist() == (3 * np.bincount(THREE)).tolist()
    assert fitted.class_counts_.sum() == fitted.model_.samples
    pieces = quiet()
    for _ in range(3):
        pieces.partial_fit(X, THREE, classes=[0, 1, 2])
    assert pieces.class_counts_.tolist() == fitted.class_counts_.tolist()
    assert fitted.fit(X, TWO).class_counts_.tolist() == (3 * np.bincount(TWO)).tolist()


def test_a_class_that_never_came_counts_0() -> None:
    machine = quiet().partial_fit(X[TWO == 1], TWO[TWO == 1], classes=[0, 1, 7])
    assert machine.class_counts_.tolist() == [0, (TWO == 1).sum(), 0]


def test_the_more_frequent_class_is_that_of_the_whole_life() -> None:
    # Nothing but silence: both classes look the same, so what is learned last does not matter.
    alike, machine = np.array([[0], [1]] * 4), quiet(d=math.inf, start="empty")
    machine.partial_fit(alike, np.zeros(8, int), classes=[0, 1])
    machine.partial_fit(alike[:4], np.ones(4, int))
    assert machine.class_counts_.tolist() == [8, 4]
    rule = machine.model_.head
    assert rule.answer(np.array([[0]], np.int32)).tolist() == [0]
    for _ in range(2):
        machine.partial_fit(alike[:4], np.ones(4, int))
    assert machine.class_counts_.tolist() == [8, 12]
    assert machine.model_.head.answer(np.array([[0]], np.int32)).tolist() == [1]
    assert rule.counts == (8, 4)  # an older model keeps its own


def test_a_refused_call_counts_nothing() -> None:
    machine = quiet().fit(X, TWO)
    before = machine.class_counts_.tolist()
    with pytest.raises(ValueError, match="y must hold only the known classes"):
        machine.partial_fit(X, TWO + 5)
    assert machine.class_counts_.tolist() == before


# ---- how often -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [TWO, THREE])
def test_history_has_the_share_of_silent_rows_of_the_votes_that_were_scored(labels: np.ndarray) -> None:
    shares: list[tuple[float, float]] = []

    def look(machine: Any, record: EpochRecord) -> None:
        shares.append((float(silent_rows(machine, X[:60]).mean()), float(silent_rows(machine, X[60:]).mean())))
        assert record.train_accuracy == machine.score(X[:60], labels[:60])
        assert record.eval_accuracy == machine.score(X[60:], labels[60:])

    machine = quiet(epochs=5).fit(X[:60], labels[:60], eval_set=(X[60:], labels[60:]), callback=look)
    assert [(record.train_silent, record.eval_silent) for record in machine.history_] == shares
    assert len({share for pair in shares for share in pair}) > 3


def test_what_was_not_scored_has_no_share() -> None:
    for record in quiet().fit(X, TWO, train_accuracy=False).history_:
        assert (record.train_silent, record.eval_silent) == (None, None)


def test_shares_in_pieces_are_the_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = quiet().fit(X, THREE).history_[-1]
    monkeypatch.setattr("adtm.machine.model.SAMPLES_AT_ONCE", 7)
    pieces = quiet().fit(X, THREE).history_[-1]
    assert (pieces.train_silent, pieces.train_accuracy) == (whole.train_silent, whole.train_accuracy)


def test_silence_costs_accuracy_under_the_paper_s_rule_where_the_first_class_is_the_more_frequent() -> None:
    rows, scores = [], []
    for seed in range(5):
        data = literal_split("breast_cancer", seed, largest=False)
        machine = named(d=math.inf, epochs=60, random_state=seed)
        machine.fit(data.train, data.y_train, eval_set=(data.test, data.y_test))
        rows.append(machine.history_[-1].eval_silent)
        scores.append(
            [machine.set_params(silence=rule).score(data.test, data.y_test) for rule in ("paper", "frequent")]
        )
        assert machine.history_[-1].eval_accuracy == scores[-1][1]
    paper, frequent = np.mean(scores, axis=0)
    assert np.mean(rows) > 0.3
    assert frequent > paper + 0.1
