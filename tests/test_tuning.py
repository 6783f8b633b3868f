"""Tuning: which candidates there are, who survives, and that a search can be stopped and gone on with."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import adtm
from adtm import ADTMClassifier, ADTMRegressor, Booleanizer, Literals, TMClassifier
from adtm.jsonlines import LinesError, LineWriter, read_lines
from adtm.learning.estimator import plan_of
from adtm.learning.parameters import space_of
from adtm.machine.ahead import side_by_side
from adtm.machine.model import Learning
from adtm.tuning import SPACE, VALUE_SPACE, Trial, Tuning, _Race, _rungs, _space_for, spread
from side_by_side import SideBySide

RNG = np.random.default_rng(4)
X = RNG.normal(size=(300, 4))
Y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
SEARCH: dict[str, Any] = {
    "estimator": ADTMClassifier(n_clauses=20),
    "space": {"n_clauses": [2, 40], "s": [10, 50, 100], "booleanizer__max_bits": [2, 10]},
    "n_candidates": 9,
    "epochs": 9,
}


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Every candidate and rung that was computed."""
    seen: list[tuple[int, int]] = []
    usual = _Race.run

    def watched(self: _Race, parameters: Any, number: int, until: int) -> Any:
        seen.append((number, until))
        return usual(self, parameters, number, until)

    monkeypatch.setattr(_Race, "run", watched)
    return seen


def test_a_search_leaves_the_estimator_as_it_was() -> None:
    machine = ADTMClassifier(n_clauses=4)
    before = machine.get_params()
    adtm.tune(X, Y, estimator=machine, space={"s": [2, 5]}, epochs=1)
    assert (machine.get_params(), hasattr(machine, "classes_")) == (before, False)


def test_a_search_finds_what_learns_best_and_fits_it() -> None:
    found = adtm.tune(X, Y, **SEARCH)
    assert found.best_params_["n_clauses"] == 40
    assert found.best_estimator_.get_params()["n_clauses"] == 40
    assert found.best_estimator_.score(X, Y) > 0.85
    assert {trial.epochs for trial in found.trials_} == {1, 3, 9}
    last = [trial for trial in found.trials_ if trial.epochs == 9]
    assert found.best_score_ == max(trial.score for trial in last)
    assert found.default_ in last  # so that its score can be compared
    assert found.default_.parameters["n_clauses"] == 2


def test_the_same_search_finds_the_same() -> None:
    first, second = (adtm.tune(X, Y, **SEARCH, refit=False) for _ in range(2))
    assert first.best_estimator_ is None
    assert [(t.parameters, t.epochs, t.score) for t in first.trials_] == [
        (t.parameters, t.epochs, t.score) for t in second.trials_
    ]


def test_nothing_is_booleanized_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    usual = Booleanizer._pack
    monkeypatch.setattr(Booleanizer, "_pack", lambda self, *a, **k: made.append(self.max_bits) or usual(self, *a, **k))
    adtm.tune(X, Y, **SEARCH, refit=False)
    assert sorted(made) == [2, 10]


def test_candidates_that_learn_side_by_side_give_the_same_search() -> None:
    alone = adtm.tune(X, Y, **SEARCH, refit=False)
    estimator = clone(SEARCH["estimator"]).set_params(backend=SideBySide())
    together = adtm.tune(X, Y, **{**SEARCH, "estimator": estimator}, refit=False)
    assert [(t.parameters, t.score) for t in together.trials_] == [(t.parameters, t.score) for t in alone.trials_]
    assert threading.get_ident() not in SideBySide.threads


def test_what_has_not_begun_never_does_once_nobody_wants_the_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped, begun = threading.Event(), set[int]()

    class Threads(ThreadPoolExecutor):
        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
            super().shutdown(wait=False, cancel_futures=cancel_futures)
            stopped.set()
            super().shutdown(wait=wait)

    def work(number: int) -> int:
        begun.add(number)
        assert number == 0 or stopped.wait(60)
        return number

    monkeypatch.setattr("adtm.machine.ahead.ThreadPoolExecutor", Threads)
    answers = side_by_side(work, range(9), at_once=2)
    assert next(answers) == 0
    answers.close()
    assert begun <= {0, 1, 2}


