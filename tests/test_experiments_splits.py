"""The data of a task: split by the seed alone, thresholds from the training part alone."""

from __future__ import annotations

import numpy as np
import pytest

import adtm
from adtm import datasets
from adtm.paper import published
from adtm.paper.running import splits


@pytest.mark.parametrize("dataset", published.SETTINGS)
def test_one_row_of_five_is_for_testing_and_no_row_is_in_both_parts(dataset: str) -> None:
    X, y = splits.load(dataset)
    parts = splits.split(dataset, seed=0)
    assert len(parts.y_test) == np.ceil(len(y) / 5)
    assert splits.sizes(dataset) == (len(parts.y_train), len(parts.y_test))
    rows = np.concatenate([parts.X_train, parts.X_test])
    assert sorted(map(tuple, rows.tolist())) == sorted(map(tuple, X.tolist()))


def test_the_sets_that_are_not_split_have_their_published_sizes() -> None:
    assert {name: splits.sizes(name) for name in ("noisy_xor", "mnist", "fashion_mnist", "imdb")} == {
        "noisy_xor": (5_000, 2_000),
        "mnist": (60_000, 10_000),
        "fashion_mnist": (60_000, 10_000),
        "imdb": (25_000, 25_000),
    }


def test_literals_are_the_rows_of_the_split() -> None:
    parts, literals = splits.split("heart", 2), splits.literal_split("heart", 2)
    np.testing.assert_array_equal(literals.y_train, parts.y_train)
    np.testing.assert_array_equal(literals.y_test, parts.y_test)
    own = adtm.Booleanizer(max_bits=None).fit(parts.X_train)
    without = splits.literal_split("heart", 2, largest=False)
    np.testing.assert_array_equal(without.train.words, own.literals(parts.X_train).words)
    np.testing.assert_array_equal(without.test.words, own.literals(parts.X_test).words)


def test_another_seed_gives_other_rows() -> None:
    assert not np.array_equal(splits.split("heart", 0).X_test, splits.split("heart", 1).X_test)


def test_without_stratification_the_shares_are_left_to_chance() -> None:
    shares = {round(splits.split("heart", seed, stratified=False).y_test.mean(), 3) for seed in range(5)}
    assert len(shares) > 1
    assert len({round(splits.split("heart", seed).y_test.mean(), 3) for seed in range(5)}) == 1


def test_at_most_so_many_thresholds_per_feature() -> None:
    few = splits.literal_split("heart", 0, max_bits=2, largest=False)
    assert few.train.n_features <= 13 * 2 < splits.literal_split("heart", 0).train.n_features


def test_without_the_largest_threshold_bits_are_the_booleanizers_own() -> None:
    own = adtm.Booleanizer(max_bits=None).fit(splits.split("heart", 0).X_train)
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
    table = datasets.load_heart()
    numbers = [name for name in table.feature_names if name not in table.categories]
    coded = {tuple(column) for column in splits.load("heart", coding="onehot")[0].T.tolist()}
    assert numbers
    assert all(tuple(table.data[:, table.feature_names.index(name)].tolist()) in coded for name in numbers)


def test_fewer_drinks_make_more_positives() -> None:
    shares = [splits.load("liver_disorders", drinks=drinks)[1].mean() for drinks in (2, 3)]
    assert shares == pytest.approx([0.612, 0.510], abs=0.001)
    np.testing.assert_array_equal(splits.load("liver_disorders", drinks=3)[1], splits.load("liver_disorders")[1])
