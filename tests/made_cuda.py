"""Random machines for comparing a card with the CPU; number 0, 1, 2, ... are the same everywhere.

``python tests/made_cuda.py`` writes tests/vectors/cuda.json on a machine with a card: digests of what it gave.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import astuple, replace
from pathlib import Path

import numpy as np

from adtm.machine.backends import Backend, get_backend
from adtm.tables.patches import Patches
from parity import Case, Outcome, assert_equal, run

N_PLAIN, N_CASES = 300, 400  # machines that read whole samples, and with those that slide over images
VECTORS = Path(__file__).parent / "vectors" / "cuda.json"


def random_case(number: int) -> Case:
    """A machine of any kind that a card knows."""
    rng = np.random.default_rng(number)
    pick = rng.choice
    weak = str(pick(["every", "rota", "bernoulli"]))
    low = int(rng.integers(1, 40))
    s: float | tuple[float, float] = (low, low + int(rng.integers(0, 200))) if rng.random() < 0.3 else low
    determinism = [1, 2, 3, 7, 64, 100, 5000, 2**32, math.inf, math.inf, int(rng.integers(1, 400))]
    few = int(rng.integers(1, 150))
    plain = Case(
        d=determinism[int(rng.integers(len(determinism)))],
        s=s,
        n_states=int(pick([1, 2, 100, 100, 127, 128, 1000, 20000])),
        n_literals=2 * int(pick([1, 16, 31, 32, 33, 63, 65, 511, 513, few, few])),
        n_clauses=2 * int(pick([1, 5, 8, 15, 33, 65, int(rng.integers(1, 100))])),
        T=int(rng.integers(1, 40)),
        n_classes=int(pick([2, 3, 4])),
        weak=weak,
        selection=str(pick(["random", "weyl"])),
        boost=bool(pick([True, False])),
        n_samples=int(pick([1, 31, 32, 33, 64, 65, 150, 300])),
        seed=int(rng.integers(0, 2**63)),
        saturated=bool(pick([True, False])),
        tolerance=int(pick([0, 0, 0, 1, 3, 254])),
        max_literals=[None, None, 1, 9][int(rng.integers(4))],
        n_other_classes=int(rng.integers(1, 4)),
        kind=str(pick(["classes", "classes", "shared", "labels", "shared labels", "value"])),
        weights=str(pick(["fixed", "fixed", "sided"])),
    )
    return plain if number < N_PLAIN else replace(plain, patches=random_patches(rng))


def random_patches(rng: np.random.Generator) -> Patches:
    """Of images of any shape, one patch or more than a thousand."""
    sides = (int(rng.integers(1, 12)), int(rng.integers(1, 12))) if rng.random() < 0.9 else (36, 40)
    size = (int(rng.integers(1, min(sides[0], 6) + 1)), int(rng.integers(1, min(sides[1], 6) + 1)))
    return Patches((*sides, int(rng.integers(1, 4))), size, (int(rng.integers(1, 4)), int(rng.integers(1, 4))))


def assert_same_bits(case: Case, expected: Backend, found: Backend) -> Outcome:
    """States, clocks, weights, ledger, and the votes of the trainer's voter and of a voter made of the memory."""
    right, outcome = run(case, expected), run(case, found)
    assert_equal(right, outcome)
    literals, _ = case.data()
    rows = np.arange(len(literals))[::-2]
    again = found.voter(case.settings(), right.memory).votes(found.place(literals), rows)
    np.testing.assert_array_equal(again, right.votes[rows])
    return outcome


def digest(outcome: Outcome) -> str:
    """States, clocks, steps, weights, votes and ledgers in 16 digits."""
    found, memory = hashlib.blake2b(digest_size=8), outcome.memory
    for array in (memory.states, memory.updates, memory.steps, memory.weights, outcome.votes):
        found.update(np.ascontiguousarray(array).tobytes())
    found.update(json.dumps([astuple(ledger) for ledger in outcome.ledgers]).encode())
    return found.hexdigest()


if __name__ == "__main__":
    card = get_backend("cuda")
    digests = {str(number): digest(run(random_case(number), card)) for number in range(N_CASES)}
    VECTORS.write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")