@pytest.mark.parametrize("stop", [0, 4, 11])
def test_a_search_that_was_stopped_goes_on(
    stop: int, runs: list[tuple[int, int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "search.jsonl"
    whole = adtm.tune(X, Y, **SEARCH, path=path, refit=False)
    n = len(runs)
    lines = path.read_text().splitlines()
    assert len(lines) == n
    path.write_text("".join(f"{line}\n" for line in lines[:stop]) + lines[stop][:50])  # killed while writing the next
    runs.clear()
    monkeypatch.setattr("adtm.tuning._HASHED", 7)  # however many rows are read at a time
    again = adtm.tune(X, Y, **SEARCH, path=path, refit=False)
    assert len(runs) == n - stop
    assert (again.best_params_, again.best_score_) == (whole.best_params_, whole.best_score_)
    assert [(t.parameters, t.score) for t in again.trials_] == [(t.parameters, t.score) for t in whole.trials_]
    assert adtm.tune(X, Y, **SEARCH, path=path, refit=False).best_params_ == whole.best_params_
    assert len(runs) == n - stop
    assert len(path.read_text().splitlines()) == n  # each result once


@pytest.mark.parametrize(
    "change",
    [
        {"epochs": 10},
        {"space": {"s": [5]}},
        {"estimator": ADTMClassifier(n_clauses=20, T=5)},
        {"validation_fraction": 0.5},
        {"Y": Y[::-1]},
        {"sample_weight": np.arange(1, 301)},
        {"sample_weight": np.linspace(0.5, 2, 300)},
    ],
)
def test_the_file_of_another_search_is_refused(change: Any, tmp_path: Path) -> None:
    path = tmp_path / "search.jsonl"
    adtm.tune(X, Y, **SEARCH, path=path, refit=False)
    labels = change.pop("Y", Y)
    with pytest.raises(
        ValueError, match="path must name a file of the same search on the same data, got that of another"
    ):
        adtm.tune(X, labels, **{**SEARCH, **change}, path=path, refit=False)


def test_a_line_of_a_search_without_its_numbers_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "search.jsonl"
    adtm.tune(X, Y, **SEARCH, path=path, refit=False)
    line = read_lines(path)[0]
    for name in line:
        path.unlink()
        with LineWriter(path) as writer:
            writer.append({key: value for key, value in line.items() if key != name})
        wrong = "of the same search" if name == "search" else f"that tune wrote, got a line without '{name}'$"
        with pytest.raises(ValueError, match=f"path must name a file {wrong}"):
            adtm.tune(X, Y, **SEARCH, path=path, refit=False)


@pytest.mark.parametrize("text", ["no json\n", "[]\n", json.dumps({"search": "?"}) + "\n{}\n"])
def test_a_foreign_file_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "search.jsonl"
    path.write_text(text)
    with pytest.raises(LinesError, match="holds no line that was written here"):
        adtm.tune(X, Y, **SEARCH, path=path)
    assert path.read_text() == text


def test_a_file_that_another_search_is_writing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "search.jsonl"
    with LineWriter(path), pytest.raises(LinesError, match="another process is writing"):
        adtm.tune(X, Y, **SEARCH, path=path, refit=False)


def parts(estimator: Any, y: np.ndarray, **parameters: Any) -> list[tuple[Literals, np.ndarray]]:
    """The rows that candidates learn from, and those that compare them."""
    course = _Race(estimator, 0.2, X, y, None).course(parameters)
    return [(part.literals.take(part.where), part.targets[part.where]) for part in (course.learn, course.held)]


def test_survivors_go_on_learning_as_one_that_never_stopped() -> None:
    found = adtm.tune(X, Y, **{**SEARCH, "space": {"s": [20, 60]}, "n_candidates": 3, "epochs": 6}, refit=False)
    best = next(t for t in found.trials_ if t.epochs == 6)
    learn, test = parts(SEARCH["estimator"], Y)
    alone = ADTMClassifier(n_clauses=20, s=best.parameters["s"], epochs=6, booleanizer=None)
    reached = []
    alone.fit(*learn, callback=lambda machine, record: reached.append(machine.score(*test)))
    assert best.score == pytest.approx(np.mean(reached[-3:]))


def test_no_epoch_is_learned_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    learned = []
    usual = Learning.epoch
    monkeypatch.setattr(Learning, "epoch", lambda self, *a: learned.append(1) or usual(self, *a))
    adtm.tune(X, Y, **SEARCH, refit=False)
    assert len(learned) == 9 * 1 + (3 + 1) * (3 - 1) + (1 + 1) * (9 - 3)  # the first candidate always goes on


def test_those_that_are_out_of_the_race_give_their_memory_back(monkeypatch: pytest.MonkeyPatch) -> None:
    running = []
    usual = _Race.forget
    monkeypatch.setattr(_Race, "forget", lambda self, out: (usual(self, out), running.append(len(self._running))))
    adtm.tune(X, Y, **SEARCH, refit=False)
    assert running == [0, 3 + 1, 1 + 1]


def test_of_equal_candidates_the_first_wins() -> None:
    same = {"space": {"n_jobs": [1, 2]}, "n_candidates": 2, "epochs": 3}
    assert adtm.tune(X, Y, **{**SEARCH, **same}, refit=False).best_params_ == {"n_jobs": 1}


def test_of_candidates_that_are_equal_in_the_end_the_first_wins_though_it_was_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run(race: _Race, parameters: Any, number: int, until: int) -> Trial:
        return Trial(dict(parameters), until, 0.75 if (number, until) == (1, 1) else 0.5, 0.0)

    monkeypatch.setattr(_Race, "run", run)
    found = adtm.tune(X, Y, space={"s": [2, 5, 10]}, n_candidates=3, epochs=3, refit=False)
    assert [trial.parameters["s"] for trial in found.trials_] == [2, 5, 10, 5, 2]
    assert (found.best_params_, found.best_score_) == ({"s": 2}, 0.5)


def test_of_images_one_threshold_of_a_pixel_four_and_eight_are_tried() -> None:
    images, machine = (
        np.random.default_rng(0).random((40, 3, 3)),
        ADTMClassifier(patch=2, n_clauses=4, s=10, tolerance=0, max_literals=4),
    )
    found = adtm.tune(images, np.arange(40) % 2, estimator=machine, n_candidates=9, epochs=1, refit=False)
    assert [trial.parameters for trial in found.trials_] == [{"booleanizer__max_bits": n} for n in (4, 1, 8)]


@pytest.mark.parametrize("booleanizer", [Booleanizer(max_bits=3), None])
def test_a_booleanizer_that_the_estimator_names_is_not_searched_for(booleanizer: Any) -> None:
    estimator = ADTMClassifier(n_clauses=4, booleanizer=booleanizer)
    found = adtm.tune(X > 0, Y, estimator=estimator, n_candidates=2, epochs=1, refit=False)
    assert list(found.best_params_) == ["s", "tolerance", "max_literals"]


def test_ands_are_searched_as_those_of_the_standard_machine() -> None:
    ands, plain = _space_for(ADTMClassifier(tolerance=0)), space_of("plain")
    assert ands == {name: values for name, values in plain.items() if name != "tolerance"}
    assert _space_for(TMClassifier()) == plain


def test_rows_that_are_only_judged_tell_searches_apart_too(tmp_path: Path) -> None:
    machine, bits = ADTMClassifier(n_clauses=4, shuffle="weyl", booleanizer=None), X > 0
    search: dict[str, Any] = {"estimator": machine, "space": {"s": [2, 5]}, "epochs": 1, "path": tmp_path / "search"}
    adtm.tune(bits, Y, **search, refit=False)
    changed = bits.copy()
    changed[_Race(machine, 0.2, bits, Y, None).course({}).held.where[0]] ^= True
    with pytest.raises(ValueError, match="path must name a file of the same search on the same data"):
        adtm.tune(changed, Y, **search, refit=False)


def test_the_best_machine_is_fitted_with_the_weights_of_the_rows() -> None:
    weights = np.where(Y == "same", 3, 1)
    found = adtm.tune(X, Y, weights, estimator=ADTMClassifier(n_clauses=4), space={"s": [10]}, epochs=2)
    alone = ADTMClassifier(n_clauses=4, s=10, choose=False).fit(X, Y, weights)
    np.testing.assert_array_equal(found.best_estimator_.states_, alone.states_)


def test_candidates_know_classes_that_only_rows_held_out_have() -> None:
    y = np.concatenate([np.arange(10), 10 + np.arange(290) % 2])  # ten classes of one row each
    race = _Race(SEARCH["estimator"], 0.5, X, y, None)
    course = race.course({})
    assert len(np.unique(course.learn.targets[course.learn.where])) < 12
    assert race.run({"s": 10}, 0, 1).score > 0
    assert course.target.head(plan_of(ADTMClassifier())).n_banks == 12


@pytest.mark.parametrize("labels", [np.array([1, 2]), np.array(["no", "yes"]), np.array([False, True])])
def test_weights_of_classes_and_rows_mean_in_a_search_what_they_mean_in_fit(labels: np.ndarray) -> None:
    y, heavy = labels[(Y[0] == Y).astype(int)], labels[1].item()
    other = labels[0].item()
    weights = np.where(y == heavy, 5.0, 1.5)  # no whole numbers, which are repetitions of rows
    search: dict[str, Any] = {"space": {"s": [10]}, "epochs": 3, "refit": False}
    by_class = adtm.tune(X, y, estimator=ADTMClassifier(n_clauses=6, class_weight={heavy: 5.0, other: 1.5}), **search)
    by_row = adtm.tune(X, y, weights, estimator=ADTMClassifier(n_clauses=6), **search)
    course = _Race(ADTMClassifier(class_weight={heavy: 5.0}), 0.2, X, y, None).course({})
    shown = np.bincount(course.learn.targets[course.learn.shown(0)])
    once = np.bincount(course.learn.targets[course.learn.where])
    assert shown.tolist() == [once[0], 5 * once[1]]
    assert by_class.best_score_ == by_row.best_score_


@pytest.mark.parametrize("make", [ADTMClassifier, ADTMRegressor])
def test_a_whole_weight_is_as_many_rows_in_a_search_too(make: Any) -> None:
    weights = np.random.default_rng(1).integers(1, 4, 300)
    target = (Y[0] == Y).astype(int) if make is ADTMClassifier else X[:, 0]
    search: dict[str, Any] = {"estimator": make(n_clauses=6), "space": {"s": [10]}, "epochs": 3, "refit": False}
    bits = X > 0
    weighted = adtm.tune(bits, target, weights, **search)
    repeated = adtm.tune(bits.repeat(weights, axis=0), target.repeat(weights), **search)
    assert weighted.best_score_ == pytest.approx(repeated.best_score_)


def test_candidates_are_the_machines_that_fit_makes_of_few_features() -> None:
    bits = X > 0
    found = adtm.tune(bits, bits[:, 0], space={"n_clauses": [6]}, epochs=2)
    chosen = found.best_estimator_.chosen_
    assert chosen["tolerance"] == 2
    named = adtm.tune(bits, bits[:, 0], space={"n_clauses": [6], **{name: [chosen[name]] for name in chosen}}, epochs=2)
    assert found.best_score_ == named.best_score_


@pytest.mark.parametrize("read", [{"class_weight": {"same": 3.0}}, {"shuffle": "weyl"}, {"booleanizer__max_bits": 2}])
def test_candidates_that_read_the_data_in_another_way_have_rows_of_their_own(read: dict[str, Any]) -> None:
    race = _Race(ADTMClassifier(), 0.2, X, Y, None)
    assert race.course({"s": 5}) is race.course({})
    assert race.course(read) is not race.course({})


def test_images_can_be_tuned(tmp_path: Path) -> None:
    images = np.random.default_rng(0).random((60, 5, 4))
    y = (images[:, 1, 1] > 0.5).astype(int)
    machine = ADTMClassifier(patch=(2, 2), n_clauses=6)
    found = adtm.tune(images, y, estimator=machine, space={"s": [5, 20], "stride": [1, 2]}, epochs=2)
    assert found.best_estimator_.patches_.image[:2] == (5, 4)
    assert found.best_estimator_.predict(images).shape == (60,)


def test_tables_with_texts_and_other_machines_can_be_tuned() -> None:
    frame = pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "up", "down")})
    found = adtm.tune(frame, Y, estimator=TMClassifier(n_clauses=20), space={"s": [2.0, 5.0]}, epochs=4)
    assert found.best_estimator_.feature_names_in_.tolist() == ["a", "b"]
    assert "| epochs | score | seconds | s |" in found.table()
    assert found.table().count("\n") == len(found.trials_) + 1


