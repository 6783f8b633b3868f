"""The defaults study: every setting named, half of the tables judge, and its runs are runs like all others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedShuffleSplit

import adtm
from adtm import datasets
from adtm.paper.plan import Plan, Task
from adtm.paper.reading.groups import Runs
from adtm.paper.running import raw
from adtm.paper.running.records import Record
from adtm.paper.running.runner import run
from adtm.paper.running.trial import build_machine, perform
from adtm.paper.studies import defaults
from adtm.paper.studies import defaults as reading
from made_records import made_record

MADE = [name for name in raw.TABLES if name.startswith(("made", "moons", "gauss", "noisy"))]


def test_the_base_is_the_default_machine() -> None:
    machine, default = build_machine(defaults.machine_task("heart", defaults.BASE, 60)), adtm.ADTMClassifier()
    assert machine.check_parameters() == default.check_parameters()
    for name in ("n_other_classes", "shuffle", "other_class", "silence"):
        assert getattr(machine, name) == getattr(default, name)
    assert defaults.BASE["bits"] == 25


def test_each_setting_changes_what_its_name_says() -> None:
    settings = defaults.SETTINGS
    assert len(settings) == 1 + sum(map(len, defaults.CHANGES.values())) + len(defaults.OTHERS)
    for name, values in defaults.CHANGES.items():
        for value in values:
            changed = settings[f"{name} = {value}"]
            assert {key for key in changed if changed[key] != defaults.BASE[key]} == {name}
    for setting in settings.values():
        build_machine(defaults.machine_task("heart", setting, 3)).check_parameters()
    assert set(defaults.MAIN) < set(settings)


def test_every_table_has_a_loader() -> None:
    assert set(raw.TABLES) < set(defaults.DATASETS)
    for name in set(defaults.DATASETS) - set(raw.TABLES):
        assert hasattr(datasets, f"fetch_{name}" if name in defaults.LARGE else f"load_{name}")


@pytest.mark.parametrize("name", MADE)
def test_made_tables_are_the_same_every_time(name: str) -> None:
    (X, y), (again, labels) = raw.TABLES[name](), raw.TABLES[name]()
    np.testing.assert_array_equal(y, labels)
    assert X.shape == again.shape
    assert len(np.unique(y)) > 1


def test_three_of_four_signs_decide_the_made_census_and_a_tenth_is_noise() -> None:
    X, y = raw.load("made_census")
    assert 0.2 < y.mean() < 0.35
    whole = [all(value is not None for value in row) for row in X]
    scores = np.array(
        [
            int(age > 35) + int(hours > 42) + int(int(school[1:]) > 9) + int(work in ("w1", "w4", "w6") and age < 60)
            for age, hours, work, school in X[whole]
        ]
    )
    shares = [y[whole][scores == score].mean() for score in range(5)]
    assert shares == pytest.approx([0.1, 0.1, 0.1, 0.9, 0.9], abs=0.08)


@pytest.mark.parametrize("table", ["iris", "made_census", "made_text"])
def test_a_run_is_the_estimator_on_the_table_itself(table: str) -> None:
    """Numbers, texts with missing values and sparse counts, as `fit` gets them."""
    X, y = raw.load(table)
    splits = StratifiedShuffleSplit(2, test_size=0.3, random_state=0).split(np.zeros(len(y)), y)
    train, test = list(splits)[1]
    setting = defaults.SETTINGS["n_clauses = 20"]
    params = {**defaults.machine_params(setting), "d": np.inf, "epochs": 2, "random_state": 0}
    machine = adtm.ADTMClassifier(**params, booleanizer=adtm.Booleanizer(max_bits=25, missing="indicator"))
    machine.fit(X[train], y[train], eval_set=(X[test], y[test]))
    record = perform(defaults.machine_task(table, setting, 2, repeat=1))
    assert record["test_accuracy"] == pytest.approx([epoch.eval_accuracy for epoch in machine.history_], abs=1e-6)
    if table == "made_text":
        return  # a forest of sparse counts takes seconds, and reads them as it reads other tables
    forest = perform(defaults.forest_task(table, "RF", repeat=1))
    if table == "iris":
        expected = RandomForestClassifier(random_state=0).fit(X[train], y[train]).score(X[test], y[test])
        assert forest["test_accuracy"] == [pytest.approx(expected, abs=1e-6)]
    assert 0.5 < forest["test_accuracy"][0] <= 1


@pytest.mark.parametrize("n_rows", [raw.ROWS, raw.ROWS + 1])
def test_rows_of_a_long_table_are_spread_over_the_whole_and_classes_are_numbered(
    n_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = np.arange(n_rows)[:, None], np.where(np.arange(n_rows) % 3, "b", "a")
    monkeypatch.setitem(raw.TABLES, "long", lambda: (X, y))
    rows = np.arange(n_rows) if n_rows == raw.ROWS else np.random.default_rng(0).permutation(n_rows)[: raw.ROWS]
    found, classes = raw.load.__wrapped__("long")
    np.testing.assert_array_equal(found[:, 0], rows)
    np.testing.assert_array_equal(classes, rows % 3 > 0)


def test_thresholds_of_machines_and_forests_come_from_the_training_part() -> None:
    for table, bits in (("iris", 8), ("made_census", 25)):
        parts = raw._split(table, 1)
        own = adtm.Booleanizer(max_bits=bits, missing="indicator").fit(parts.X_train)
        found = raw.literal_split(table, 1, bits)
        np.testing.assert_array_equal(found.train.words, own.literals(parts.X_train).words)
        np.testing.assert_array_equal(found.test.words, own.literals(parts.X_test).words)
        forest = raw.forest_split(table, 1)
        coded = table == "made_census"
        np.testing.assert_array_equal(forest.X_train, own.transform(parts.X_train) if coded else parts.X_train)
        np.testing.assert_array_equal(forest.X_test, own.transform(parts.X_test) if coded else parts.X_test)


def test_large_tables_get_some_settings_unless_all_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets, "ensure", lambda name: ())

    def counts(**options: bool) -> list[int]:
        plans = [Plan(repeats=1, datasets=(table,), **options) for table in ("heart", "made_text", "mnist")]
        return [len(defaults.tasks(plan)) for plan in plans]

    every, some = len(defaults.SETTINGS) + 2, len(defaults.MAIN) + 1
    assert counts() == [every, some, some]
    assert counts(full=True) == [every] * 3
    assert counts(quick=True) == [some] * 3
    assert {task["dataset"] for task in defaults.tasks(Plan(quick=True))} == set(defaults.SMALL)


def test_tables_that_are_not_here_are_left_out_or_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(name: str) -> None:
        raise OSError(f"{name} is nowhere")

    monkeypatch.setattr(datasets, "ensure", refuse)
    assert {task["dataset"] for task in defaults.tasks(Plan(repeats=1))} == set(defaults.DATASETS[:-4])
    assert "covertype is left out: covertype is nowhere" in capsys.readouterr().err
    with pytest.raises(OSError, match="covertype is nowhere"):
        defaults.tasks(Plan(datasets=("covertype",)))


def made(table: str, name: str, *accuracies: float, **changes: float) -> list[Record]:
    """Both splits of a setting or a forest with these accuracies in their last epochs."""

    def task(repeat: int) -> Task:
        setting = defaults.SETTINGS.get(name)
        if setting is None:
            return defaults.forest_task(table, name, repeat)
        return defaults.machine_task(table, setting, setting["epochs"], repeat)

    before = [] if name in defaults.FORESTS else [0.1] * (task(0)["params"]["epochs"] - reading.LAST)
    test = [[*before, *([score] * (reading.LAST if before else 1))] for score in accuracies]
    return [made_record(test=t, task=dict(task(r)), **changes) for r, t in enumerate(test)]


STUDY = [
    *made("bankruptcy", "base", 0.8, 1.0, seconds=2.0),
    *made("bankruptcy", "s = 10", 0.8, 0.8, seconds=1.0),
    *made("bankruptcy", "RF", 1.0, 0.9),
    *made("balance_scale", "base", 0.5, 0.5, seconds=3.0),
    *made("balance_scale", "s = 10", 0.7, 0.7, seconds=1.0),
    *made("balance_scale", "epochs = 20", 0.6, 0.6, seconds=1.0),
]


def test_a_loss_is_below_the_best_setting_of_the_table() -> None:
    lost = reading.losses(reading.by_setting(Runs(STUDY)))
    assert lost["base"] == {"bankruptcy": 0.0, "balance_scale": pytest.approx(0.2)}
    assert lost["s = 10"] == {"bankruptcy": pytest.approx(0.1), "balance_scale": 0.0}
    assert lost["epochs = 20"] == {"balance_scale": pytest.approx(0.1)}
    assert lost["epochs = 40"] == {}


def test_settings_are_ranked_by_the_tables_that_choose_and_the_base_is_shown_on_each() -> None:
    settings, tables = reading.tables(Runs(STUDY))
    assert settings.texts() == [
        ["base", "2", "0.0000", "0.2000", "0.200", "5"],
        ["s = 10", "2", "0.1000", "0.0000", "0.100", "2"],
        ["epochs = 20", "1", "nan", "0.1000", "0.100", "1"],
    ]
    assert tables.texts() == [
        ["bankruptcy", "choose", "0.900", "0.000", "0.900", "base", "0.950", "–"],
        ["balance_scale", "judge", "0.500", "0.200", "0.700", "s = 10", "–", "–"],
    ]
    assert reading.tables(Runs([made_record()])) == []


def test_a_study_that_was_stopped_goes_on(tmp_path: Path) -> None:
    plan = Plan(quick=True, repeats=1, epochs=3, datasets=("iris",))
    tasks = [task for task in defaults.tasks(plan) if task["params"].get("n_clauses", 0) <= 100]
    first = run(tasks[:3], tmp_path, jobs=1, progress=False)
    records = run(tasks, tmp_path, jobs=1, progress=False)
    assert records[:3] == first  # with their times: read, not run
    settings, tables = reading.tables(Runs(records))
    assert {row[0] for row in settings.rows} > {"base", "n_clauses = 20"}
    assert tables.texts()[0][:2] == ["iris", "choose"]
