"""Adaptive thresholds: the searches by hand, the machine's wishes against votes counted anew, one result everywhere."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

import adtm
from adtm import AdaptiveBooleanizer, ADTMClassifier, ADTMRegressor, AdviceWarning, Booleanizer, Pieces
from adtm.learning import thresholds
from adtm.learning.thresholds import Line, search, wishes
from adtm.machine.backends.reference.outputs import learning_outputs
from adtm.machine.schedule import Schedule
from adtm.paper.plan import Plan
from adtm.paper.reading.groups import Runs
from adtm.paper.running.runner import run
from adtm.paper.studies import thresholds as reading
from adtm.paper.studies import thresholds as study
from adtm.tables.literals import Literals
from made_records import made_record

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3)).round(1)
Y = (X[:, 0] > 0.7).astype(int) + (X[:, 1] > 1)


def line(n: int = 33, at: int = 16) -> Line:
    return Line.of(0, np.arange(n, dtype=float), [float(at)])


def wish_below(n: int, goal: int) -> np.ndarray:
    """Rows up to the goal want their bit true, all others false."""
    return np.where(np.arange(n) <= goal, 5, -5)


def test_a_search_steps_towards_its_goal_and_halves_its_step_when_it_stays_or_turns_around() -> None:
    one = line()
    seen = []
    for _ in range(7):
        one.move(0, wish_below(33, 23), None)
        seen.append((int(one.at[0]), int(one.steps[0])))
    assert seen == [(20, 4), (24, 4), (24, 2), (24, 1), (23, 1), (23, 1), (23, 1)]
    assert one.thresholds == (23.0,)


def test_of_equal_gains_the_search_goes_down() -> None:
    wanted = np.zeros(33, int)
    wanted[16], wanted[17] = -5, 5
    one = line()
    one.move(0, wanted, None)
    assert one.at.tolist() == [12]


def test_a_search_never_reaches_the_largest_value() -> None:
    one = line(9, 7)
    one.move(0, np.full(9, 5), None)
    assert one.at.tolist() == [7]


def test_a_drawn_search_goes_up_as_often_as_its_gain_is_a_share_of_both() -> None:
    # Up gains 5 of 20: a quarter of all words.
    wanted = np.zeros(33, int)
    wanted[17], wanted[16] = 5, -15
    for word, at in ((0, 20), (2**30 - 1, 20), (2**30, 12), (2**32 - 1, 12)):
        one = line()
        one.move(0, wanted, word)
        assert one.at.tolist() == [at]


def test_missing_values_wish_nothing() -> None:
    one = Line.of(0, np.array([1.0, np.nan, 2.0, 3.0]), [1.0])
    assert one.bits.tolist() == [[True], [False], [False], [False]]
    one.move(0, np.array([0, 100, 1, 0]), None)
    assert one.thresholds == (2.0,)
    one.move(0, np.array([0, 100, 0, 0]), None)
    assert one.thresholds == (2.0,)


@pytest.mark.parametrize("params", [{}, {"tolerance": 0, "s": 2}, {"shared": True}, {"weights": "integer"}])
def test_a_wish_is_what_the_votes_gain_when_the_bit_is_turned(params: dict) -> None:
    bits = X[:40, :] > 0.2
    machine = ADTMClassifier(n_clauses=10, epochs=3, **params).fit(Literals.from_boolean(bits), Y[:40])
    model, expected = machine.model_, np.zeros(bits.shape, int)
    settings = model.settings
    streams, _ = model.head.streams(Y[:40], Schedule(False, "rotate"), seed=0, epoch=0, first=0)

    def vote(bank: int, output: int, features: np.ndarray) -> int:
        include = model.memory.states[bank] >= settings.n_states
        out = learning_outputs(include, np.concatenate([features, ~features]), settings.most_votes)
        return int(model.memory.weights[bank, output] @ out)

    for bank, (first, end) in enumerate(zip(streams.offsets[:-1].tolist(), streams.offsets[1:].tolist(), strict=True)):
        for step in range(first, end):
            row, output, up = (int(array[step]) for array in (streams.rows, streams.outputs, streams.targets))
            clipped = min(max(vote(bank, output, bits[row]), -settings.T), settings.T)
            towards = settings.T - clipped if up else -(settings.T + clipped)
            for k in range(bits.shape[1]):
                true, false = (np.where(np.arange(3) == k, value, bits[row]) for value in (True, False))
                expected[row, k] += towards * (vote(bank, output, true) - vote(bank, output, false))
    assert expected.any()
    np.testing.assert_array_equal(wishes(model, bits, Y[:40]), expected)


def test_reference_and_core_move_thresholds_to_the_same_places() -> None:
    found = []
    for backend in ("reference", "native"):
        lines = [Line.of(j, X[:60, j], (-0.5, 0.5)) for j in range(3)]
        for one in lines:
            one.at[:] = len(one.values) // 3, len(one.values) // 2
        search(ADTMClassifier(n_clauses=10, backend=backend), lines, X[:60, :1] > 3, Y[:60], rounds=4, seed=7)
        found.append([one.thresholds for one in lines])
    assert found[0] == found[1]


def test_every_second_search_has_its_turn_in_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    turns: list[tuple[int, int]] = []
    monkeypatch.setattr(Line, "move", lambda self, k, wishes, word: turns.append((self.column, k)))
    AdaptiveBooleanizer(rounds=3).fit(X[:, :2], Y)
    first, second = [(0, 0), (1, 0)], [(0, 1), (1, 1)]
    assert turns == [*first, *second, *first]


def test_every_round_has_draws_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    words: list[int] = []
    monkeypatch.setattr(Line, "move", lambda self, k, wishes, word: words.append(word))
    AdaptiveBooleanizer(rounds=3, seed=1).fit(X[:, :2], Y)
    assert len({*words}) == len(words) == 6


def test_thresholds_find_a_single_cut_with_and_without_draws() -> None:
    start = Booleanizer(max_bits=2).fit(X)
    for seed in (None, 1):
        moved = AdaptiveBooleanizer(seed=seed).fit(X, X[:, 0] > 0.7)
        assert 0.7 in moved.columns_[0].thresholds
        assert 0.7 not in start.columns_[0].thresholds
        assert moved.columns_ == AdaptiveBooleanizer(seed=seed).fit(X, X[:, 0] > 0.7).columns_
        assert all(len(column.thresholds) <= 2 for column in moved.columns_)


def test_categories_booleans_and_indicators_stay() -> None:
    table = np.empty((60, 3), object)
    table[:, 0] = [None if i % 7 == 0 else float(i) for i in range(60)]
    table[:, 1], table[:, 2] = ["a", "b", "c"] * 20, [True, False] * 30
    moved = AdaptiveBooleanizer(rounds=3).fit(table, np.arange(60) > 40)
    kinds = [(column.kind, column.categories, column.missing) for column in moved.columns_]
    assert kinds == [("numeric", (), True), ("category", ("a", "b", "c"), False), ("boolean", (), False)]
    assert AdaptiveBooleanizer().fit(table[:, 1:], np.arange(60) > 40).n_bits_ == 4


def test_a_machine_with_moved_thresholds_is_saved_and_loaded(tmp_path: Path) -> None:
    machine = ADTMClassifier(n_clauses=10, epochs=3, booleanizer=AdaptiveBooleanizer(rounds=3, seed=5)).fit(X, Y)
    assert machine.booleanizer_.columns_ == AdaptiveBooleanizer(rounds=3, seed=5).fit(X, Y).columns_
    machine.save(tmp_path / "m.safetensors")
    loaded = adtm.load(tmp_path / "m.safetensors")
    np.testing.assert_array_equal(loaded.predict(X), machine.predict(X))
    assert loaded.booleanizer.get_params() == {"max_bits": 2, "missing": "indicator", "rounds": 3, "seed": 5}
    assert json.loads(machine.rules().to_json())["columns"]


@pytest.mark.filterwarnings("error")
def test_labels_of_any_type_that_a_machine_takes_move_thresholds() -> None:
    expected = AdaptiveBooleanizer(rounds=2).fit(X, Y).columns_
    for labels in (Y.astype(object), Y.astype(str).astype(np.dtypes.StringDType())):
        assert AdaptiveBooleanizer(rounds=2).fit(X, labels).columns_ == expected
    AdaptiveBooleanizer(rounds=1).fit(X[:30], np.arange(30) // 2 + 10 * (np.arange(30) % 2))  # many classes of few rows


@pytest.mark.parametrize(
    ("parameters", "X", "y", "message"),
    [
        ({}, X, None, "y must hold a class for each row of a table where thresholds are moved, got None"),
        ({}, X, np.eye(120), "y must hold a class for each row .* got several labels"),
        ({}, sparse.csr_array(X), Y, "X must be a whole dense table where thresholds are moved, got a csr_array"),
        ({}, Pieces(lambda: [X]), Y, "X must be a whole dense table .* got a Pieces"),
        ({}, X, X[:, 0], "y must hold classes, got numbers with fractions such as .*: a regressor learns these$"),
        ({"rounds": 0}, X, Y, r"rounds must be a whole number in 1\.\.10000, got 0"),
        ({"rounds": 10_001}, X, Y, r"rounds must be a whole number in 1\.\.10000, got 10001"),
        ({"seed": -1}, X, Y, rf"seed must be a whole number in 0\.\.{2**64 - 1}, got -1"),
        ({"seed": 2**64}, X, Y, rf"seed must be a whole number in 0\.\.{2**64 - 1}, got {2**64}"),
        ({"max_bits": 0}, X, Y, "max_bits must be"),
    ],
)
def test_what_cannot_be_moved_is_refused(parameters: dict, X: object, y: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        AdaptiveBooleanizer(**parameters).fit(X, y)


def test_rows_held_out_are_judged_by_thresholds_that_they_did_not_teach(monkeypatch: pytest.MonkeyPatch) -> None:
    taught, usual = [], AdaptiveBooleanizer.fit
    monkeypatch.setattr(AdaptiveBooleanizer, "fit", lambda own, X, y: (taught.append(len(y)), usual(own, X, y))[1])
    parameters = {"n_clauses": 10, "epochs": 2, "booleanizer": AdaptiveBooleanizer(rounds=2)}
    machine = ADTMClassifier(**parameters).fit(X, Y)
    assert (taught, machine.booleanizer_.columns_) == ([120], usual(AdaptiveBooleanizer(rounds=2), X, Y).columns_)
    _ = machine.held_out_score_, str(machine.rules()), machine.predict_proba(X)
    assert taught[1:] == [96, 96]  # four fifths
    stopped = ADTMClassifier(**parameters, early_stopping=True, validation_fraction=0.25).fit(X, Y)
    _ = stopped.held_out_score_, stopped.predict_proba(X)
    assert taught[3:] == [120, 90]
    adtm.tune(X, Y, estimator=ADTMClassifier(**parameters), space={"s": [5, 10]}, epochs=1, refit=False)
    assert taught[5:] == [120, 96]
    ADTMClassifier(**parameters, choose=True, probability="shares").fit(X, Y)
    assert set(taught[7:]) == {120, 90}  # quarters in turn


@pytest.mark.parametrize("parameters", [{}, {"early_stopping": True}, {"choose": True}], ids=str)
def test_advice_about_the_table_is_given_once(parameters: dict) -> None:
    machine = ADTMClassifier(n_clauses=4, epochs=2, booleanizer=AdaptiveBooleanizer(rounds=1), **parameters)
    with pytest.warns(AdviceWarning, match="column 'x3' has one value in all rows") as told:
        _ = machine.fit(np.column_stack([X, np.ones(120)]), Y).held_out_score_
    assert len(told) == 1


@pytest.mark.parametrize("parameters", [{}, {"early_stopping": True}, {"choose": True}], ids=str)
def test_what_only_rows_held_out_have_needs_no_advice(parameters: dict) -> None:
    texts = ["rare", *["often", "usual", "other"] * 40][:120]
    table = pd.DataFrame(X, columns=list("abc")).assign(text=texts)
    table.loc[1, "a"] = np.nan
    machine = ADTMClassifier(n_clauses=4, epochs=2, booleanizer=AdaptiveBooleanizer(rounds=1), **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("error", AdviceWarning)
        fitted = machine.fit(table, Y)
        _ = fitted.held_out_score_, fitted.predict_proba(table), str(fitted.rules())


def test_thresholds_are_moved_beside_all_other_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    searches: list[Any] = []
    monkeypatch.setattr(thresholds, "search", lambda machine, lines, fixed, y, **_: searches.append((lines, fixed)))
    frame = pd.DataFrame({"town": ["a", "b", "c"] * 40, "number": X[:, 0], "truth": X[:, 1] > 0})
    fitted = AdaptiveBooleanizer(max_bits=2).fit(frame, Y)
    usual = Booleanizer(max_bits=2, missing="indicator").fit(frame)
    assert fitted.columns_ == usual.columns_  # whose thresholds nobody moved
    (([line], fixed),) = searches
    bits = [usual.transform(frame)[:, [(bit.kind == "<=") is moved for bit in usual.bits_]] for moved in (True, False)]
    np.testing.assert_array_equal(line.bits, bits[0])
    np.testing.assert_array_equal(fixed, bits[1])


def test_rows_that_teach_no_threshold_are_read_by_those_of_all() -> None:
    for row in range(10, 20):
        table = np.zeros((20, 1))
        table[row] = 1
        adaptive = AdaptiveBooleanizer(rounds=1)
        machine = ADTMClassifier(n_clauses=4, epochs=1, booleanizer=adaptive).fit(table, np.arange(20) % 2)
        assert machine.predict_proba(table).shape == (20, 2)
        assert machine.held_out_score_ is not None


def test_few_rules_are_judged_also_where_fewer_rows_teach_fewer_thresholds() -> None:
    table = np.random.default_rng(0).integers(0, 6, (60, 2)).astype(float)
    y = (table[:, 0] > 2) ^ (table[:, 1] > 3)
    adaptive = AdaptiveBooleanizer(max_bits=3, rounds=4)
    machine = ADTMClassifier(n_clauses=10, epochs=3, booleanizer=adaptive).fit(table, y)
    _, learn, _ = machine._lead()._apart
    assert (machine.booleanizer_.n_bits_, learn.columns.n_clause_features) == (3, 2)
    assert "on rows held out" in str(machine.rules())


@pytest.mark.parametrize("parameters", [{}, {"early_stopping": True}, {"choose": True}], ids=str)
def test_the_order_of_rows_does_not_matter_where_thresholds_of_two_classes_are_moved(parameters: dict) -> None:
    order = np.random.default_rng(1).permutation(120)
    kept = {"n_clauses": 10, "epochs": 3, "booleanizer": AdaptiveBooleanizer(rounds=3), **parameters}
    one = ADTMClassifier(**kept).fit(X, Y > 0)
    other = ADTMClassifier(**kept).fit(X[order], Y[order] > 0)
    np.testing.assert_array_equal(one.states_, other.states_)
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    assert one.held_out_score_ == other.held_out_score_
    assert str(one.rules()) == str(other.rules())


@pytest.mark.filterwarnings("error")
def test_what_fit_takes_elsewhere_moves_thresholds_too() -> None:
    expected = AdaptiveBooleanizer(rounds=2, seed=5).fit(X, Y).columns_
    assert AdaptiveBooleanizer(rounds=np.int64(2), seed=np.int64(5)).fit(X, Y).columns_ == expected
    with pytest.warns(DataConversionWarning):
        assert AdaptiveBooleanizer(rounds=2, seed=5).fit(X, Y[:, None]).columns_ == expected
    first = ADTMClassifier(n_clauses=4, booleanizer=AdaptiveBooleanizer(rounds=2))
    first.partial_fit(X, np.zeros(120, int), classes=[0, 1])  # a first piece of one class teaches no threshold
    assert first.booleanizer_.columns_ == Booleanizer(max_bits=2, missing="indicator").fit(X).columns_


def test_a_refused_call_leaves_the_thresholds_as_they_were() -> None:
    fitted = AdaptiveBooleanizer(rounds=2).fit(X, Y)
    before = fitted.columns_
    with pytest.raises(ValueError, match="same length, got 120 samples and 119 labels"):
        fitted.fit(X[:, :1], Y[1:])
    assert fitted.columns_ == before
    assert fitted.n_features_in_ == 3


def test_pixels_have_no_classes_to_move_thresholds_by() -> None:
    with pytest.raises(ValueError, match=r"needs no classes where pixels become Boolean, got AdaptiveBooleanizer\(\)"):
        ADTMClassifier(patch=2, booleanizer=AdaptiveBooleanizer()).fit(X, Y)


def test_a_table_of_pyarrow_moves_thresholds_as_an_array() -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs pyarrow: pip install pyarrow")
    table = arrow.table({f"x{j}": X[:, j] for j in range(3)})
    one, other = (AdaptiveBooleanizer(max_bits=3, rounds=2, seed=3).fit(each, Y) for each in (X, table))
    assert other.columns_ == one.columns_
    assert other.get_params() == {"max_bits": 3, "missing": "indicator", "rounds": 2, "seed": 3}


@pytest.mark.parametrize("y", [X[:, 0], np.arange(120)], ids=["fractions", "whole numbers"])
def test_a_machine_for_a_value_has_no_classes_to_move_thresholds_by(y: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"needs no classes where a value is learned, got AdaptiveBooleanizer\(\)"):
        ADTMRegressor(booleanizer=AdaptiveBooleanizer()).fit(X, y)


def test_the_study_compares_bits_conditions_and_accuracy(tmp_path: Path) -> None:
    tasks = study.tasks(Plan(repeats=1, epochs=2, datasets=("balance_scale",)))
    assert len(tasks) == len(study.METHODS)
    summary, by_table = reading.tables(Runs(run(tasks, tmp_path, jobs=1, progress=False)))
    assert [row[0] for row in summary.rows][:5] == list(reading.NAMES.values())
    bits = [int(str(row[2])) for row in summary.rows]
    assert (bits[0], bits[1], bits[4]) == (16, 8, 16)
    assert bits[2] <= 8
    assert [row[0] for row in by_table.rows] == ["balance_scale"]


def test_a_method_is_compared_with_the_one_beside_it_and_not_the_other_way_round() -> None:
    """With half of the bits two quantiles lose against today on two tables, and gain on one."""
    scores = {"heart": (0.8, 0.7), "bankruptcy": (0.9, 0.8), "balance_scale": (0.8, 0.85)}
    records = [
        made_record(test=[score + fold / 1000], task=study.task(name, method, fold, 1), bits=bits, conditions=bits / 4)
        for name, pair in scores.items()
        for method, score, bits in zip((study.TODAY, study.FEW), pair, (10, 5), strict=True)
        for fold in range(4)
    ]
    summary, by_table = reading.tables(Runs(records))
    (_, today), (_, few) = ((row[0], row[1:]) for row in summary.rows)
    assert today[:3] == ("3", "10", "2.5")
    assert few[:5] == ("3", "5", "1.2", "0.7848", reading.NAMES[study.TODAY])
    assert few[5].ours.mean == pytest.approx(-0.05)
    assert few[6] == "1 : 2"
    assert [row[1] for row in by_table.rows] == ["10 / 5 / –"] * 3