def test_numbers_are_tuned_by_r2_with_parameters_of_their_own() -> None:
    y = (X[:, 0] + 2 * X[:, 1]) / 100  # R² has no unit
    machine = ADTMRegressor()
    found = adtm.tune(X, y, estimator=machine, n_candidates=3, epochs=3)
    assert set(found.best_params_) == set(VALUE_SPACE)
    assert found.best_estimator_.score(X, y) > 0.8
    first = found.trials_[0]
    learn, test = parts(machine, y, **first.parameters)
    decided = ADTMRegressor(epochs=1, choose=False).fit(X, y).chosen_
    alone = ADTMRegressor(**decided, epochs=first.epochs, booleanizer=None).fit(*learn)
    assert first.score == pytest.approx(alone.score(*test))


def test_what_is_shown_is_the_last_rung_the_best_first() -> None:
    trials = [Trial({"s": s}, epochs, score, 0.0) for s, epochs, score in ((1, 1, 0.5), (2, 1, 0.6), (1, 3, 0.7))]
    trials += [Trial({"s": s}, 3, s / 100, 0.0) for s in range(2, 13)]
    found = Tuning({"s": 1}, 0.7, None, trials)
    assert (found.default_.epochs, found.default_.score) == (3, 0.7)
    rows = [line.split(" | ")[:2] for line in found.table().splitlines()[2:]]
    assert rows[:2] + rows[-2:] == [["| 3", "0.7000"], ["| 3", "0.1200"], ["| 1", "0.6000"], ["| 1", "0.5000"]]
    page = found._repr_html_()
    assert [f"{s / 100:.3f}" in page for s in (2, 3, 4, 12)] == [False, False, True, True]  # ten of twelve


