"""Pictures as Booleans: the core's bits are those of the definition, and rules tell them in words."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline, make_union
from sklearn.utils import get_tags

import adtm
from adtm import ADTMClassifier, ImageBooleanizer, Literals, Pieces
from adtm.tables.filters import LARGEST_SIZE, PixelBit, _directions, bits_of, plane_of, planes_of, quantile, values_of


def pictures(*shape: int, seed: int = 0) -> np.ndarray:
    """Pictures with dark and bright parts, some black and some white altogether."""
    rng = np.random.default_rng(seed)
    images = np.where(rng.random(shape) < 0.5, 0, rng.integers(0, 256, shape)).astype(np.uint8)
    images[0], images[-1] = 0, 255
    return images


def features(literals: Literals) -> np.ndarray:
    return literals.unpack()[:, : literals.n_features]


def defined(booleanizer: ImageBooleanizer, images: np.ndarray) -> np.ndarray:
    """The features by the definition: channel after channel, bit after bit, row by row."""
    fitted = booleanizer._planes, booleanizer._bits, booleanizer._grid
    channels = np.moveaxis(images.reshape(*images.shape[:3], -1), 3, 0)
    return np.concatenate([bits_of(own, *fitted).reshape(len(images), -1) for own in channels], axis=1)


SIZES = {"gradients": (3, 5, 7, 9, 11), "diagonals": (3, 11), "lines": (3, 5, 11), "spots": (3, 11)}
EVERYTHING = {**SIZES, "values": (0, 100, 254)}
POOLED = {"diagonals": (3,), "pool": 3, "stride": 2}
CELLS = {"directions": (3, 5), "pool": 4, "stride": 3, "quantiles": "training"}


@pytest.mark.parametrize("shape", [(4, 28, 28), (3, 1, 1), (3, 2, 70), (5, 9, 8, 3), (3, 64, 1), (18, 8, 8, 1)])
@pytest.mark.parametrize(
    "given", [{}, EVERYTHING, {"quantiles": "training"}, {"levels": (), "edges": ()}, POOLED, CELLS], ids=str
)
def test_the_core_computes_the_defined_bits(shape: tuple[int, ...], given: dict[str, Any]) -> None:
    images = pictures(*shape)
    booleanizer = ImageBooleanizer(**given).fit(images)
    assert np.array_equal(features(booleanizer.transform(images)), defined(booleanizer, images))


def test_quantiles_of_training_pictures_are_not_saved_under_other_parameters() -> None:
    fitted = ImageBooleanizer(quantiles="training").fit(pictures(5, 6, 6))
    ImageBooleanizer.from_state(fitted.to_state())
    for changed in ({"levels": (0.25, 0.5, 0.9)}, {"values": (9,)}, {"edges": (0.5, 0.9)}, {"quantiles": "picture"}):
        with pytest.raises(ValueError, match="parameters must be those of the last fit to be saved"):
            clone(fitted).fit(pictures(5, 6, 6)).set_params(**changed).to_state()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_features_stay_packed_where_scikit_learn_wants_frames(library: str) -> None:
    with config_context(transform_output=library):
        assert isinstance(ImageBooleanizer().fit_transform(pictures(5, 6, 6)), Literals)


def test_threads_change_nothing() -> None:
    images = pictures(100, 5, 6)
    one, many = (ImageBooleanizer(n_jobs=n).fit(images).transform(images) for n in (1, 2))
    assert np.array_equal(one.words, many.words)


def test_the_default_has_76_bits_a_pixel_and_sobels_filter() -> None:
    assert ImageBooleanizer().fit(pictures(2, 4, 4)).n_bits_ == 76
    assert ImageBooleanizer().fit(pictures(2, 4, 4, 3)).n_bits_ == 3 * 76
    assert np.outer(plane_of("right", 3).down, plane_of("right", 3).across).tolist() == [
        [-1, 0, 1],
        [-2, 0, 2],
        [-1, 0, 1],
    ]


def test_an_edge_a_line_and_a_spot_are_found_where_they_are() -> None:
    edge, line, spot = np.zeros((3, 1, 7, 7), np.uint8)
    edge[:, :, 4:], line[:, :, 3], spot[0, 3, 3] = 9, 9, 9
    assert np.flatnonzero(values_of(edge, plane_of("right", 3))[0, 3] > 0).tolist() == [3, 4]
    assert not values_of(edge, plane_of("down", 3)).any()
    assert np.flatnonzero(values_of(line, plane_of("upright", 3))[0, 2] > 0).tolist() == [3]
    assert not values_of(line, plane_of("level", 3)).any()
    assert np.argwhere(values_of(spot, plane_of("spot", 5))[0] > 0).tolist() == [[3, 3]]


def test_even_light_has_no_edges() -> None:
    white = np.full((1, 6, 6), 255, np.uint8)
    for plane in planes_of(**dict.fromkeys(SIZES, (3, LARGEST_SIZE)), directions=(3,))[1:]:
        assert not values_of(white, plane).any()


def test_the_largest_filters_stay_within_32_bits() -> None:
    board = np.where(np.indices((1, 12, 12)).sum(axis=0) % 2, 255, 0).astype(np.uint8)
    for plane in planes_of(**dict.fromkeys(SIZES, (LARGEST_SIZE,)), directions=(LARGEST_SIZE,)):
        most = 2 * 255 * (np.abs(plane.across).sum() * np.abs(plane.down).sum() + abs(plane.centre))
        assert np.abs(values_of(board, plane)).max() <= most < 2**31


def test_an_edge_has_the_direction_in_which_it_rises() -> None:
    rows, columns = np.indices((5, 5)) - 2
    slopes = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]  # downwards, to the right
    images = np.array([100 + 20 * (down * rows + right * columns) for down, right in slopes], np.uint8)
    planes = [plane for plane in planes_of(directions=(3,)) if plane.summed]
    strengths = np.array([values_of(images, plane)[:, 2, 2] for plane in planes])
    assert np.array_equal(strengths > 0, np.eye(8, dtype=bool))


def test_on_the_border_between_two_directions_an_edge_is_diagonal() -> None:
    right, down = np.array([12, 12, 13, 5, -12]), np.array([5, -5, 5, 12, 5])
    assert _directions(right, down).tolist() == [1, 7, 0, 1, 3]


def test_a_place_has_a_bit_if_one_of_its_pixels_has() -> None:
    image = np.zeros((1, 6, 7), np.uint8)
    image[0, 3, 1] = 9
    pooled = ImageBooleanizer((), gradients=(), lines=(), pool=3, stride=2).fit(image)
    assert pooled.image_shape_ == (3, 4, 1)
    found = features(pooled.transform(image)).reshape(3, 4)
    assert np.argwhere(found).tolist() == [[1, 0], [1, 1], [2, 0], [2, 1]]


def test_a_union_puts_features_side_by_side() -> None:
    images = pictures(9, 5, 6)
    parts = ImageBooleanizer(), ImageBooleanizer(**POOLED), ImageBooleanizer((), gradients=(), lines=(), stride=3)
    union = make_union(*parts).fit_transform(images)
    alone = [part.fit(images).transform(images) for part in parts]
    assert np.array_equal(features(union), np.hstack([features(own) for own in alone]))
    assert union.names is not None
    assert union.names.tolist() == [name for own in parts for name in own.get_feature_names_out()]
    assert Literals(union.words, union.n_features).n_features == sum(own.n_features for own in alone)
    with pytest.raises(ValueError, match="of as many samples"):
        np.hstack([union, alone[0][:2]])
    with pytest.raises(TypeError):
        np.vstack([union, union])


def test_a_quantile_is_one_of_the_values_above_0() -> None:
    values = np.array([-5, 0, 1, 2, 3, 4])
    assert [quantile(values, q) for q in (0, 250, 334, 500, 999, 1000)] == [1, 1, 2, 2, 3, 4]
    assert quantile(np.array([-1, 0]), 500) == 0


def test_training_quantiles_are_the_same_for_every_picture() -> None:
    dim = np.arange(1, 5, dtype=np.uint8).reshape(1, 2, 2)
    images = np.concatenate([dim, 50 * dim])
    own, shared = (
        ImageBooleanizer((0.5,), values=(), gradients=(), lines=(), quantiles=of) for of in ("picture", "training")
    )
    assert features(own.fit(images).transform(images)).tolist() == [[False, False, True, True]] * 2
    assert features(shared.fit(images).transform(images)).tolist() == [[False] * 4, [True] * 4]


def test_quantiles_are_those_of_at_most_so_many_pictures_evenly_spaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adtm.tables.image_booleanizer.MOST_PICTURES", 3)
    images = np.arange(10, 60, 10, dtype=np.uint8).repeat(4).reshape(5, 2, 2)
    images[1::2] += 100  # of five pictures every second one is left out
    some, all_of_them = (
        ImageBooleanizer((0.9,), values=(), gradients=(), lines=(), quantiles="training").fit(given).transform(images)
        for given in (images, images[::2])
    )
    assert np.array_equal(some.words, all_of_them.words)
    assert features(some)[1].all()


def test_pictures_may_be_flat_or_of_any_whole_numbers() -> None:
    images = pictures(3, 4, 5)
    images[0, 0, :2] = 0, 255
    expected = ImageBooleanizer().fit(images).transform(images)
    for same in (images[..., None], images.astype(float), images.astype(np.int64).tolist()):
        assert np.array_equal(ImageBooleanizer().fit(same).transform(same).words, expected.words)
    flat = ImageBooleanizer(image_shape=(4, 5)).fit(images.reshape(3, -1))
    assert np.array_equal(flat.transform(images.reshape(3, -1)).words, expected.words)
    assert np.array_equal(flat.transform(images).words, expected.words)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"gradients": (4,)}, "gradients must be odd sizes, got 4"),
        ({"lines": (13,)}, "lines must be a whole number"),
        ({"spots": 3}, "spots must be a tuple"),
        ({"levels": (1.5,)}, "levels must be"),
        ({"values": (255,)}, "values must be a whole number"),
        ({"directions": (2,)}, "directions must be"),
        ({"pool": 0}, "pool must be a whole number"),
        ({"directions": (3, 11), "pool": 8}, "pool must be smaller for directions of size 11, got 8"),
        ({"directions": (11,), "pool": 5}, "pool must be smaller for directions of size 11, got 5"),
        ({"stride": 1.5}, "stride must be a whole number"),
        ({"quantiles": "image"}, "quantiles must be"),
        ({"levels": (), "values": (), "gradients": (), "lines": ()}, "at least one bit"),
    ],
)
def test_parameters_are_checked(given: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        ImageBooleanizer(**given).fit(pictures(2, 4, 4))


def test_pictures_are_checked() -> None:
    booleanizer = ImageBooleanizer().fit(pictures(2, 4, 4))
    for wrong, why in [
        (np.full((1, 4, 4), 0.5), "whole numbers in 0..255, got 0.5"),
        (np.full((1, 4, 4), 256), "whole numbers in 0..255, got 256"),
        (np.full((1, 4, 4), -1), "whole numbers in 0..255, got -1"),
        (np.full((1, 4, 4), np.nan), "whole numbers in 0..255, got nan"),
        (np.ma.masked_equal(pictures(2, 4, 4), 0), "whole numbers in 0..255, got masked values"),
        (np.full((1, 4, 4), "a"), "whole numbers in 0..255"),
        (np.zeros((1, 4, 5)), "X must have the shape"),
        (np.zeros((1, 17)), "X must have the shape"),
    ]:
        with pytest.raises(ValueError, match=why):
            booleanizer.transform(wrong)


@pytest.mark.parametrize(
    ("bits", "why"),
    [
        ([[9, 1, 0, 0]], "name a plane"),
        ([[0, 2, 0, 0]], "sign"),
        ([[0, 1, 1001, 1]], "quantile"),
        ([[0, 1, 0]], "must be plane"),
    ],
)
def test_the_core_refuses_what_it_cannot_compute(bits: list[list[int]], why: str) -> None:
    images, words = np.zeros((1, 2, 2, 1), np.uint8), np.zeros((1, 8), np.uint64)
    with pytest.raises(ValueError, match=why):
        adtm._core.pack_pictures(images, [[1]], [[1]], [0], [0], np.array(bits, np.int32), 1, 1, words)
    with pytest.raises(ValueError, match="fit 32 bits"):
        adtm._core.pack_pictures(images, [[2**20]], [[2**20]], [0], [0], np.zeros((1, 4), np.int32), 1, 1, words)
    with pytest.raises(ValueError, match="fit 32 bits"):
        adtm._core.pack_pictures(images, [[2**9]], [[2**9]], [0], [2], np.zeros((1, 4), np.int32), 64, 1, words)
    with pytest.raises(ValueError, match="a mix in"):
        adtm._core.pack_pictures(images, [[1]], [[1]], [0], [10], np.zeros((1, 4), np.int32), 1, 1, words)
    with pytest.raises(ValueError, match="hold all bits"):
        adtm._core.pack_pictures(images, [[1]], [[1]], [0], [0], np.array([[0, 1, 0, 0]] * 999, np.int32), 1, 1, words)


@pytest.fixture(scope="module")
def pipeline() -> tuple[Any, np.ndarray, np.ndarray]:
    images = np.zeros((40, 6, 6), np.uint8)
    y = np.arange(40) % 2
    images[y == 1, :, 3:], images[y == 0, 3:] = 200, 200
    booleanizer = ImageBooleanizer((), gradients=(3,), lines=(), edges=())
    machine = adtm.ADTMClassifier(n_clauses=10, epochs=10, random_state=0)
    return make_pipeline(booleanizer, machine).fit(images, y), images, y


def test_a_pipeline_learns_from_pictures(pipeline: tuple[Any, np.ndarray, np.ndarray]) -> None:
    fitted, images, y = pipeline
    assert fitted.score(images, y) == 1
    assert clone(fitted).fit(images, y).score(images, y) == 1
    assert pickle.loads(pickle.dumps(fitted)).predict(images).tolist() == y.tolist()


def test_rules_say_what_a_bit_is_and_where(pipeline: tuple[Any, np.ndarray, np.ndarray], tmp_path: Any) -> None:
    machine = pipeline[0][-1]
    text = machine.rules().to_text()
    assert "rising edge to the right of size 3 at row " in text or "rising edge downwards of size 3 at row " in text
    machine.save(tmp_path / "file")
    assert adtm.load(tmp_path / "file").rules().to_text() == text


def test_a_machine_with_patches_slides_over_the_bits() -> None:
    images, y = pictures(20, 8, 8), np.arange(20) % 2
    booleanizer = ImageBooleanizer((), gradients=(3,), lines=(), edges=(0.5,)).fit(images)
    shape = booleanizer.image_shape_
    assert shape == (8, 8, 7)
    machine = adtm.ADTMClassifier(n_clauses=10, epochs=2, patch=(3, 3), image_shape=shape, random_state=0)
    assert machine.fit(booleanizer.transform(images), y).patches_.image == shape


def test_scikit_learn_is_told_that_bits_do_not_keep_the_type_of_pixels() -> None:
    tags = get_tags(ImageBooleanizer())
    assert tags.transformer_tags.preserves_dtype == []
    assert tags.input_tags.three_d_array
    assert not tags.input_tags.two_d_array


def test_bits_have_names() -> None:
    plane = plane_of("level", 5)
    assert PixelBit(1, -1, 340, quantile=True).name(plane) == "dark level line of size 5 > 34 %"
    assert PixelBit(1, 1, 0, quantile=False).name(plane) == "bright level line of size 5"
    names = ImageBooleanizer(values=(7,)).fit(pictures(2, 2, 3, 2)).get_feature_names_out()
    assert names[0] == "pixel > 7 in channel 0 at row 0, column 0"
    assert names[-1] == "dark level line of size 3 > 75 % in channel 1 at row 1, column 2"
    assert len(set(names)) == len(names)
    assert ["channel 1" in name for name in names] == [False] * (len(names) // 2) + [True] * (len(names) // 2)


@pytest.mark.parametrize(("level", "said"), [(0.057, "5.7"), (0.0507, "5.1"), (0.0503, "5"), (0.0004, "0")])
def test_levels_are_taken_to_the_nearest_thousandth(level: float, said: str) -> None:
    fitted = ImageBooleanizer((level,), values=(), gradients=(), lines=()).fit(np.zeros((1, 1, 1)))
    assert fitted.get_feature_names_out().tolist() == [f"pixel > {said} % at row 0, column 0"]


def test_literals_keep_their_names() -> None:
    words = Literals.from_boolean(np.eye(3)).words
    named = Literals(words, 3, np.array(list("abc"), dtype=object))
    for same in (named.take([1]), named[:2], pickle.loads(pickle.dumps(named))):
        assert same.names is not None
        assert same.names.tolist() == list("abc")
    with pytest.raises(ValueError, match="one for each of 3 features"):
        Literals(words, 3, np.array(["a"], dtype=object))


@pytest.mark.parametrize("form", ["literals", "table"])
def test_literals_of_other_names_than_those_of_fit_are_refused(form: str) -> None:
    images, y = pictures(30, 6, 6), np.arange(30) % 2
    known, other = (ImageBooleanizer((), gradients=(size,), lines=()).fit(images).transform(images) for size in (3, 5))
    assert known.names is not None
    X = known if form == "literals" else pd.DataFrame(features(known), columns=known.names)
    machine = ADTMClassifier(epochs=2, n_clauses=4).fit(X, y)
    refused = "X must have the Boolean features of fit, got '.* of size 5 at .*' in place of '.* of size 3 at .*'"
    for ask in (machine.predict, machine.rules().predict, lambda X: machine.partial_fit(X, y)):
        ask(known)
        ask(Literals(other.words, other.n_features))
        with pytest.raises(ValueError, match=refused):
            ask(other)
    with pytest.raises(ValueError, match=refused):
        machine.fit(Pieces([(known, y), (other, y)]))
