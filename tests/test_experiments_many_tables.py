"""The tables study: no parameter is given, all learners see the same folds, ranks and wins are counted as they are."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from adtm.charts import svg
from adtm.paper.figures import charted_figures
from adtm.paper.plan import Plan
from adtm.paper.reading.groups import Runs
from adtm.paper.running import raw
from adtm.paper.running.runner import run
from adtm.paper.running.trial import perform
from adtm.paper.studies import tables, thresholds
from adtm.paper.studies import tables as reading
from made_records import made_record


def test_tables_that_choose_do_not_judge() -> None:
    assert not set(tables.CHOOSING) & set(tables.JUDGING)
    assert (len(tables.CHOOSING), len(tables.JUDGING)) == (22, 21)


def test_tables_of_the_folder_are_run_where_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "keel").mkdir()
    (tmp_path / "keel" / "led7digit.csv").write_text("1.5, a, x\n\n2.0, ?, y\n2.5, a, x\n")
    (tmp_path / "keel" / "tae.csv").write_text("1,2,3\n2,3,10\n")
    monkeypatch.setenv("ADTM_DATA", str(tmp_path))
    named = {task["dataset"] for task in tables.tasks(Plan())}
    assert named - set(tables.OWN) == {"keel_led7digit", "keel_tae"}
    X, y = raw.load("keel_led7digit")
    assert (X.tolist(), y.tolist()) == ([[1.5, "a"], [2.0, "?"], [2.5, "a"]], [0, 1, 0])
    X, y = raw.load("keel_tae")
    assert (X.dtype, X.tolist(), y.tolist()) == (np.float64, [[1.0, 2.0], [2.0, 3.0]], [1, 0])


def test_a_fold_gives_accuracy_log_loss_and_time() -> None:
    machine, other = (perform(tables.task("bankruptcy", model)) for model in ("ADTM", "LR"))
    for record in (machine, other):
        assert record["test_accuracy"][-1] > 0.9
        assert 0 < record["test_log_loss"] < 0.5
        assert 0 < record["fit_seconds"] <= record["seconds"]
        assert record["fit_seconds"] == round(record["fit_seconds"], 4)
        for name in ("train_accuracy", "test_accuracy", "test_f1", "test_log_loss"):
            np.testing.assert_array_equal(record[name], np.round(record[name], 6))


def test_the_study_says_who_wins(tmp_path: Path) -> None:
    records = run(tables.tasks(Plan(repeats=1, datasets=("iris", "bankruptcy"))), tmp_path, jobs=1, progress=False)
    summary, by_table = reading.tables(Runs(records))
    assert [row[0] for row in summary.rows] == ["adtm", "random forest", "gradient boosting", "logistic regression"]
    assert [row[0] for row in by_table.rows] == ["bankruptcy", "iris"]
    assert "2 tables" in summary.notes[0]
    ranks = [float(str(row[3])) for row in summary.rows]
    assert sum(ranks) == pytest.approx(10, abs=0.02)
    figure = charted_figures(Runs(records))[-1]
    assert (figure.name, figure.section) == ("ranks_of_learners", "studies")
    assert sorted(row["rank"] for row in figure.spec["data"]["values"]) == pytest.approx(sorted(ranks), abs=0.01)
    half = tables.critical_difference(4, 2) / 2
    ends = [(row["low"], row["high"]) for row in figure.spec["data"]["values"]]
    middles = [row["rank"] for row in figure.spec["data"]["values"]]
    np.testing.assert_allclose(ends, [(middle - half, middle + half) for middle in middles], atol=0.002)
    assert svg(figure.spec).startswith("<svg")


def test_no_fold_is_run_twice_however_many_repeats_are_asked_for() -> None:
    plan = Plan(repeats=7, datasets=("iris",))
    for study, n_models in ((tables, 4), (thresholds, 4)):
        assert [task["repeat"] for task in study.tasks(plan)] == [fold for fold in range(5) for _ in range(n_models)]


def test_wins_losses_log_loss_and_seconds_of_fit_are_counted_over_the_tables() -> None:
    scores = {"bankruptcy": (0.8, 0.8), "heart": (0.7, 0.6), "iris": (0.6, 0.8), "wine": (0.5, 0.4)}
    records = [
        made_record(
            test=[score + 0.02 * fold],
            task=tables.task(name, model, fold),
            test_log_loss=score / 2,
            fit_seconds=1.5 + fold,
        )
        for name, pair in scores.items()
        for model, score in zip(("ADTM", "RF"), pair, strict=True)
        for fold in (0, 1)
    ]
    summary, by_table = reading.tables(Runs(records))
    assert summary.texts() == [
        ["adtm", "0.6600", "0.325", "1.38", "–", "16"],
        ["random forest", "0.6600", "0.325", "1.62", "2 : 1", "16"],
    ]
    assert summary.notes[0].startswith("4 tables, each the mean of its folds. ")
    assert "differ by less than 0.98 may be alike" in summary.notes[0]
    assert by_table.texts() == [
        ["bankruptcy", "0.810", "0.810", "+0.000"],
        ["heart", "0.710", "0.610", "-0.100"],
        ["iris", "0.610", "0.810", "+0.200"],
        ["wine", "0.510", "0.410", "-0.100"],
    ]


def test_equal_scores_share_their_ranks() -> None:
    assert reading._ranks(np.array([[0.2, 0.1, 0.2]])).tolist() == [1.5, 3.0, 1.5]


@pytest.mark.parametrize(("coded", "first"), [(False, [1.5, "b"]), (True, [1.5, 1.0])])
def test_learners_that_take_numbers_only_get_texts_by_their_place_in_the_alphabet(
    coded: bool, first: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = np.array([[1.5, "b"], [2.0, "a"], [2.5, "c"], [3.0, "a"]], dtype=object)
    monkeypatch.setattr(raw, "load", lambda name: (table, np.array([0, 1, 0, 1])))
    split = raw.fold("any", 2, 0, coded=coded)
    rows = [*split.X_train.tolist(), *split.X_test.tolist()]
    assert next(row for row in rows if row[0] == 1.5) == first


def test_a_machine_gets_texts_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    words = np.array(["a", "b", "c", "d"] * 10, dtype=object)[:, None]
    monkeypatch.setattr(raw, "load", lambda name: (words, np.arange(40) % 2))
    assert perform(thresholds.task("any", thresholds.ALL, epochs=1))["bits"] == 4  # of numbers there would be three


def test_a_class_that_no_row_of_the_fold_has_is_a_class_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = np.arange(24.0)[:, None], np.repeat([0, 1, 2], (11, 11, 2))
    monkeypatch.setattr(raw, "load", lambda name: (X, y))
    with warnings.catch_warnings(action="ignore"):  # of scikit-learn: two rows are fewer than five folds
        records = [perform(tables.task("any", "LR", fold)) for fold in range(5)]
    assert all(0 < record["test_log_loss"] < 5 for record in records)


def test_a_table_without_todays_thresholds_is_not_shown() -> None:
    task = thresholds.task("iris", thresholds.MOVED)
    assert thresholds.tables(Runs([made_record(test=[0.5], task=dict(task), bits=8, conditions=2.0)])) == []


def test_a_learner_that_lacks_a_table_is_not_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    class Kept:
        """Runs of two tables: gradient boosting has learned one of them."""

        def alike(self, task: dict[str, str]) -> list[str]:
            lacks = (task["dataset"], task["model"]) == ("iris", "GB")
            return [] if lacks or task["dataset"] not in ("iris", "bankruptcy") else ["run"]

    monkeypatch.setattr(reading, "task", lambda name, model: {"dataset": name, "model": model})
    monkeypatch.setattr(reading, "MODELS", {"ADTM": "", "GB": "", "LR": ""})
    reached, models = reading._reached(Kept())  # type: ignore[arg-type]
    assert (sorted(reached), models) == (["bankruptcy", "iris"], ["ADTM", "LR"])