def test_one_value_held_out_is_judged_by_its_error() -> None:
    """R² of rows that are all the same would say nothing."""
    y = X[:10, 0] + 2 * X[:10, 1]
    machine = ADTMRegressor(n_clauses=2, T=2, tolerance=0)
    found = adtm.tune(X[:10], y, estimator=machine, space={"s": [2]}, epochs=1, validation_fraction=0.1)
    assert -np.ptp(y) <= found.best_score_ < 0


def test_several_labels_are_tuned_by_the_rows_with_all_of_them_right() -> None:
    y = np.column_stack([X[:, 0] > 0, X[:, 1] > 0, X[:, 2] > 1]).astype(int)
    found = adtm.tune(X, y, space={"n_clauses": [2, 40]}, epochs=3)
    assert found.best_params_ == {"n_clauses": 40}
    assert found.best_estimator_.multilabel_
    learn, test = parts(ADTMClassifier(), y)
    reached: list[float] = []
    alone = ADTMClassifier(n_clauses=40, epochs=3, booleanizer=None)
    alone.fit(*learn, callback=lambda machine, record: reached.append(machine.score(*test)))
    assert found.best_score_ == pytest.approx(np.mean(reached))


def test_searches_on_other_numbers_are_other_searches(tmp_path: Path) -> None:
    search: dict[str, Any] = {"estimator": ADTMRegressor(n_clauses=20, T=20), "space": {"s": [5, 10]}, "epochs": 1}
    adtm.tune(X, X[:, 0], **search, path=tmp_path / "search", refit=False)
    with pytest.raises(
        ValueError, match="path must name a file of the same search on the same data, got that of another"
    ):
        adtm.tune(X, X[:, 0] / 3, **search, path=tmp_path / "search", refit=False)
    with pytest.raises(
        ValueError, match="path must name a file of the same search on the same data, got that of another"
    ):
        adtm.tune(X, X[:, 0], np.arange(300) % 2 + 1, **search, path=tmp_path / "search", refit=False)


