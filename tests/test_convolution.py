"""Machines with patches: the native core equals the reference bit for bit, for every image, patch and stride.

What patches are: test_patches. How images are read: test_images.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from adtm.machine.backends.native import NativeBackend
from adtm.machine.backends.reference import ReferenceBackend
from adtm.machine.memory import Memory
from adtm.machine.schedule import Streams
from adtm.tables.literals import Literals
from adtm.tables.patches import Patches
from parity import TARGETS, Case, Outcome, assert_equal, assert_parity, run

SMALL = Patches((6, 7, 1), (3, 3))


def few_literals(case: Case, share: float = 0.1) -> Memory:
    """Clauses with some literals, near the boundary: many fire, in several patches."""
    rng, memory, N = np.random.default_rng(case.seed), case.memory(), case.n_states
    included = rng.random(memory.states.shape) < share
    memory.states[:] = np.where(included, rng.integers(N, min(N + 5, 2 * N), included.shape), N - 1)
    return memory


def learned(case: Case, *, n_jobs: int = 1, share: float = 0.1) -> Outcome:
    return assert_parity(case, memory=few_literals(case, share), n_jobs=n_jobs)


@pytest.mark.parametrize(
    ("image", "size", "stride"),
    [
        ((5, 4, 1), (5, 4), (1, 1)),  # one patch: the image
        ((5, 4, 1), (1, 1), (1, 1)),
        ((1, 1, 1), (1, 1), (1, 1)),
        ((10, 12, 1), (4, 4), (1, 1)),  # 63 patches
        ((11, 11, 1), (4, 4), (1, 1)),  # 64
        ((8, 16, 1), (4, 4), (1, 1)),  # 65
        ((9, 75, 1), (3, 3), (1, 1)),  # 511, lines longer than a word
        ((18, 34, 1), (3, 3), (1, 1)),  # 512
        ((21, 29, 1), (3, 3), (1, 1)),  # 513
        ((28, 28, 1), (10, 10), (1, 1)),
        ((40, 40, 1), (3, 3), (1, 1)),  # three rows of 512 patches
        ((7, 6, 3), (3, 2), (1, 1)),
        ((9, 9, 2), (3, 3), (2, 2)),
        ((9, 10, 1), (2, 3), (3, 2)),
        ((9, 10, 2), (4, 3), (2, 5)),
        ((10, 70, 1), (3, 66), (4, 1)),  # patches wider than a word
        ((12, 140, 1), (2, 5), (1, 70)),  # strides wider than a word
        ((1, 60, 1), (1, 7), (1, 1)),  # sequences
        ((1, 200, 4), (1, 5), (1, 3)),
        ((60, 1, 2), (7, 1), (2, 1)),
    ],
)
@pytest.mark.parametrize("selection", ["random", "weyl"])
def test_every_shape(
    image: tuple[int, int, int], size: tuple[int, int], stride: tuple[int, int], selection: str
) -> None:
    patches = Patches(image, size, stride)
    case = Case(patches=patches, selection=selection, n_clauses=6, n_samples=12, n_states=20)
    outcome = learned(case, share=min(0.5, 4 / patches.n_literals))
    learned(replace(case, tolerance=3, max_literals=16, T=20), share=min(0.5, 8 / patches.n_literals))
    drawn = sum(ledger.patch_draws for ledger in outcome.ledgers)
    assert (drawn > 0) == (selection == "random" and patches.n_patches > 1)


@pytest.mark.parametrize("d", [1, 7, 5000, math.inf])
@pytest.mark.parametrize("weak", ["every", "rota", "bernoulli"])
@pytest.mark.parametrize("n_states", [1, 100, 1000])
def test_every_weak_rule_and_determinism(d: float, weak: str, n_states: int) -> None:
    case = Case(patches=SMALL, d=d, weak=weak, n_states=n_states, s=5, selection="weyl", n_samples=35)
    learned(case)
    assert_parity(replace(case, selection="random", saturated=True, n_samples=20))


@pytest.mark.parametrize("tolerance", [0, 1, 2, 3, 4, 7, 8, 15, 39, 63, 64, 254, 900])
@pytest.mark.parametrize("share", [0.02, 0.1, 0.4])
def test_every_tolerance_and_length_of_a_clause(tolerance: int, share: float) -> None:
    patches = Patches((10, 9, 1), (6, 6))
    case = Case(
        patches=patches, tolerance=tolerance, weak="rota", s=50, n_clauses=20, n_samples=20, T=3 * tolerance + 5
    )
    learned(replace(case, selection="weyl", max_literals=16), share=share)


@pytest.mark.parametrize("d", [1, 100, math.inf])
@pytest.mark.parametrize("weak", ["every", "rota", "bernoulli"])
def test_tolerance_with_every_weak_rule(d: float, weak: str) -> None:
    learned(Case(patches=SMALL, d=d, weak=weak, n_states=200, s=5, tolerance=3, max_literals=8, n_classes=3), n_jobs=3)


@pytest.mark.parametrize("n_clauses", [2, 62, 64, 66, 130])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_threads_and_every_width_of_a_clause_block(n_clauses: int, n_jobs: int) -> None:
    learned(Case(patches=SMALL, n_clauses=n_clauses, n_classes=3, weak="rota", T=20), n_jobs=n_jobs)


@pytest.mark.parametrize("n_samples", [1, 63, 64, 65, 129])
def test_windows_of_every_length(n_samples: int) -> None:
    learned(Case(patches=SMALL, n_samples=n_samples, n_clauses=66), n_jobs=2)


@pytest.mark.parametrize("share", [0.0, 0.03, 0.5, 1.0])
def test_clauses_of_every_length(share: float) -> None:
    """Empty ones fire on every patch while learning; those with more literals than a list holds have none."""
    learned(Case(patches=Patches((12, 12, 2), (8, 8)), n_samples=20), share=share)


@pytest.mark.parametrize("weak", ["every", "rota", "bernoulli"])
def test_one_patch_without_a_place_is_a_flat_machine(weak: str) -> None:
    patches = Patches((4, 8, 1), (4, 8))
    flat = Case(n_literals=64, weak=weak)
    for target in TARGETS:
        expected = run(flat, NativeBackend(target))
        assert_equal(expected, run(replace(flat, patches=patches), NativeBackend(target)))


def test_weights_and_outputs_are_those_of_any_machine() -> None:
    case = Case(patches=SMALL, n_clauses=10, weak="rota")
    memory = few_literals(case)
    memory = replace(memory, weights=np.random.default_rng(1).integers(-9, 9, (1, 3, 10)).astype(np.int32))
    rng = np.random.default_rng(2)
    streams = Streams(
        rng.integers(0, 50, 90).astype(np.uint32),
        rng.integers(0, 3, 90).astype(np.uint32),
        rng.integers(0, 2, 90).astype(np.int32),
        np.array([0, 90], np.uint64),
    )
    assert_parity(case, memory=memory, calls=[streams])


@pytest.mark.parametrize("n", [0, 1, 4, 5, 513])
def test_any_number_of_images_vote(n: int) -> None:
    case = Case(patches=SMALL, n_classes=3, n_clauses=20)
    memory = few_literals(case, 0.2)
    images = Literals.from_boolean(np.random.default_rng(n).random((n, SMALL.n_image_features)) < 0.5)
    expected = ReferenceBackend().voter(case.settings(), memory).votes(images)
    assert expected.shape == (n, 3)
    for target in TARGETS:
        backend = NativeBackend(target)
        for voter in (backend.voter(case.settings(), memory), backend.trainer(case.settings(), memory).voter()):
            for n_jobs in (1, 3):
                np.testing.assert_array_equal(voter.votes(images, n_jobs=n_jobs), expected)
