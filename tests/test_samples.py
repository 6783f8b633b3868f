"""Weights: how often a sample is shown. Held-out rows: test_stopping."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.metrics import log_loss

import adtm
from adtm import ADTMClassifier, AdviceWarning, Booleanizer, Literals, Pieces, TMClassifier
from adtm.learning.estimator import read_data
from adtm.learning.samples import Samples, at_least_once, contents, times_shown
from adtm.tables.table import Frame
from adtm.tuning import _Race
from pinned import named

RNG = np.random.default_rng(5)
X = RNG.integers(0, 5, (80, 3))
TWO, THREE = (X[:, 0] > X[:, 1]).astype(int), X[:, 0] % 3
WHOLE = RNG.integers(1, 4, 80)
KINDS = [ADTMClassifier, TMClassifier]


def machine(kind: type = ADTMClassifier, **parameters: Any) -> Any:
    return named(kind, **{"n_clauses": 20, "T": 4, "epochs": 4, "random_state": 1, **parameters})


def assert_same(a: Any, b: Any) -> None:
    np.testing.assert_array_equal(a.states_, b.states_)
    assert (a.ledger_, a.model_.samples) == (b.ledger_, b.model_.samples)
    np.testing.assert_array_equal(a.class_counts_, b.class_counts_)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("shuffle", [True, False, "weyl", "sorted"])
def test_a_whole_weight_is_as_many_rows(kind: type, y: np.ndarray, shuffle: Any) -> None:
    weighted = machine(kind, shuffle=shuffle).fit(X, y, WHOLE)
    repeated = machine(kind, shuffle=shuffle).fit(X.repeat(WHOLE, axis=0), y.repeat(WHOLE))
    assert_same(weighted, repeated)
    accuracies = [[r.train_accuracy for r in fitted.history_] for fitted in (weighted, repeated)]
    assert accuracies[0] == pytest.approx(accuracies[1])


def record_batch(X: np.ndarray) -> Any:
    arrow = pytest.importorskip("pyarrow", reason="needs pyarrow: pip install pyarrow")
    return arrow.RecordBatch.from_arrays([arrow.array(column) for column in X.T], names=list("abc"))


@pytest.mark.parametrize(
    "form",
    [
        np.asarray,
        pd.DataFrame,
        np.ndarray.tolist,
        lambda X: Frame.of(pd.DataFrame(X, columns=list("abc"))),
        memoryview,
        record_batch,
    ],
    ids=["array", "pandas", "list", "frame", "memory", "record batch"],
)
def test_a_weight_of_zero_is_no_row(form: Any) -> None:
    weights = np.where(np.arange(80) % 3 == 0, 0.0, 1.0)
    kept = weights > 0
    fitted = machine().fit(form(X), TWO, weights)
    assert_same(fitted, machine().fit(form(X[kept]), TWO[kept]))
    assert_same(fitted, machine().fit(form(X), memoryview(TWO), weights))
    features = Booleanizer().fit(X).literals(X)
    assert_same(machine().fit(features, TWO, weights), machine().fit(features.take(kept), TWO[kept]))


@pytest.mark.parametrize("form", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
@pytest.mark.parametrize("kind", ["matrix", "array"])
def test_a_weight_of_zero_is_no_row_of_a_sparse_matrix_of_any_kind(form: str, kind: str) -> None:
    weights = np.where(np.arange(80) % 3 == 0, 0.0, 1.0)
    several, make = np.column_stack([TWO, THREE == 1]).astype(int), getattr(sparse, f"{form}_{kind}")
    expected = machine().fit(X, several, weights)
    assert_same(machine().fit(make(X), make(several), weights), expected)
    assert_same(machine().fit(Pieces([(make(X), several, weights)])), expected)


def test_a_weight_of_zero_is_no_row_of_pyarrow_or_of_what_is_only_like_an_array() -> None:
    class Like:  # as scikit-learn's own checks have one
        def __init__(self, values: np.ndarray) -> None:
            self.values = values

        def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
            return self.values

    weights, strange = np.where(np.arange(80) == 0, 0.0, 1.0), np.where(np.arange(80) == 0, 7, TWO)
    forms: list[Any] = [np.asarray, Like]
    if arrow := pytest.importorskip("pyarrow", reason="needs pyarrow: pip install pyarrow"):
        forms += [arrow.array, lambda y: arrow.chunked_array([y])]
        table = arrow.table({f"x{j}": X[:, j] for j in range(3)})
        assert_same(machine().fit(table, TWO, weights), machine().fit(X, TWO, weights))
        assert machine().fit(table, np.where(TWO, "b", "a").tolist()).classes_.tolist() == ["a", "b"]
    for form in forms:
        assert machine().fit(X, form(strange), weights).classes_.tolist() == [0, 1]
        assert machine(adtm.ADTMRegressor).fit(X, form(strange * 1.0), weights).y_range_ == (0.0, 1.0)


@pytest.mark.parametrize("y", [5, iter([0, 1]), {0: 1}.values()])
def test_a_y_that_is_none_is_refused_with_weights_of_zero_as_without(y: Any) -> None:
    for weights in (None, np.arange(80) % 2):
        with pytest.raises(ValueError, match="y should be a 1d array"):
            machine().fit(X, y, weights)


def test_pieces_without_y_may_have_weights_of_zero() -> None:
    weights = np.arange(80) % 2
    assert Booleanizer().fit(Pieces([(X, None, weights)])).columns_ == Booleanizer().fit(X[1::2]).columns_


@pytest.mark.parametrize(("weight", "n_samples"), [(2.0, 160), (1.5, 80)])
def test_only_weights_that_are_all_whole_are_numbers_of_samples(weight: float, n_samples: int) -> None:
    weights = np.where(np.arange(80) % 2, weight, 2.0)
    assert read_data(machine(shuffle="sorted"), X, TWO, weights)[2].n_samples == n_samples


def test_weights_of_one_change_nothing() -> None:
    assert_same(machine().fit(X, THREE, np.ones(80)), machine().fit(X, THREE))


def test_partial_fit_spreads_weights_over_the_machines_life() -> None:
    rng = np.random.default_rng(6)
    weights = rng.random(80) * 2 + 0.1
    bit_by_bit = machine()
    for _ in range(4):
        bit_by_bit.partial_fit(X, THREE, classes=[0, 1, 2], sample_weight=weights)
    assert_same(bit_by_bit, machine().fit(X, THREE, sample_weight=weights))


def test_fractions_are_spread_evenly_over_epochs_and_rows() -> None:
    weights = np.full(1000, 0.3)
    shown = np.array([times_shown(weights, epoch) for epoch in range(100)])
    assert shown.max() == 1
    np.testing.assert_array_equal(shown.sum(axis=0), 30)
    assert np.ptp(shown.sum(axis=1)) < 10  # and no epoch is longer than another
    for window in range(0, 90, 10):
        assert set(shown[window : window + 10].sum(axis=0)) == {3}


def test_weights_that_add_up_to_one_still_show_an_epoch() -> None:
    weights = at_least_once(np.full(80, 1 / 80))
    features = Literals.from_boolean(np.eye(80))
    assert Samples(features, TWO, weights=weights).shown(3).tolist() == list(range(80))
    assert_same(machine().fit(X, TWO, np.full(80, 1 / 80)), machine().fit(X, TWO))


@pytest.mark.parametrize("tiny", [5e-324, 1e-320, 1e-280])
def test_the_smallest_weights_are_raised_to_a_mean_of_one_too(tiny: float) -> None:
    np.testing.assert_allclose(at_least_once(np.full(20, tiny)), 1)
    np.testing.assert_allclose(at_least_once(np.array([tiny, 3 * tiny])), [0.5, 1.5])
    assert machine().fit(X, TWO, np.full(80, tiny)).n_epochs_ == 4


def test_heavier_samples_win() -> None:
    column = np.zeros((100, 1))
    column[50:] = 1
    y = np.arange(100) % 2  # nothing to learn, but for the weights
    for favoured in (0, 1):
        fitted = machine(epochs=20).fit(column, y, np.where(y == favoured, 5.0, 1.0))
        assert (fitted.predict(column) == favoured).all()


@pytest.mark.parametrize("weight", [0.88, 0.31, 0.1, 1e-320])
def test_equal_weights_below_one_are_as_none(weight: float) -> None:
    assert_same(machine().fit(X, TWO, np.full(80, weight)), machine().fit(X, TWO))


def test_balanced_classes_are_shown_equally_often() -> None:
    rng = np.random.default_rng(7)
    y = (np.arange(200) < 20).astype(int)
    table = rng.integers(0, 3, (200, 2))
    fitted = machine(epochs=10, class_weight="balanced").fit(table, y)
    counts = fitted.class_counts_.astype(int)
    assert abs(counts[0] - counts[1]) <= 20
    assert abs(counts.sum() - 2000) <= 40
    by_hand = machine(epochs=10, class_weight={0: 200 / 360, 1: 200 / 40}).fit(table, y)
    assert_same(by_hand, fitted)
    assert_same(machine(epochs=10).fit(table, y, np.where(y == 1, 5.0, 200 / 360)), fitted)


def test_classes_that_have_no_row_do_not_count_when_they_are_balanced() -> None:
    y = np.arange(80) % 2
    fitted = machine(class_weight="balanced").partial_fit(X, y, classes=[0, 1, 2], sample_weight=np.full(80, 3.0))
    assert fitted.class_counts_.tolist() == [120, 120, 0]


@pytest.mark.parametrize("shuffle", [True, False, "weyl", "sorted"])
def test_a_class_of_weight_zero_is_known_and_none_of_its_rows_is_learned(shuffle: Any) -> None:
    bits, classes = X > 2, [0, 1, 2]
    without = machine(shuffle=shuffle).partial_fit(bits, THREE, classes=classes, sample_weight=THREE != 2)
    for _ in range(2):
        fitted = machine(shuffle=shuffle, class_weight={2: 0}).partial_fit(bits, THREE, classes=classes)
        assert_same(fitted, without)
        fitted.partial_fit(bits, THREE)
    assert machine(class_weight={2: 0}).fit(X, THREE).classes_.tolist() == classes


def test_rows_held_out_whose_weights_show_none_of_them_judge_the_machine_all_the_same() -> None:
    samples = Samples(Literals.from_boolean(np.eye(3)), np.zeros(3, int), np.array([2, 0]), np.array([0.1, 1.0, 0.2]))
    assert samples.shown(0).tolist() == []  # type: ignore[union-attr]
    assert samples.judging().tolist() == [2, 0]  # type: ignore[union-attr]
    weights = np.where(np.arange(80) % 10 == 0, 30.0, 1e-3)
    for kind, y in ((ADTMClassifier, TWO), (adtm.ADTMRegressor, X[:, 0] * 1.5)):
        fitted = machine(kind, early_stopping=True).fit(X, y, weights)
        assert all(r.eval_accuracy is not None or r.eval_error is not None for r in fitted.history_)


def test_weights_of_classes_and_samples_are_multiplied() -> None:
    both = machine(class_weight={1: 2}).fit(X, TWO, WHOLE)
    assert_same(both, machine().fit(X, TWO, WHOLE * np.where(TWO == 1, 2, 1)))


@pytest.mark.parametrize("kind", KINDS)
def test_adaboost_is_better_than_one_of_its_machines(kind: type) -> None:
    rng = np.random.default_rng(8)
    table = rng.integers(0, 8, (400, 5))
    y = (table.sum(axis=1) > 18).astype(int)
    alone = machine(kind, n_clauses=4, T=2, epochs=5)
    boosted = AdaBoostClassifier(alone, n_estimators=10, random_state=0).fit(table, y)
    assert len(boosted.estimators_) > 3
    assert boosted.score(table, y) > alone.fit(table, y).score(table, y)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(79), "sample_weight must have one weight for each of 80 samples"),
        (np.ones(80) + 0j, "sample_weight must hold numbers, got"),
        (np.ma.masked_greater(np.arange(80.0), 40), "sample_weight must hold numbers, got"),
        (np.full(80, -1.0), "sample_weight must hold finite numbers >= 0, got -1.0"),
        (np.full(80, np.nan), "sample_weight must hold finite numbers >= 0, got nan"),
        (np.zeros(80), "must hold at least one weight above 0|[Ss]ample weights must contain at least one"),
        ("heavy", "sample_weight|could not convert"),
        (np.full(80, 3.4e6), r"must add up to at most 268435456, .* got 2.72e\+08. Where only their proportions count"),
        (np.full(80, 1e308), "must add up to at most 268435456, the rows that an epoch can show, got inf"),
    ],
)
def test_bad_weights_are_refused_and_change_nothing(weights: Any, message: str) -> None:
    fitted = machine().fit(X, TWO)
    before = fitted.states_
    for learn in (fitted.fit, fitted.partial_fit):
        with pytest.raises(ValueError, match=message):
            learn(X, TWO, sample_weight=weights)
    np.testing.assert_array_equal(fitted.states_, before)


def test_weights_that_count_something_else_than_repetitions_are_advised_against() -> None:
    with pytest.warns(AdviceWarning, match="the weights of the samples have a mean of 25, .*divide them by their mean"):
        machine(epochs=1).fit(X, TWO, sample_weight=np.full(80, 25.0))
    machine(epochs=1).fit(X, TWO, sample_weight=np.full(80, 20.0))  # warnings are errors here
    machine(epochs=1).fit(X, TWO, sample_weight=[300.0, *[1.0] * 79])  # the mean counts


def test_an_epoch_shows_at_most_268435456_rows() -> None:
    with pytest.warns(AdviceWarning, match="mean of"):
        assert at_least_once(np.array([2.0**28])) == [2.0**28]
    with pytest.raises(ValueError, match=r"must add up to at most 268435456, .*, got 2\.68435e\+08"):
        at_least_once(np.array([2.0**28, 1.0]))


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ("balanced twice", "class_weight must be a dict, 'balanced' or None, got 'balanced twice'"),
        ([1, 2], r"class_weight must be a dict, 'balanced' or None, got \[1, 2\]"),
        ({0: -1}, "class_weight of 0 must be a finite number >= 0, got -1"),
        ({7: 1, 0: 2}, r"class_weight must name known classes \[0, 1\], got \[7\]"),
        ({"1": 1}, r"class_weight must name known classes \[0, 1\], got \['1'\]"),
        ({np.datetime64("2020-01-01"): 1}, r"class_weight must name known classes \[0, 1\], got \[datetime.date"),
        ({0: 1, "a": 1}, "class_weight must hold labels of one type and none missing, got int and str"),
        ({0: 0, 1: 0}, "class_weight must leave at least one sample a weight above 0, got 0 for all classes"),
    ],
)
def test_bad_class_weights_are_refused(weight: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        machine(class_weight=weight).fit(X, TWO)


@pytest.mark.parametrize("weight", [None, "balanced", {"no": 2.5}, {"no": 0, "yes": 3}])
def test_class_weights_are_kept_in_the_model_file(weight: Any, tmp_path: Any) -> None:
    y = np.array(["no", "yes"])[TWO]
    fitted = machine(class_weight=weight).fit(X, y)
    fitted.save(tmp_path / "weighted.safetensors")
    loaded = adtm.load(tmp_path / "weighted.safetensors")
    assert loaded.class_weight == weight
    assert_same(loaded.partial_fit(X, y), fitted.partial_fit(X, y))


# ---- sorted rows -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("parameters", [{}, {"early_stopping": True, "validation_fraction": 0.3}])
def test_the_order_of_the_rows_does_not_matter_when_they_are_sorted(kind: type, y: np.ndarray, parameters: Any) -> None:
    rng = np.random.default_rng(9)
    mixed = rng.permutation(80)
    weights = rng.random(80) + 0.5
    fitted = machine(kind, shuffle="sorted", **parameters).fit(X, y, weights)
    again = machine(kind, shuffle="sorted", **parameters).fit(X[mixed], y[mixed], weights[mixed])
    np.testing.assert_array_equal(again.decision_function(X), fitted.decision_function(X))
    given = machine(kind, shuffle="weyl", **parameters)
    before = given.fit(X, y).states_
    assert not np.array_equal(given.fit(X[mixed], y[mixed]).states_, before)


def test_sorted_rows_have_equal_samples_side_by_side() -> None:
    twice = np.concatenate([X, X[::-1]])
    y = np.concatenate([TWO, TWO[::-1]])
    samples = Samples(Booleanizer().fit(X).literals(twice), y).sorted()
    said = [(*twice[row], y[row]) for row in samples.rows]
    starts = [one for one, before in zip(said, [None, *said], strict=False) if one != before]
    assert len(starts) == len(set(said)) == samples.places[-1] + 1


@pytest.mark.parametrize("class_weight", [None, {1: 2.0}, {0: 3.0, 1: 0.0}], ids=["none", "twice", "one alone"])
@pytest.mark.parametrize("part", [0, 1])
def test_of_a_row_with_a_whole_weight_as_many_are_held_out_as_of_so_many_rows(class_weight: Any, part: int) -> None:
    search = _Race(machine(shuffle="sorted", class_weight=class_weight), 0.3, X, TWO, WHOLE)
    repeated = _Race(
        machine(shuffle="sorted", class_weight=class_weight), 0.3, X.repeat(WHOLE, 0), TWO.repeat(WHOLE), None
    )

    def said(samples: Samples) -> list[tuple[Any, ...]]:
        """What is shown in an epoch, in order."""
        rows = samples.shown(1)
        rows = samples.where if rows is None else rows
        return [
            (*words, target)
            for words, target in zip(samples.literals.words[rows].tolist(), samples.targets[rows], strict=True)
        ]

    parts = [read_data(race._estimator, *race._data)[2].split(0.3, part) for race in (search, repeated)]
    for ours, theirs in zip(*parts, strict=True):
        assert said(ours) == said(theirs)
    counted = [sum(len(said(side)) for side in sides) for sides in parts]
    assert counted[0] == counted[1] > 0
    again = [side.split(0.5)[1] for side in (parts[0][0], parts[1][0])]  # a part of a part
    assert said(again[0]) == said(again[1])
    assert said(parts[0][0].copied()) == said(parts[0][0])


@pytest.mark.parametrize("kind", [ADTMClassifier, adtm.ADTMRegressor])
def test_a_whole_weight_is_as_many_rows_where_these_are_many(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where rows are many, fewer are looked at, early stopping begins, and epochs are fewer."""
    monkeypatch.setattr("adtm.learning.plan.ROWS_FOR_EARLY_STOPPING", 100)
    monkeypatch.setattr("adtm.learning.plan.SHOWN", 2000)
    monkeypatch.setattr("adtm.learning.calibrating.MOST_ROWS", 60)
    monkeypatch.setattr("adtm.learning.choosing.MOST_ROWS", {"class": 90, "value": 90})
    flips = np.random.default_rng(5).random(80) < 0.2
    y, bits = TWO + flips if kind is ADTMClassifier else X.sum(axis=1), Booleanizer(max_bits=None)
    rows = np.repeat(np.arange(80), WHOLE)
    for parameters in ({"epochs": 2}, {"early_stopping": False}, {}, {"n_clauses": "auto", "T": "auto"}):
        one = kind(**{"n_clauses": 10, "T": 4, "booleanizer": bits, **parameters})
        weighted, repeated = clone(one).fit(X, y, WHOLE), clone(one).fit(X[rows], y[rows])
        np.testing.assert_array_equal(weighted.states_, repeated.states_)
        assert weighted.n_epochs_ == repeated.n_epochs_
        assert weighted.chosen_ == repeated.chosen_
        if kind is ADTMClassifier:
            assert weighted.temperature_ == repeated.temperature_
        else:
            np.testing.assert_array_equal(weighted.predict_interval(X, 0.8), repeated.predict_interval(X, 0.8))