def test_progress_is_shown_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    adtm.tune(X, Y, **SEARCH, refit=False)
    assert capsys.readouterr() == ("", "")
    adtm.tune(X, Y, **SEARCH, refit=False, verbose=1)
    assert "9 candidates, 1 epochs" in capsys.readouterr().err


TRIED: dict[str, dict[str, Any]] = {
    "tolerant": {"s": ("auto", 20, 50, 300), "tolerance": ("auto", 1, 3, 15), "max_literals": ("auto", 8, 32, 64)},
    "plain": {"s": ("auto", 2, 5, 10, 20), "tolerance": (0,), "max_literals": ("auto", 4, 8, 16)},
    "value": {"s": ("auto", 10, 50), "tolerance": ("auto", 1, 7, 15), "max_literals": ("auto", 4, 8, 24)},
}


@pytest.mark.parametrize("kind", TRIED)
def test_the_values_that_a_search_tries_are_pinned(kind: str) -> None:
    n_clauses = ("auto", 200, 1000) if kind == "value" else ("auto", 20, 50, 200, 400)
    assert space_of(kind) == {"n_clauses": n_clauses, "booleanizer__max_bits": ("auto", 8, 50), **TRIED[kind]}


@pytest.mark.parametrize(
    "estimator",
    [
        ADTMClassifier(choose=False),
        ADTMClassifier(n_clauses=6, tolerance=0),
        ADTMClassifier(patch=2, n_clauses=4),
        TMClassifier(random_state=0),
        ADTMRegressor(choose=False),
    ],
    ids=str,
)
def test_the_first_candidate_is_the_estimator_as_it_is(estimator: Any) -> None:
    """Whatever its parameters follow from: a few Boolean columns, patches, ANDs or values."""
    rows = np.random.default_rng(3).integers(0, 3, (60, 2, 3)) if estimator.patch else X[:60] > 0
    y = X[:60, 0] if isinstance(estimator, ADTMRegressor) else Y[:60]
    found = adtm.tune(rows, y, estimator=estimator, n_candidates=2, epochs=2, refit=False)
    first, named = found.trials_[0].parameters, {"n_clauses": 6, "tolerance": 0} if estimator.tolerance == 0 else {}
    assert not set(first) & set(named if isinstance(estimator, ADTMClassifier) else {})
    own = _Race(estimator, 0.2, rows, y, None)
    assert found.trials_[0].score == own.run({}, 0, found.trials_[0].epochs).score
    assert found.default_.score == own.run({}, 0, 2).score


