"""Copies of pictures, moved, zoomed, turned and mirrored by fixed amounts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adtm import augment, warp

PICTURES = np.random.default_rng(0).integers(0, 256, (3, 7, 9), dtype=np.uint8)


def test_nothing_asked_is_nothing_changed() -> None:
    np.testing.assert_array_equal(warp(PICTURES), PICTURES)
    np.testing.assert_array_equal(warp(PICTURES, turn=360), PICTURES)


def test_whole_shifts_move_pixels_and_repeat_the_border() -> None:
    moved = warp(PICTURES, shift=(2, -1))
    np.testing.assert_array_equal(moved[:, 2:, :-1], PICTURES[:, :-2, 1:])
    np.testing.assert_array_equal(moved[:, 0, :-1], PICTURES[:, 0, 1:])
    np.testing.assert_array_equal(warp(PICTURES, shift=np.array([2, -1], np.int8)), moved)  # type: ignore[arg-type]


def test_mirrors_and_quarter_turns_are_those_of_numpy() -> None:
    np.testing.assert_array_equal(warp(PICTURES, mirror=True), PICTURES[:, :, ::-1])
    np.testing.assert_array_equal(warp(PICTURES, turn=180), PICTURES[:, ::-1, ::-1])
    square = PICTURES[:, :, :7]
    np.testing.assert_array_equal(warp(square, turn=90), np.rot90(square, axes=(1, 2)))
    np.testing.assert_array_equal(warp(square, turn=90, mirror=True), np.rot90(square[:, :, ::-1], axes=(1, 2)))


def test_zoom_grows_from_the_middle_and_means_are_taken_between_pixels() -> None:
    row = np.array([[[0, 100, 200]]], np.uint8)
    assert warp(row, zoom=2)[0, 0].tolist() == [50, 100, 150]
    assert warp(row, shift=(0, 0.5))[0, 0].tolist() == [0, 50, 150]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (
            {"zoom": 1.3, "turn": 17, "shift": (0.3, -0.7), "mirror": True},
            [[55, 236, 79, 5], [22, 157, 114, 77], [93, 88, 84, 245]],
        ),
        (
            {"zoom": 0.8, "turn": -50, "shift": (-0.21, 0.4)},
            [[255, 67, 198, 98], [212, 13, 70, 65], [23, 120, 95, 237]],
        ),
        # A shift is rounded to 65,536ths, of which 256 are the least that moves light.
        ({"shift": (0, -255.6 / 65536)}, [[1, 254, 3, 90], [11, 199, 31, 250], [254, 7, 128, 64]]),
        ({"shift": (0, -255.4 / 65536)}, [[0, 255, 3, 90], [10, 200, 30, 250], [255, 7, 128, 64]]),
        ({"shift": (-255.6 / 65536, 0)}, [[0, 255, 3, 91], [11, 199, 30, 249], [255, 7, 128, 64]]),
    ],
    ids=str,
)
def test_the_same_copy_comes_out_everywhere(asked: dict[str, Any], expected: list[list[int]]) -> None:
    picture = np.array([[[0, 255, 3, 90], [10, 200, 30, 250], [255, 7, 128, 64]]], np.uint8)
    assert warp(picture, **asked)[0].tolist() == expected


def test_even_light_stays_even() -> None:
    white = np.full((1, 6, 5), 255, np.uint8)
    np.testing.assert_array_equal(warp(white, zoom=0.7, turn=33, shift=(0.3, 1.7), mirror=True), white)


def test_channels_are_warped_alike() -> None:
    colour = np.stack([PICTURES, PICTURES[:, ::-1]], axis=3)
    found = warp(colour, zoom=1.1, turn=6)
    np.testing.assert_array_equal(found[..., 0], warp(PICTURES, zoom=1.1, turn=6))
    np.testing.assert_array_equal(found[..., 1], warp(PICTURES[:, ::-1], zoom=1.1, turn=6))


@pytest.mark.parametrize(
    ("images", "more", "message"),
    [
        (PICTURES[0], {}, "images must be uint8 with 3 or 4 axes, got uint8 with 2"),
        (PICTURES[None, None], {}, "images must be uint8 with 3 or 4 axes, got uint8 with 5"),
        (PICTURES * 1.0, {}, "images must be uint8 with 3 or 4 axes, got float64 with 3"),
        *(
            (PICTURES, {"zoom": zoom}, f"zoom must be a number above 0, got {zoom}")
            for zoom in (0, -1, np.inf, np.nan, None)
        ),
        *((PICTURES, {"turn": turn}, f"turn must be a finite .* got {turn}") for turn in (np.inf, np.nan, None)),
        *(
            (PICTURES, {"shift": shift}, "shift must be two .*")
            for shift in (1, None, (1,), (1, 2, 3), (np.nan, 0), (10**400, 0), "ab")
        ),
        *(
            (PICTURES, far, "shift and zoom must leave places within 1073741824 pixels, .*")
            for far in ({"zoom": 1e-12}, {"zoom": 1e-300}, {"shift": (2**30, 0)}, {"shift": (1e300, 0)})
        ),
        (np.ma.masked_equal(PICTURES, 0), {}, "images must be uint8 with 3 or 4 axes, got masked values"),
    ],
)
def test_what_cannot_be_warped_is_refused(images: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        warp(images, **more)


@pytest.mark.parametrize("n", [1024, 1025, 1030])  # those of 1,024 are moved together
def test_many_pictures_are_moved_as_each_alone(n: int) -> None:
    images = np.arange(n * 6, dtype=np.uint32).astype(np.uint8).reshape(n, 2, 3)
    for part in (slice(700), slice(1020, None), slice(1024, None)):
        np.testing.assert_array_equal(warp(images, turn=20, zoom=1.5)[part], warp(images[part], turn=20, zoom=1.5))


COPIES = ({}, {"mirror": True}, {"shift": (0, 1)})


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_in_as_many_epochs_as_copies_each_picture_is_every_copy_once(n_jobs: int | None) -> None:
    pictures = np.random.default_rng(0).integers(0, 256, (7, 5, 6), dtype=np.uint8)
    for epoch in range(4):
        seen = augment(pictures, COPIES, epoch, n_jobs=n_jobs)
        for k, picture in enumerate(pictures):
            np.testing.assert_array_equal(seen[k], warp(picture[None], **COPIES[(k + epoch) % 3])[0])


def test_fewer_pictures_than_copies_and_none_are_augmented() -> None:
    picture = np.arange(12, dtype=np.uint8).reshape(1, 3, 4)
    np.testing.assert_array_equal(augment(picture, COPIES, 1), picture[:, :, ::-1])
    assert augment(picture[:0], COPIES).shape == (0, 3, 4)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"copies": []}, "copies must be at least one"),
        *(({"copies": copies}, "copies must be a list of dict") for copies in (None, {"turn": 3}, [None], "ab")),
        ({"images": None}, "images must be uint8 with 3 or 4 axes"),
        ({"epoch": -1}, "epoch must be"),
        ({"epoch": 0.5}, "epoch must"),
        ({"n_jobs": 0}, "n_jobs must be None"),
    ],
)
def test_wrong_copies_and_epochs_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        augment(**{"images": PICTURES, "copies": COPIES, **given})