def test_tables_with_few_different_rows_are_judged_as_new_rows_are() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (12_000, 4)).astype(bool)
    y = np.where(X[:, 0] ^ X[:, 1], 0.8, 0.2) > rng.random(12_000)
    found = adtm.ADTMClassifier(booleanizer=None, choose=False).fit(X, y)
    assert found.history_[-1].eval_accuracy == pytest.approx(0.8, abs=0.03)
    assert found.held_out_score_ == pytest.approx(0.8, abs=0.03)
    assert found.score(X, y) == pytest.approx(0.8, abs=0.01)
    assert log_loss(y, found.predict_proba(X)) < 0.57  # 0.5 at best, and 0.69 of equal chances
    search = adtm.tune(
        X[:2000], y[:2000], space={"s": [10]}, epochs=4, estimator=machine(booleanizer=None), refit=False
    )
    assert search.best_score_ == pytest.approx(0.8, abs=0.05)


def test_with_sorted_rows_their_order_never_matters_whatever_their_weights() -> None:
    rng = np.random.default_rng(8)
    for weights in (rng.random(80) / 3, np.full(80, 0.1), 10.0 ** rng.integers(-12, 1, 80)):
        for class_weight in (None, "balanced"):
            one = machine(shuffle="sorted", class_weight=class_weight)
            first = clone(one).fit(X, THREE, weights)
            for _ in range(4):
                order = rng.permutation(80)
                assert_same(clone(one).fit(X[order], THREE[order], weights[order]), first)


