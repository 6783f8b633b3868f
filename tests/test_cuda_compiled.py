"""Every kind of kernel compiles with NVRTC, which needs no card, and keeps its values in registers."""

from __future__ import annotations

import pytest

from adtm.machine.backends.cuda.source import TRAIN, VOTE, VOTE_IMAGES, Program, patch_defines
from adtm.tables.patches import Patches
from nvrtc import compiled, local_bytes

MNIST = {
    "N_LITERALS": 1568,
    "N_STATES": 100,
    "PLANES": 8,
    "LEARNED": 0,
    "WIDE": 0,
    "SPLIT": 1,
    "HELD": 1,
    "TEAM": 8,
    "THREADS": 512,
    "BLOCKS": 1,
    "FEW": 0,
    "PATCHES": 0,
}
PATCHES = Patches((28, 28, 1), (10, 10))
PROGRAMS = {
    "without coins": TRAIN.of(**MNIST | {"SPLIT": 0}, WEAK=0, COINS=0, MISSES=0),
    "the rota with tolerance": TRAIN.of(**MNIST, WEAK=1, COINS=0, MISSES=3),
    "few clauses with tolerance": TRAIN.of(**MNIST | {"HELD": 2, "FEW": 1}, WEAK=1, COINS=0, MISSES=3),
    "many clauses with tolerance": TRAIN.of(**MNIST | {"THREADS": 640}, WEAK=1, COINS=0, MISSES=2),
    "weights, two bytes": TRAIN.of(
        **MNIST | {"LEARNED": 1, "PLANES": 16, "TEAM": 1, "HELD": 2}, WEAK=2, COINS=0, MISSES=0
    ),
    "wide with coins": TRAIN.of(**MNIST | {"WIDE": 1, "HELD": 0, "N_LITERALS": 119168}, WEAK=1, COINS=100, MISSES=8),
    "patches with tolerance": TRAIN.of(
        **MNIST | {"N_LITERALS": 272, "HELD": 2} | patch_defines(PATCHES), WEAK=0, COINS=100, MISSES=2
    ),
    "patches of few clauses": TRAIN.of(
        **MNIST | {"N_LITERALS": 272, "HELD": 2, "FEW": 1} | patch_defines(PATCHES), WEAK=1, COINS=0, MISSES=0
    ),
    "weighted votes with tolerance": VOTE.of(PLANES=8, MISSES=3, WEIGHTED=1, COUNTER=24, WIDE=1),
    "votes of images": VOTE_IMAGES.of(PLANES=8, HELD=0, N_LITERALS=272, MISSES=2, WIDE=0, **patch_defines(PATCHES)),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_kernel_compiles_and_spills_next_to_nothing(program: Program) -> None:
    assert local_bytes(compiled(program)) <= 64