def test_a_booleanizer_among_the_values_stays_as_it_is_and_is_found_again(tmp_path: Path) -> None:
    own = Booleanizer(missing="indicator")
    space = {"booleanizer": [own, Booleanizer()], "booleanizer__max_bits": [2, 8]}
    search: dict[str, Any] = {"estimator": ADTMClassifier(n_clauses=4), "space": space, "n_candidates": 4, "epochs": 1}
    found = adtm.tune(X, Y, **search, path=tmp_path / "search")
    assert own.max_bits == "auto"
    assert found.best_estimator_.booleanizer.max_bits == found.best_params_["booleanizer__max_bits"]
    assert adtm.tune(X, Y, **search, path=tmp_path / "search").trials_ == found.trials_


def test_data_that_only_some_candidates_can_tell_apart_are_other_data(tmp_path: Path) -> None:
    rows = np.repeat(np.arange(8.0), 10)[:, None]
    y = (rows[:, 0] == 3) | (np.arange(80) % 3 == 0)
    other = np.where(rows < 3, 2 - rows, rows)  # one threshold, at 3, sees no difference
    search: dict[str, Any] = {"estimator": ADTMClassifier(n_clauses=4), "epochs": 1, "refit": False}
    search |= {"space": {"booleanizer__max_bits": [1, 50]}, "path": tmp_path / "search"}
    adtm.tune(rows, y, **search)
    with pytest.raises(ValueError, match="got that of another"):
        adtm.tune(other, y, **search)


def test_wrong_values_are_refused_before_anything_is_learned(runs: list[tuple[int, int]]) -> None:
    for space in ({"n_clauses": [100, 33]}, {"shared": [False, True], "weights": ["integer", "fixed"]}):
        with pytest.raises(ValueError, match=r"(n_clauses|weights) must be"):
            adtm.tune(X, Y, space=space, n_candidates=9)
    assert runs == []


def test_a_machine_that_would_choose_is_compared_as_it_will_be_fitted() -> None:
    found = adtm.tune(X, Y, estimator=ADTMClassifier(choose=True), space={"tolerance": [2]}, epochs=2)
    named = adtm.tune(X, Y, estimator=ADTMClassifier(choose=False), space={"tolerance": [2]}, epochs=2)
    assert found.best_score_ == named.best_score_
    assert found.best_estimator_.chosen_ == named.best_estimator_.chosen_


def test_values_may_be_a_series_and_spaces_larger_than_any_number() -> None:
    found = adtm.tune(X, Y, space={"n_clauses": pd.Series([4, 6], index=["a", "b"])}, n_candidates=2, epochs=1)
    assert {trial.parameters["n_clauses"] for trial in found.trials_} == {4, 6}
    for n_parameters in (9, 10, 12, 25):  # 10**10 combinations and more
        picked = spread({f"p{i}": range(10) for i in range(n_parameters)}, 200)
        assert len({tuple(one.values()) for one in picked}) == 200
        assert picked[0] == {f"p{i}": 0 for i in range(n_parameters)}
        counts = [np.bincount([one[name] for one in picked], minlength=10) for name in picked[0]]
        assert np.min(counts) > 15


def test_candidates_are_spread_over_all_combinations() -> None:
    picked = spread(SPACE, 27)
    assert len(picked) == 27
    assert len({tuple(one.values()) for one in picked}) == 27
    assert picked[0] == {name: values[0] for name, values in SPACE.items()}
    for name, values in SPACE.items():
        assert {one[name] for one in picked} == set(values)


@pytest.mark.parametrize("n", range(1, 22))
def test_there_are_as_many_candidates_as_asked_for_or_as_there_are_combinations(n: int) -> None:
    picked = spread({"s": [2, 3, 5, 7, 11], "T": [1, 2, 4, 8]}, n)
    assert len({(one["s"], one["T"]) for one in picked}) == len(picked) == min(n, 20)


def test_one_in_factor_goes_on_for_factor_times_as_long() -> None:
    assert _rungs(27, 3, 30) == [(27, 1), (9, 3), (3, 10), (1, 30)]
    assert _rungs(4, 3, 30) == [(4, 10), (1, 30)]
    assert _rungs(1, 3, 30) == [(1, 30)]
    assert _rungs(100, 3, 2) == [(100, 2)]