def test_half_a_weight_is_shown_in_every_second_epoch_of_fit() -> None:
    weights = np.array([1.5, 1.0, 1.0, 1.0])
    shown = [int(times_shown(weights, epoch).sum()) for epoch in range(2)]
    assert sorted(shown) == [4, 5]
    for looks in (True, False):
        learned = [
            machine(epochs=epochs).fit(X[:4], [0, 1, 0, 1], weights, train_accuracy=looks).model_.samples
            for epochs in (1, 2, 3, 4)
        ]
        assert learned == [sum((shown * 2)[:epochs]) for epochs in (1, 2, 3, 4)]
    counts = [machine(epochs=epochs).fit(X[:4], [0, 1, 0, 1], weights).model_.samples for epochs in (1, 2)]
    assert counts == [shown[0], 9]


def test_rows_whose_sums_meet_are_sorted_by_what_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.arange(66.0).repeat(2)[:, None]  # of 65 bits, two of which change their sum by the same: docs/spec.md
    literals, order = Booleanizer(max_bits=None).fit(X).literals(X), np.random.default_rng(0).permutation(132)
    assert len(np.unique(contents(literals))) < 66 == len(np.unique(literals.words, axis=0))
    for y in (np.arange(132) * 7 % 10 > 4, np.zeros(132, int)):
        samples, weights = Samples(literals, y), np.arange(132) % 4 + 1.0
        mixed = Samples(literals.take(order), y[order], weights=weights[order]).sorted()
        for at_once in (1 << 20, 8):
            monkeypatch.setattr("adtm.learning.samples._COMPARED", at_once)
            alone = replace(samples, weights=weights).sorted()
            np.testing.assert_array_equal(order[mixed.rows], alone.rows)
            np.testing.assert_array_equal(mixed.places, alone.places)
            assert alone.places[-1] == len({(*row, target) for row, target in zip(X.tolist(), y, strict=True)}) - 1
        told = zip(contents(literals).tolist(), literals.words.tolist(), y.tolist(), weights.tolist(), strict=True)
        assert alone.rows.tolist() == [row for _, row in sorted((each, row) for row, each in enumerate(told))]


def test_zeros_of_both_signs_are_one_value() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (120, 2)), np.where(rng.random(120) < 0.2, 1.0, np.where(np.arange(120) % 2, 0.0, -0.0))
    one = machine(adtm.ADTMRegressor, early_stopping=True, shuffle="sorted")
    fitted = clone(one).fit(X, y)
    for order in (rng.permutation(120) for _ in range(4)):
        np.testing.assert_array_equal(clone(one).fit(X[order], y[order]).states_, fitted.states_)
    assert not math.copysign(1, fitted.y_range_[0]) < 0
    for order in (np.argsort(np.signbit(y)), np.argsort(~np.signbit(y))):
        for labels in (y[order], y[order].astype(object), y[order].astype(np.float32)):
            assert math.copysign(1, machine().fit(X[order], labels).classes_[0]) == 1
    assert math.copysign(1, machine().partial_fit(X, y, classes=[-0.0, 1.0]).classes_[0]) == 1
