"""The sensitivity study: each variant changes one thing, by an entry of the reference's tables where a rule differs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import f1_score

import adtm
from adtm.experiments import paper, run, sensitivity, splits, trial, variants
from adtm.experiments.records import Record, Task
from adtm.experiments.tables import MEASURES


def test_refusing_jumps_is_the_usual_machine_but_for_that_rule() -> None:
    data = splits.literal_split("balance_scale", 0)
    task: Task = paper.machine_tasks(repeats=1, epochs=2, datasets=["balance_scale"])[1]
    task["params"]["n_states"] = 5  # so that jumps pass the end
    usual, refusing = (trial.build_machine({**task, "variant": variant}) for variant in ({}, {"jump": "refused"}))
    usual.fit(data.train, data.y_train)
    refusing.fit(data.train, data.y_train)
    assert refusing.model_.settings == replace(usual.model_.settings, jump="refused")
    assert (usual.states_ == 10).sum() > 2 * (refusing.states_ == 10).sum() > 0


def test_an_empty_clause_votes_only_when_it_may() -> None:
    data = splits.literal_split("balance_scale", 0)
    machine = adtm.ADTMClassifier(n_clauses=4, epochs=1, random_state=0).fit(data.train, data.y_train)
    include = machine.includes_[0]
    samples = data.test.unpack()
    fires = np.array([[bool(samples[i][include[j]].all()) for j in range(4)] for i in range(len(samples))])
    expected = fires[:, ::2].sum(axis=1) - fires[:, 1::2].sum(axis=1) >= 0
    np.testing.assert_array_equal(variants.predict(machine, data.test, {"empty": "vote"}), expected)
    np.testing.assert_array_equal(variants.predict(machine, data.test, {}), machine.predict(data.test))


def test_without_the_largest_threshold_bits_are_the_booleanizers_own() -> None:
    own = adtm.Booleanizer().fit(splits.split("heart", 0).X_train)
    without, with_it = (splits.literal_split("heart", 0, largest=largest) for largest in (False, True))
    assert without.train.n_features == own.n_bits_ == with_it.train.n_features - 13
    always_true = with_it.train.unpack()[:, : with_it.train.n_features].all(axis=0)
    assert always_true.sum() == 13


def test_thresholds_come_from_the_training_rows_unless_the_study_says_otherwise() -> None:
    train, everything = (splits.literal_split("heart", 0, thresholds=rows) for rows in ("train", "all"))
    assert train.train.n_features < everything.train.n_features


def test_splits_are_stratified_and_depend_on_the_seed_alone() -> None:
    first, same, other = splits.split("breast_cancer", 3), splits.split("breast_cancer", 3), splits.split("heart", 4)
    splits.split.cache_clear()
    np.testing.assert_array_equal(first.X_test, splits.split("breast_cancer", 3).X_test)
    assert same is first
    assert len(other.y_test) == 54
    assert first.y_test.mean() == pytest.approx(first.y_train.mean(), abs=0.02)


def test_flipping_swaps_the_classes_and_nothing_else() -> None:
    plain, flipped = splits.split("heart", 0), splits.split("heart", 0, flipped=True)
    assert plain.y_test.mean() == pytest.approx(1 - flipped.y_test.mean())


def test_one_column_per_category_has_one_mark_per_row() -> None:
    X, _ = splits.load("breast_cancer", coding="onehot")
    age = X[:, :6]
    assert set(age.sum(axis=1)) == {1.0}


def test_fewer_drinks_make_more_positives() -> None:
    shares = [splits.load("liver_disorders", drinks=drinks)[1].mean() for drinks in (2, 3)]
    assert shares == pytest.approx([0.612, 0.510], abs=0.001)
    np.testing.assert_array_equal(splits.load("liver_disorders", drinks=3)[1], splits.load("liver_disorders")[1])


def test_a_record_names_the_cpu_target_only_where_the_core_learned() -> None:
    task: Task = paper.machine_tasks(repeats=1, epochs=1, datasets=["bankruptcy"])[1]
    targets = [trial.perform({**task, "variant": variant})["target"] for variant in ({}, {"jump": "refused"})]
    assert targets == [adtm.info()["target"], None]


# ---- the study -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """The whole study with one repeat of two epochs."""
    return run(sensitivity.tasks(repeats=1, epochs=2), tmp_path_factory.mktemp("study"), jobs=1, progress=False)


def test_every_variant_has_its_cells(records: list[Record]) -> None:
    tables = {table.name: table for table in sensitivity.tables(records)}
    assert len(tables) == 10
    for variant in sensitivity.VARIANTS:
        for dataset in variant.datasets:
            labels = {row.label for measure in MEASURES for row in tables[f"sensitivity_{dataset}_{measure}"].rows}
            assert variant.title in labels


def test_the_liver_table_shows_that_the_stated_target_cannot_be_the_papers(records: list[Record]) -> None:
    table = next(table for table in sensitivity.tables(records) if table.name == "sensitivity_liver_disorders_f1")
    assert "true positives on 0.541 of the rows, but only 0.510" in table.notes[-1]


def test_few_repeats_are_not_taken_for_an_explanation(records: list[Record]) -> None:
    assert "too wide to tell" in sensitivity.tables(records)[0].notes[1]


def test_f1_of_both_classes_follows_from_accuracy_and_f1(tmp_path: Path) -> None:
    task: Task = paper.machine_tasks(repeats=1, epochs=2, datasets=["heart"])[1]
    (record,) = run([task], tmp_path, jobs=1, progress=False)
    data = splits.literal_split("heart", 0)
    machine = adtm.ADTMClassifier(**task["params"], random_state=0).fit(data.train, data.y_train)
    expected = f1_score(data.y_test, machine.predict(data.test), average="macro")
    assert sensitivity.f1_of_both(record) == pytest.approx(expected, abs=1e-5)