OF_FIT = ("choose", "early_stopping", "n_iter_no_change", "probability", "validation_fraction")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"space": {}}, "space must name parameters with at least one value each"),
        ({"space": {"s": []}}, "space must name parameters with at least one value each"),
        ({"space": {"s": 5}}, "space must name parameters with at least one value each"),
        ({"space": {"s": {5, 10}}}, "space must name parameters with at least one value each, in a list or tuple"),
        ({"space": {"shuffle": "sorted"}}, "space must name parameters with at least one value each, in a list"),
        ({"space": {1: [5]}}, "space must name parameters with at least one value each"),
        ({"space": [{"s": [5]}]}, "space must name parameters with at least one value each"),
        ({"space": {"s": [5], "epochs": [5, 10]}}, "candidates of equal epochs differ, got 'epochs', which is for fit"),
        *(({"space": {name: [1, 2]}}, f"differ, got '{name}', which is for fit") for name in OF_FIT),
        ({"n_candidates": 0}, "n_candidates must be a whole number"),
        ({"factor": 1}, "factor must be a whole number in 2"),
        ({"epochs": 0}, "epochs must be a whole number"),
        ({"validation_fraction": 1.5}, "validation_fraction must be a number between 0 and 1"),
        ({"space": {"speed": [1]}}, "Invalid parameter 'speed'"),
        (
            {"estimator": make_pipeline(ADTMClassifier())},
            "estimator must be an ADTMClassifier, a TMClassifier or an ADTMRegressor, got Pipeline",
        ),
    ],
)
def test_a_bad_search_is_refused(change: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        adtm.tune(X, Y, **{**SEARCH, **change})


def test_values_of_any_type_are_found_again(tmp_path: Path) -> None:
    space = {"s": [(2, 20), np.int64(5)], "booleanizer": [Booleanizer(max_bits=3), "auto"]}
    search: dict[str, Any] = {
        "space": space,
        "n_candidates": 4,
        "epochs": 2,
        "path": tmp_path / "search",
        "refit": False,
    }
    first = adtm.tune(X, Y, **search)
    again = adtm.tune(X, Y, **search)
    assert [trial.parameters["s"] for trial in again.trials_] == [trial.parameters["s"] for trial in first.trials_]
    assert [trial.score for trial in again.trials_] == [trial.score for trial in first.trials_]


def test_a_search_goes_on_with_other_threads_and_another_backend(tmp_path: Path, runs: list[tuple[int, int]]) -> None:
    search: dict[str, Any] = {"space": {"s": [5, 10]}, "epochs": 2, "path": tmp_path / "search", "refit": False}
    adtm.tune(X, Y, estimator=ADTMClassifier(n_clauses=4, n_jobs=1), **search)
    runs.clear()
    adtm.tune(X, Y, estimator=ADTMClassifier(n_clauses=4, n_jobs=2, backend="reference"), **search)
    assert runs == []


@pytest.mark.parametrize("made", [np.random.default_rng, np.random.RandomState])
def test_a_search_with_a_generator_goes_on_with_one_that_draws_the_same(
    made: Any, tmp_path: Path, runs: list[tuple[int, int]]
) -> None:
    search: dict[str, Any] = {"space": {"s": [5]}, "epochs": 1, "path": tmp_path / "search", "refit": False}
    adtm.tune(X, Y, estimator=ADTMClassifier(n_clauses=4, random_state=made(1)), **search)
    runs.clear()
    adtm.tune(X, Y, estimator=ADTMClassifier(n_clauses=4, random_state=made(1)), **search)
    assert runs == []
    with pytest.raises(ValueError, match="got that of another"):
        adtm.tune(X, Y, estimator=ADTMClassifier(n_clauses=4, random_state=made(2)), **search)


def test_weights_named_by_numpys_labels_are_found_again(tmp_path: Path) -> None:
    y = (Y[0] == Y).astype(int)
    weights = dict(zip(np.unique(y), (1.0, 2.0), strict=True))
    search: dict[str, Any] = {"space": {"class_weight": [weights, None]}, "epochs": 1, "path": tmp_path / "search"}
    first = adtm.tune(X, y, estimator=ADTMClassifier(n_clauses=4, class_weight=weights), **search)
    assert (
        first.trials_ == adtm.tune(X, y, estimator=ADTMClassifier(n_clauses=4, class_weight=weights), **search).trials_
    )


def test_boolean_features_are_tuned_as_they_are() -> None:
    bits = np.median(X, axis=0) < X
    found = adtm.tune(bits, Y, estimator=ADTMClassifier(booleanizer=None), n_candidates=2, epochs=1)
    assert "booleanizer__max_bits" not in found.best_params_
    with pytest.raises(ValueError, match="booleanizer__max_bits must come with a Booleanizer"):
        adtm.tune(bits, Y, estimator=ADTMClassifier(booleanizer=None), space={"booleanizer__max_bits": [3]})


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("unit", [1e-300, 1e-200, 1e200, 1e307])
def test_values_of_any_size_are_compared_by_their_share_of_the_variance(unit: float, tmp_path: Path) -> None:
    search: dict[str, Any] = {"space": {"s": [5, 10]}, "epochs": 2, "refit": False}
    machine, y = ADTMRegressor(n_clauses=20, T=20), np.arange(len(X)) % 7
    usual = adtm.tune(X, y * 1.0, estimator=machine, **search)
    found = adtm.tune(X, y * unit, estimator=machine, **search, path=tmp_path / "search")
    assert [trial.score for trial in found.trials_] == pytest.approx([trial.score for trial in usual.trials_])


def test_a_search_goes_on_wherever_its_file_was_cut(tmp_path: Path) -> None:
    path = tmp_path / "search"
    whole = adtm.tune(X, Y, **SEARCH, path=path, refit=False)
    content = path.read_bytes()
    places = [0, 1, 20, *range(30, len(content), 97), len(content) - 1]
    for place in places:
        path.write_bytes(content[:place])
        found = adtm.tune(X, Y, **SEARCH, path=path, refit=False)
        assert [(t.parameters, t.score) for t in found.trials_] == [(t.parameters, t.score) for t in whole.trials_]
        assert len(path.read_bytes().splitlines()) == len(content.splitlines())


def test_one_row_leaves_none_to_compare_by() -> None:
    with pytest.raises(ValueError, match="X and y must hold at least two samples, one of them to compare by"):
        adtm.tune([[1, 0]], [3.0], estimator=ADTMRegressor(booleanizer=None))
    equal = adtm.tune([[1, 0]] * 9, [3.0] * 9, estimator=ADTMRegressor(booleanizer=None), n_candidates=2, epochs=2)
    assert equal.best_score_ == 0.0  # no error


def test_candidates_with_other_weights_of_classes_are_judged_by_the_same_rows() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] + rng.normal(size=400) * 0.5 > 1.5).astype(int)  # few ones
    weights = [None, "balanced", {0: 0.1}, {1: 10.0}, {0: 0}]
    found = adtm.tune(X, y, estimator=ADTMClassifier(n_clauses=6), space={"class_weight": weights}, epochs=2, factor=50)
    ones_alone = next(trial for trial in found.trials_ if trial.parameters["class_weight"] == {0: 0})
    race = _Race(ADTMClassifier(n_clauses=6), 0.2, X, y, None)
    courses = [race.course({"class_weight": weight}) for weight in weights]
    held = courses[0].held
    assert ones_alone.score == np.mean(y[held.where] == 1)  # says 1 of every row
    assert found.best_params_["class_weight"] != {0: 0}
    for weight, course in zip(weights, courses, strict=True):
        np.testing.assert_array_equal(course.held.where, held.where)
        assert course.held.weights is None
        there = y[courses[0].learn.where] == 1 if weight == {0: 0} else slice(None)
        np.testing.assert_array_equal(course.learn.where, courses[0].learn.where[there])
    shown = [np.bincount(y[course.learn.shown(0)], minlength=2) for course in courses]
    once = shown[0]
    assert (shown[3].tolist(), shown[4].tolist()) == ([once[0], 10 * once[1]], [0, once[1]])
    heavy = _Race(ADTMClassifier(n_clauses=6), 0.2, X, y, np.full(400, 1.5)).course({"class_weight": {1: 10.0}})
    assert heavy.held.weights[heavy.held.where].tolist() == [1.5] * 80
    np.testing.assert_allclose(heavy.learn.weights[heavy.learn.where], np.where(y[heavy.learn.where] == 1, 15, 1.5))


