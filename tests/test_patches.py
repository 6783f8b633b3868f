"""Patches: where they lie, what a clause reads there, which of them it learns from. Native parity: test_convolution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from adtm import DETERMINISTIC, ADTMClassifier
from adtm.machine import weyl
from adtm.machine.backends.reference import ReferenceTrainer
from adtm.machine.backends.reference.counting import Draws
from adtm.machine.backends.reference.patches import chosen_patches
from adtm.machine.draws import Purpose, key, words
from adtm.machine.memory import Memory
from adtm.machine.settings import Settings
from adtm.tables.literals import Literals
from adtm.tables.patches import Patches
from parity import one_bank


def test_literals_of_a_patch_are_pixels_then_row_then_column_then_all_negated() -> None:
    patches = Patches((3, 3, 1), (2, 2))
    image = np.array([1, 0, 0, 1, 1, 0, 0, 0, 1], bool)
    literals = patches.literals(image).astype(int)
    assert literals.shape == (4, 12)
    assert literals[:, :6].tolist() == [
        [1, 0, 1, 1, 0, 0],  # above, on the left
        [0, 0, 1, 0, 0, 1],
        [1, 1, 0, 0, 1, 0],
        [1, 0, 0, 1, 1, 1],  # below, on the right
    ]
    np.testing.assert_array_equal(literals[:, 6:], 1 - literals[:, :6])


@pytest.mark.parametrize(
    ("image", "size", "stride"),
    [
        ((5, 6, 2), (2, 3), (1, 1)),
        ((5, 6, 2), (2, 3), (2, 2)),
        ((7, 4, 1), (3, 1), (3, 2)),
        ((1, 9, 3), (1, 4), (1, 2)),
    ],
)
def test_every_pixel_of_every_patch_is_that_of_the_image(
    image: tuple[int, int, int], size: tuple[int, int], stride: tuple[int, int]
) -> None:
    patches = Patches(image, size, stride)
    (height, width, channels), (h, w) = image, size
    pixels = np.random.default_rng(0).random((channels, height, width)) < 0.5
    found = patches.literals(pixels.reshape(-1))
    number = 0
    for top in range(0, height - h + 1, stride[0]):
        for left in range(0, width - w + 1, stride[1]):
            content = pixels[:, top : top + h, left : left + w].reshape(-1)
            np.testing.assert_array_equal(found[number, : len(content)], content)
            row, column = top // stride[0], left // stride[1]
            place = [row > k for k in range(patches.rows - 1)] + [column > k for k in range(patches.columns - 1)]
            assert found[number, len(content) : patches.n_features].tolist() == place
            number += 1
    assert number == patches.n_patches


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        (((0, 5, 1), (1, 1)), "at least one pixel and one channel"),
        (((5, 5, 0), (1, 1)), "at least one pixel and one channel"),
        (((5, 5, 1), (6, 1)), "patch must fit into an image of 5 x 5, got 6 x 1"),
        (((5, 5, 1), (1, 0)), "patch must fit into an image of 5 x 5, got 1 x 0"),
        (((5, 5, 1), (1, 1), (0, 1)), "stride must be at least 1"),
        (((1, 2**20 + 1, 1), (1, 1)), "at most 1048576 patches, got 1048577"),
        (((1, 2**23 + 1, 1), (1, 1), (1, 2**23)), "an image must have at most 8388608 Boolean features"),
        (((1, 32_736, 1), (1, 32_736)), "a patch must have at most 32735 Boolean features with its place, got 32736"),
    ],
)
def test_patches_that_cannot_be_are_refused(sizes: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Patches(*sizes)


def test_the_largest_images_and_patches_are_taken() -> None:
    assert Patches((1024, 1024, 1), (1, 1)).n_patches == 2**20
    assert Patches((2048, 4096, 1), (1, 1), (2048, 4096)).n_image_features == 2**23
    assert Patches((1, 32_735, 1), (1, 32_735)).n_features == 32_735


# ---- the choice of a patch -------------------------------------------------------------------------------------------

SAID = np.array([[0, 1, 0, 1], [1, 1, 0, 0], [0, 1, 0, 1], [1, 0, 0, 0]], np.int32)  # 4 patches, 4 clauses


def test_a_clause_learns_from_one_of_the_patches_where_it_says_the_most() -> None:
    clauses, clocks = np.arange(4), np.array([3, 1, 4, 1], np.uint64)
    number = chosen_patches("weyl", SAID, clauses, clocks, Draws(0, 0))
    for j in (0, 1, 3):
        best = np.flatnonzero(SAID[:, j])
        word = (j * weyl.CLAUSE + int(clocks[j]) * weyl.SAMPLE) % 2**32
        assert number[j] == best[len(best) * word >> 32]


def test_a_drawn_choice_is_counted_and_a_single_patch_needs_none() -> None:
    draws, clauses, clocks = Draws(7, 5), np.array([2, 9, 4, 1]), np.array([3, 1, 4, 1], np.uint64)
    said = SAID.copy()
    said[3, 0] = 0  # clause 0 has one patch left, clause 2 has none
    number = chosen_patches("random", said, clauses, clocks, draws)
    assert dict(draws.counts) == {"patch_draws": 2}
    assert number[0] == 1
    for k in (1, 3):
        best, word = np.flatnonzero(said[:, k]), int(words(key(7, Purpose.PATCH, 5, clauses[k], clocks[k]), 1)[0])
        assert number[k] == best[len(best) * word >> 32]


def test_every_best_patch_has_its_turn_equally_often() -> None:
    said = np.ones((19, 1), np.int32)
    found = [chosen_patches("weyl", said, np.array([3]), np.array([u], np.uint64), Draws(0, 0))[0] for u in range(1900)]
    assert np.ptp(np.bincount(found, minlength=19)) <= 4


# ---- one step by hand ------------------------------------------------------------------------------------------------

# A sequence of three bits, patches of two: literals x0 x1 (right) and their negations.
LINE = Patches((1, 3, 1), (1, 2))
SETTINGS = Settings(
    2, T=2, n_states=2, step=2, d=math.inf, weak="every", s=2.0, boost=True, seed=0, selection="weyl", patches=LINE
)


def learned(states: list[list[int]], bits: list[int], target: int) -> list[list[int]]:
    memory = Memory.whole(
        np.array([states], np.uint8) - np.uint8(1), np.zeros((1, 2), np.uint64), np.zeros(1, np.uint64)
    )
    memory.weights[:] = 2 if target == 0 else -2  # the vote is as far off as it can be: both clauses are selected
    trainer = ReferenceTrainer(SETTINGS, memory)
    trainer.train(Literals.from_boolean([bits]), one_bank(np.zeros(1), target))
    return (trainer.memory().states[0] + 1).tolist()  # type: ignore[no-any-return]


def test_a_clause_fires_if_any_patch_satisfies_it_and_learns_from_that_one() -> None:
    # Clause 0 is {x0, x1}: true in the right patch (1, 1) alone. Type II raises what is false there and excluded: the
    # negations of x0, x1 and of "right". Clause 1 is {x0, not x0} and never fires: no Type II.
    fires, never = [3, 3, 1, 1, 1, 1], [3, 1, 1, 3, 1, 1]
    assert learned([fires, never], [0, 1, 1], 0) == [[3, 3, 1, 3, 3, 3], never]
    # No patch of 0 1 0 satisfies clause 0 either.
    assert learned([fires, never], [0, 1, 0], 0) == [fires, never]


# ---- estimators ------------------------------------------------------------------------------------------------------


def test_a_pattern_anywhere_is_learned_where_a_flat_machine_sees_nothing() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((1200, 12, 12)) < 0.05, np.arange(1200) % 2
    patterns = np.array([[[0, 1, 0], [1, 1, 1], [0, 1, 0]], [[1, 0, 1], [0, 1, 0], [1, 0, 1]]], bool)
    for image, pattern in zip(X, patterns[y], strict=True):
        top, left = rng.integers(0, 10, 2)
        image[top : top + 3, left : left + 3] = pattern
    parameters: dict[str, Any] = {"n_clauses": 60, "T": 5, "s": 3, "epochs": 10, **DETERMINISTIC}
    machine = ADTMClassifier(patch=(3, 3), **parameters).fit(X[:1000], y[:1000])
    assert machine.score(X[1000:], y[1000:]) > 0.95
    assert machine.ledger_.draws == 0
    flat = ADTMClassifier(**parameters).fit(X[:1000].reshape(1000, -1), y[:1000])
    assert flat.score(X[1000:].reshape(200, -1), y[1000:]) < 0.6
