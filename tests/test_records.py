"""Records of pictures: the machines that `benchmarks.records` drives by hand are those of the estimator."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest
from benchmarks.records import FEATURES, MIRROR, PATCHES, TOLERANT, Part, Pictures, Record, rounds, votes_of
from sklearn.pipeline import make_union

import adtm
from adtm.machine.backends import get_backend

IMAGES = np.random.default_rng(0).integers(0, 256, (40, 28, 28), dtype=np.uint8)
LABELS = np.arange(40) % 10


COPIES = ({}, MIRROR, {"shift": (0, 1)})
LAST = (MIRROR, {})


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize(
    "part",
    [Part("cells", TOLERANT, 4, 8), Part("grey", {**PATCHES, "patch": (20, 20)}, 4, 8)],
    ids=["flat", "patches"],
)
def test_machines_of_a_record_are_those_of_the_estimator(part: Part, keep: bool) -> None:
    on: dict[str, Any] = {"backend": get_backend("native"), "n_jobs": 1}
    record = Record("mnist", [part, part], 5, copies=COPIES, views=({}, MIRROR), last=LAST, n_last=2)
    pictures = {part.features: Pictures(part.features, record, IMAGES[:30], IMAGES[30:], on, keep=keep)}
    found = [
        [votes_of(machine, pictures[part.features]) for machine in machines]
        for machines in islice(rounds(record, pictures, LABELS[:30], on), 5)
    ]

    union = make_union(*(adtm.ImageBooleanizer(**each) for each in FEATURES[part.features])).fit(IMAGES[:30])
    views = [union.transform(adtm.warp(IMAGES[30:], **view)) for view in record.views]
    shape = {"image_shape": (28, 28, views[0].n_features // 784)} if "patch" in part.settings else {}
    machine = adtm.ADTMClassifier(n_clauses=4, T=8, **part.settings, **shape, **adtm.DETERMINISTIC, random_state=0)
    for epoch in range(5):
        copies = COPIES if epoch < 3 else LAST
        machine.partial_fit(union.transform(adtm.augment(IMAGES[:30], copies, epoch)), LABELS[:30], classes=range(10))
        seen = np.ptp(machine.decision_function(union.transform(IMAGES[:30])))
        expected = sum(machine.decision_function(view) for view in views) / seen
        np.testing.assert_array_equal(found[epoch], [expected, expected])