def test_images_of_another_shape_are_another_search(tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).random((40, 16)) < 0.5
    machine = ADTMClassifier(patch=(2, 2), booleanizer=None, T=5, n_clauses=4)
    search = {"estimator": machine, "space": {"s": [2, 5]}, "epochs": 1, "path": tmp_path / "search.jsonl"}
    adtm.tune(pixels.reshape(40, 4, 4), pixels[:, 0], **search)
    with pytest.raises(ValueError, match="path must name a file of the same search on the same data"):
        adtm.tune(pixels.reshape(40, 2, 8), pixels[:, 0], **search)


def test_numbers_of_numpy_are_those_of_python_in_a_search(tmp_path: Path) -> None:
    search: dict[str, Any] = {"estimator": ADTMClassifier(n_clauses=4), "path": tmp_path / "search.jsonl"}
    first = adtm.tune(X, Y, space={"s": [2, 5]}, epochs=2, n_candidates=2, **search)
    lines = (tmp_path / "search.jsonl").read_bytes()
    numpy = {"epochs": np.int32(2), "n_candidates": np.int64(2), "factor": np.int8(3)}
    again = adtm.tune(X, Y, space={"s": np.array([2, 5])}, **numpy, **search)
    assert [trial.score for trial in again.trials_] == [trial.score for trial in first.trials_]
    assert (tmp_path / "search.jsonl").read_bytes() == lines
