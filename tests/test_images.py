"""Images that estimators read: shapes, thresholds, what is refused, and files."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import adtm
from adtm import ADTMClassifier, Booleanizer, ImageBooleanizer, Literals, TMClassifier
from adtm.tables.images import View, pack_images, read_images
from adtm.tables.patches import Patches

RNG = np.random.default_rng(0)
COLOUR = RNG.integers(0, 256, (30, 6, 5, 3)).astype(np.uint8)
Y = np.arange(30) % 3
SMALL: dict[str, Any] = {"n_clauses": 6, "T": 5, "epochs": 2, "random_state": 0}


def machine(**parameters: Any) -> ADTMClassifier:
    return ADTMClassifier(**{**SMALL, "patch": (3, 2), **parameters})


def test_pixels_of_a_channel_share_their_thresholds() -> None:
    fitted = machine(booleanizer=Booleanizer(max_bits=2)).fit(COLOUR, Y)
    assert fitted.booleanizer_ is not None
    assert [len(column.thresholds) for column in fitted.booleanizer_.columns_] == [2, 2, 2]
    assert fitted.patches_ == Patches((6, 5, 6), (3, 2))
    assert fitted.n_features_in_ == 90
    bits = pack_images(COLOUR, fitted.booleanizer_).unpack()[:, :180].reshape(30, 6, 6, 5)
    for channel, column in enumerate(fitted.booleanizer_.columns_):
        for k, threshold in enumerate(column.thresholds):
            np.testing.assert_array_equal(bits[:, 2 * channel + k], COLOUR[..., channel] <= threshold)


def test_without_a_choice_a_channel_has_at_most_four_thresholds_and_booleans_stay() -> None:
    assert machine().fit(COLOUR, Y).patches_ == Patches((6, 5, 12), (3, 2))
    assert machine().fit(COLOUR > 99, Y).patches_ == Patches((6, 5, 3), (3, 2))
    assert machine(booleanizer=None).fit((COLOUR > 99).astype(int), Y).patches_ == Patches((6, 5, 3), (3, 2))
    with pytest.raises(ValueError, match="only Booleans or the numbers 0 and 1"):
        machine(booleanizer=None).fit(COLOUR, Y)


def test_pixels_under_a_mask_are_missing() -> None:
    hidden, gone = COLOUR > 200, np.where(COLOUR > 200, np.nan, COLOUR)
    masked, indicator = np.ma.masked_array(COLOUR, mask=hidden), Booleanizer(max_bits=2, missing="indicator")
    with pytest.raises(ValueError, match="X contains missing values"):
        machine().fit(masked, Y)
    fitted = machine(booleanizer=indicator).fit(masked, Y)
    np.testing.assert_array_equal(fitted.states_, machine(booleanizer=indicator).fit(gone, Y).states_)
    np.testing.assert_array_equal(fitted.decision_function(masked), fitted.decision_function(gone))
    with pytest.raises(ValueError, match="0 and 1, got nan"):
        machine(booleanizer=None).fit(np.ma.masked_array(COLOUR > 99, mask=hidden), Y)


def test_the_same_images_in_every_form_make_the_same_machine() -> None:
    bits = COLOUR[..., 0] > 99
    expected = machine().fit(bits, Y)
    channels_first = Literals.from_boolean(bits.reshape(30, -1))
    for X, parameters in (
        (bits[..., None], {}),
        (bits.tolist(), {}),
        (bits.reshape(30, 30), {"image_shape": (6, 5)}),
        (bits.reshape(30, 30), {"image_shape": [6, 5, 1]}),
        (bits, {"image_shape": (6, 5)}),
        (channels_first, {"image_shape": (6, 5)}),
    ):
        found = machine(**parameters).fit(X, Y)
        np.testing.assert_array_equal(found.states_, expected.states_)
        for asked in (bits, bits[..., None], bits.reshape(30, 30), channels_first):
            np.testing.assert_array_equal(found.decision_function(asked), expected.decision_function(bits))


def test_sequences_are_images_of_one_line() -> None:
    rows = COLOUR[:, :, :, 0].reshape(30, 30) > 99
    expected = machine(patch=(1, 7), stride=(1, 2)).fit(rows[:, None, :], Y)
    for X, parameters in (
        (rows, {}),
        (rows[..., None], {}),
        (rows, {"image_shape": 30}),
        (rows, {"image_shape": (30, 1)}),
    ):
        found = machine(patch=7, stride=2, **parameters).fit(X, Y)
        np.testing.assert_array_equal(found.states_, expected.states_)
        assert found.patches_ == Patches((1, 30, 1), (1, 7), (1, 2))
    two = machine(patch=4).fit(rows.reshape(30, 15, 2), Y)
    assert two.patches_ == Patches((1, 15, 2), (1, 4))
    assert len(two.predict(rows.reshape(30, 15, 2))) == 30


@pytest.mark.parametrize(
    ("parameters", "X", "message"),
    [
        ({"patch": (0, 2)}, COLOUR, r"patch must be a whole number in 1\.\.16777216, got 0"),
        ({"patch": (3,)}, COLOUR, r"patch must have 2 whole number\(s\), got \(3,\)"),
        ({"patch": "3x3"}, COLOUR, "patch must be a whole number"),
        ({"patch": True}, COLOUR, "patch must be a whole number"),
        ({"stride": 0}, COLOUR, "stride must be a whole number"),
        ({"stride": (1, 2, 3)}, COLOUR, r"stride must have 2 whole number\(s\)"),
        ({"patch": 3, "stride": (1, 2)}, COLOUR[:, 0], r"stride must have 1 whole number\(s\)"),
        ({"image_shape": 30}, COLOUR, r"image_shape must have 2 or 3 whole number\(s\), got 30"),
        ({"patch": (7, 2)}, COLOUR, "patch must fit into an image of 6 x 5, got 7 x 2"),
        (
            {},
            COLOUR.reshape(30, -1),
            r"X must have the shape \(samples, height, width\) or .* need image_shape, got \(30, 90\)",
        ),
        ({"image_shape": (6, 5)}, COLOUR, r"X must have the shape \(samples, 6, 5, 1\) or .*, got \(30, 6, 5, 3\)"),
        (
            {"image_shape": (6, 5, 3)},
            COLOUR[..., 0],
            r"X must have the shape \(samples, 6, 5, 3\) or, flat, \(samples, 90\), got \(30, 6, 5\)",
        ),
        ({"image_shape": (6, 6)}, COLOUR.reshape(30, -1), r"flat, \(samples, 36\), got \(30, 90\)"),
        ({"patch": 3}, COLOUR, r"X must have the shape \(samples, length\) or \(samples, length, channels\), got"),
        ({"image_shape": (6, 5)}, csr_array((30, 30)), "X must be a dense array for a machine with a patch"),
        ({}, COLOUR[:0], "at least 1 sample"),
        ({}, COLOUR[:, :0], "X must have the shape"),
        (
            {},
            Literals.from_boolean(COLOUR[:, :, :, 0].reshape(30, 30) > 9),
            "image_shape must be given where X is Literals",
        ),
        ({"image_shape": (6, 4)}, Literals.from_boolean(COLOUR[:, :, :, 0].reshape(30, 30) > 9), "30 Boolean features"),
        ({}, np.full((30, 6, 5), 7), "X gives no Boolean feature"),
        ({}, np.full((30, 6, 5), np.nan), "NaN"),
    ],
)
def test_what_cannot_be_read_is_refused_and_changes_nothing(parameters: dict[str, Any], X: Any, message: str) -> None:
    made = machine(**parameters)
    with pytest.raises(ValueError, match=message):
        made.fit(X, Y)
    assert not hasattr(made, "model_")


def test_names_of_pixels_are_no_names_of_columns() -> None:
    named = ImageBooleanizer(gradients=(), lines=()).fit(COLOUR[..., 0])
    seen = machine(image_shape=named.image_shape_).fit(named.transform(COLOUR[..., 0]), Y)
    assert not hasattr(seen, "feature_names_in_")


def test_images_of_another_size_are_refused_after_fit() -> None:
    fitted = machine().fit(COLOUR, Y)
    with pytest.raises(ValueError, match=r"X must have the shape \(samples, 6, 5, 3\) or, flat, \(samples, 90\), got"):
        fitted.predict(COLOUR[:, :5])
    with pytest.raises(ValueError, match="eval_set must be data like that of fit"):
        machine().fit(COLOUR, Y, eval_set=(COLOUR[..., 0], Y))


def test_a_machine_without_a_patch_still_refuses_images() -> None:
    with pytest.raises(ValueError, match=r"dim 3|2 axes|2D"):
        ADTMClassifier(**SMALL).fit(COLOUR[..., 0], Y)


@pytest.mark.parametrize("change", [{"patch": (2, 2)}, {"stride": 2}, {"patch": None}])
def test_patches_stay_while_learning_goes_on(change: dict[str, Any]) -> None:
    fitted = machine().partial_fit(COLOUR, Y, classes=[0, 1, 2])
    before = fitted.predict(COLOUR)
    fitted.set_params(**change)
    with pytest.raises(ValueError, match="must stay"):
        fitted.partial_fit(COLOUR, Y)
    with pytest.raises(ValueError, match=r"parameters must be those|must stay"):
        fitted.save("nowhere")
    np.testing.assert_array_equal(fitted.predict(COLOUR), before)


def test_a_new_fit_may_see_other_patches() -> None:
    fitted = machine().fit(COLOUR, Y)
    assert fitted.set_params(patch=(2, 2)).fit(COLOUR[:, :4], Y).patches_ == Patches((4, 5, 12), (2, 2))
    assert fitted.set_params(patch=None).fit(COLOUR.reshape(30, -1) > 9, Y).patches_ is None


@pytest.mark.parametrize("kind", [ADTMClassifier, TMClassifier])
@pytest.mark.parametrize("parameters", [{"patch": (3, 2), "stride": (2, 1)}, {"patch": 4, "image_shape": (30, 3)}])
def test_files_pickles_and_clones_keep_the_patches(kind: Any, parameters: dict[str, Any], tmp_path: Path) -> None:
    X = COLOUR if "stride" in parameters else COLOUR.reshape(30, -1)
    fitted = kind(**SMALL, **parameters).fit(X, Y)
    fitted.save(tmp_path / "machine")
    loaded = adtm.load(tmp_path / "machine")
    assert loaded.get_params() == fitted.get_params()
    for found in (loaded, pickle.loads(pickle.dumps(fitted))):
        assert found.patches_ == fitted.patches_
        np.testing.assert_array_equal(found.decision_function(X), fitted.decision_function(X))
        found.partial_fit(X, Y)
    loaded.save(tmp_path / "again")
    np.testing.assert_array_equal(clone(fitted).fit(X, Y).states_, fitted.states_)
    assert cross_val_score(clone(fitted), X, Y, cv=2).shape == (2,)


def test_a_view_reads_no_other_shape() -> None:
    view = View.of((2, 2), 1, (4, 3))
    assert read_images(np.zeros((7, 12)), view).shape == (7, 4, 3, 1)
    for shape in ((7, 3, 4), (7, 4, 3, 2), (7,), (7, 4, 3, 1, 1)):
        with pytest.raises(ValueError, match="X must have the shape"):
            read_images(np.zeros(shape), view)


@pytest.mark.parametrize(
    ("shape", "patch"), [((40, 1, 7, 2), (1, 3)), ((40, 1, 7), (1, 3)), ((40, 7), 3), ((40, 7, 2), 3)]
)
def test_whatever_fit_takes_predict_and_partial_fit_take(shape: tuple, patch: Any, tmp_path: Any) -> None:
    images = np.random.default_rng(0).integers(0, 3, shape)
    y = np.arange(40) % 2
    machine = ADTMClassifier(patch=patch, n_clauses=4, epochs=1).fit(images, y)
    machine.save(tmp_path / "machine")
    for each in (machine, adtm.load(tmp_path / "machine")):
        votes = each.decision_function(images)
        np.testing.assert_array_equal(each.decision_function(images.reshape(40, -1)), votes)
        each.partial_fit(images, y)


@pytest.mark.parametrize("chunk", [1, 300, 10_000])
def test_images_are_packed_some_at_a_time(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    booleanizer = Booleanizer(max_bits=2).fit(COLOUR.reshape(-1, 3))
    expected = [pack_images(COLOUR, booleanizer).words, pack_images(COLOUR > 99, None).words]
    monkeypatch.setattr("adtm.tables.literals.CHUNK_VALUES", chunk)
    np.testing.assert_array_equal(pack_images(COLOUR, booleanizer).words, expected[0])
    np.testing.assert_array_equal(pack_images(COLOUR > 99, None).words, expected[1])
