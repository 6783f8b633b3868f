"""Rules with patches: what they cast is what the best place of a patch casts, in every form."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adtm import ADTMClassifier, Booleanizer
from adtm.explain import explain, flips, heat, importance
from adtm.inspection import write_page
from adtm.rules import Outputs, Patch, RuleSet, TableColumn, measure, prune, small
from adtm.rules.patch import patch_columns
from adtm.rules.simplify import Features, merged, simplified
from adtm.tables.literals import Literals

PATCH = Patch((5, 6, 2), (2, 3), (1, 2))
CHANNELS = (TableColumn("x0", "numeric", thresholds=(0.5, 1.5, 2.5)), TableColumn("x1", "numeric", thresholds=(1.0,)))
COLUMNS = patch_columns(PATCH, CHANNELS)
FEATURES = Features(COLUMNS, PATCH)


def made(limit: int, n_rules: int = 12, seed: int = 0) -> RuleSet:
    """Random rules of so many votes at most."""
    rng = np.random.default_rng(seed)
    found = []
    for clause in range(n_rules):
        literals = rng.choice(2 * FEATURES.n_features, 2 + limit, replace=False).tolist()
        weights = [int(rng.integers(-3, 4)) or 1]
        rule = simplified(FEATURES, bank=0, clauses=[clause], weights=weights, limit=limit, literals=literals)
        found += [] if rule is None else [rule]
    outputs = Outputs("two", ("no", "yes"), (0, 1), 1, 1, T=10)
    return RuleSet(COLUMNS, outputs, tuple(merged(found)), named=False, booleanized=True, patch=PATCH)


def images(n: int = 40) -> np.ndarray:
    return np.random.default_rng(1).integers(0, 4, (n, 5, 6, 2))


def features_at(image: np.ndarray, row: int, column: int) -> list[bool]:
    """The features of one place, by the words of the specification: bit after bit, each row by row, then the place."""
    part = image[row : row + 2, 2 * column : 2 * column + 3]
    bits = [part[:, :, 0] <= cut for cut in (0.5, 1.5, 2.5)] + [part[:, :, 1] <= 1.0]
    place = [row > k for k in range(3)] + [column > k for k in range(1)]
    return [*np.array(bits).ravel().tolist(), *place]


def naive_votes(rules: RuleSet, X: np.ndarray) -> np.ndarray:
    votes = np.zeros((len(X), 1), int)
    for i, image in enumerate(X):
        for rule in rules.rules:
            best = 0
            for row, column in product(range(4), range(2)):
                said = features_at(image, row, column)
                literals = [*said, *(not each for each in said)]
                best = max(best, rule.limit - sum(not literals[k] for k in rule.literals))
            votes[i, 0] += best * rule.weights[0]
    return votes


@pytest.mark.parametrize("limit", [1, 3])
def test_every_form_casts_what_the_best_place_casts(limit: int) -> None:
    rules, X = made(limit), images()
    expected = naive_votes(rules, X)
    assert np.unique(expected).size > 2
    np.testing.assert_array_equal(rules.votes(X), expected)
    np.testing.assert_array_equal(rules.votes(X.reshape(len(X), -1)), expected)
    read = RuleSet.from_json(rules.to_json())
    assert read == rules
    np.testing.assert_array_equal(read.votes(X), expected)
    function = rules.to_function()
    assert [function(image.ravel().tolist()) for image in X] == expected.tolist()


@pytest.mark.parametrize("patched", [True, False])
def test_rules_are_measured_in_parts_as_at_once(patched: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if patched:
        rules, X = made(3), images(150)
    else:
        X = np.random.default_rng(2).integers(0, 9, (150, 6))
        rules = ADTMClassifier(n_clauses=20, epochs=3).fit(X, X[:, 0] > X[:, 1]).rules()
    y = np.array(rules.outputs.labels)[np.arange(150) % 3 // 2]
    measured, votes = measure(rules, X, y), rules.votes(X)
    assert max(each.fires for each in measured) > 10
    monkeypatch.setattr("adtm.rules.votes._AT_ONCE", 1)  # 64 rows
    assert repr(measure(rules, X, y)) == repr(measured)  # with NaN for rules that fire on no row
    np.testing.assert_array_equal(rules.votes(X), votes)


def test_where_pixels_may_be_missing_rules_come_back_from_json() -> None:
    channels = tuple(replace(channel, missing=True, may_miss=True) for channel in CHANNELS)
    columns = patch_columns(PATCH, channels)
    assert all(column.may_miss for column in columns)
    rules = replace(made(1), columns=columns, rules=())
    assert RuleSet.from_json(rules.to_json()) == rules


def test_conditions_on_the_place_are_words_about_rows_and_columns() -> None:
    pixels = 4 * 6
    rule = simplified(
        FEATURES, bank=0, clauses=[0], weights=[1], limit=1, literals=[pixels, FEATURES.n_features + pixels + 2, 0]
    )
    assert rule is not None
    assert made(1).describe(rule) == "pixel[0,0,0] <= 0.5 and 0 < row <= 2"


def test_images_without_a_booleanizer_are_zeros_and_ones() -> None:
    patch = Patch((1, 6, 1), (1, 2), (1, 1))
    columns = patch_columns(patch, (TableColumn("x0", "boolean"),))
    features = Features(columns, patch)
    rule = simplified(features, bank=0, clauses=[0], weights=[1], limit=1, literals=[0, features.n_features + 1])
    assert rule is not None
    outputs = Outputs("two", (0, 1), (0, 1), 1, 1, T=1)
    rules = RuleSet(columns, outputs, (rule,), named=False, booleanized=False, patch=patch)
    X = [[0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 1]]  # somewhere a 1 and then a 0
    assert rules.votes(X).ravel().tolist() == [1, 0, 0]
    assert rules.votes(Literals.from_boolean(X)).ravel().tolist() == [1, 0, 0]
    assert rules.describe(rule) == "pixel[0,0] and not pixel[0,1]"


def test_what_asks_for_one_row_of_states_refuses_patches() -> None:
    rules, X = made(1), images()
    y = rules.predict(X)
    assert len(measure(rules, X, y)) == len(rules)
    assert explain(rules, X[:1]).votes == tuple(rules.votes(X[:1])[0])
    assert "row" in importance(rules, X)
    asking = [lambda: flips(rules, X[:1]), lambda: prune(rules, X), lambda: small(rules, X, y)]
    for asked in asking:
        with pytest.raises(ValueError, match="without patches"):
            asked()


def test_heat_of_a_sample_lies_where_the_patch_was_found() -> None:
    patch = Patch((4, 4, 1), (2, 2), (1, 1))
    columns = patch_columns(patch, (TableColumn("x0", "boolean"),))
    features = Features(columns, patch)
    rule = simplified(features, bank=0, clauses=[0], weights=[2], limit=1, literals=[0, 3])
    assert rule is not None
    outputs = Outputs("two", (0, 1), (0, 1), 1, 1, T=1)
    rules = RuleSet(columns, outputs, (rule,), named=False, booleanized=False, patch=patch)
    image = np.zeros((1, 4, 4), bool)
    image[0, 1, 2] = image[0, 2, 3] = True
    np.testing.assert_allclose(heat(rules, (4, 4), 1), [[1, 0], [0, 1]])
    np.testing.assert_allclose(heat(rules, (4, 4), 1, image), image[0].astype(float))
    np.testing.assert_allclose(heat(rules, (4, 4), 0, image), -image[0].astype(float))
    image[0, 0, 0] = image[0, 1, 1] = True  # the same patch a second time: half of the votes for each
    np.testing.assert_allclose(heat(rules, (4, 4), 1, image), image[0] / 2)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("image", [5, 6]),
        ("size", [2, 9]),
        ("stride", [0, 1]),
        ("image", [5, 6, 1]),
        ("size", [3, 3]),
        ("more", 1),
        ("image", [2**30, 2**30, 2]),
    ],
)
def test_altered_geometry_is_refused(name: str, value: Any) -> None:
    import json

    plain = json.loads(made(1).to_json())
    plain["patch"][name] = value
    with pytest.raises(ValueError, match="must"):
        RuleSet.from_json(json.dumps(plain))


def test_images_of_another_shape_are_refused() -> None:
    rules, X = made(1), images()
    for other in (np.zeros((3, 5, 5, 2)), X.swapaxes(1, 2), X.swapaxes(2, 3), X[0], np.zeros(())):
        with pytest.raises(ValueError, match=re.escape(f"images of the shape {X.shape[1:]}, got shape {other.shape}")):
            rules.votes(other)
    np.testing.assert_array_equal(rules.votes(X[:, None]), rules.votes(X))  # an axis of one says nothing


def test_what_a_mask_hides_is_missing_in_images_and_in_a_page_of_them(tmp_path: Path) -> None:
    X = np.random.default_rng(0).integers(0, 3, (60, 3, 3)).astype(float)
    gaps = np.where(np.random.default_rng(1).random(X.shape) < 0.3, np.nan, X)
    machine = ADTMClassifier(10, patch=(2, 2), booleanizer=Booleanizer(missing="indicator"), random_state=0)
    machine.fit(gaps, X[:, 0, 0] > 0)
    rules, masked = machine.rules(), np.ma.masked_array(X, mask=np.isnan(gaps))
    assert (rules.votes(X) != rules.votes(gaps)).any()
    np.testing.assert_array_equal(rules.votes(masked), rules.votes(gaps))
    pages = [write_page(machine, tmp_path / f"{k}.html", X=rows).read_text() for k, rows in enumerate((masked, gaps))]
    assert pages[0] == pages[1]
