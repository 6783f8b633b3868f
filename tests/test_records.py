"""Records of pictures: the machines that `benchmarks.records` drives by hand are those of the estimator."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from benchmarks.records import FEATURES, MIRROR, PATCHES, TOLERANT, Part, Pictures, Record, last_votes
from sklearn.pipeline import make_union

import adtm
from adtm.machine.backends import get_backend

IMAGES = np.random.default_rng(0).integers(0, 256, (40, 28, 28), dtype=np.uint8)
LABELS = np.arange(40) % 10


@pytest.mark.parametrize(
    "part",
    [Part("cells", TOLERANT, 4, 8, 6), Part("grey", {**PATCHES, "patch": (20, 20)}, 4, 8, 6)],
    ids=["flat", "patches"],
)
def test_machines_of_a_record_are_those_of_the_estimator(part: Part) -> None:
    backend: Any = get_backend("native")
    record = Record("mnist", [part], copies=({}, MIRROR), views=({}, MIRROR))
    pictures = Pictures(part.features, IMAGES[:30], IMAGES[30:], backend, n_jobs=1, keep=False)
    found, _ = last_votes(record, part, pictures, LABELS[:30], {"backend": backend, "n_jobs": 1})

    union = make_union(*(adtm.ImageBooleanizer(**each) for each in FEATURES[part.features])).fit(IMAGES[:30])
    copies = [union.transform(adtm.warp(IMAGES, **copy)) for copy in record.copies]
    shape = {"image_shape": (28, 28, copies[0].n_features // 784)} if "patch" in part.settings else {}
    machine = adtm.ADTMClassifier(n_clauses=4, T=8, **part.settings, **shape, **adtm.DETERMINISTIC, random_state=0)
    expected = []
    for epoch in range(6):
        machine.partial_fit(copies[epoch % 2][:30], LABELS[:30], classes=range(10))
        seen = np.ptp(machine.decision_function(copies[0][:30]))
        expected.append(sum(machine.decision_function(copy[30:]) for copy in copies) / seen)
    np.testing.assert_array_equal(found, expected[1:])

    both, _ = last_votes(replace(record, kept=2), part, pictures, LABELS[:30], {"backend": backend, "n_jobs": 1})
    np.testing.assert_array_equal(both, [expected[k] + expected[k + 1] for k in range(5)])
