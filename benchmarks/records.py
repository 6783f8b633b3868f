"""`python -m benchmarks.records NAME`: a line of docs/records.md about pictures, learned and tested; nothing is drawn.

Features and settings were chosen on the last 10,000 training images, held out; `--held-out` learns from the others and
judges on these, without the test images. The images come from the directory that `ADTM_DATA` names, or are downloaded.
"""

import argparse
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import make_union

import adtm
from adtm import ImageBooleanizer, datasets

NOTHING: dict[str, Any] = {"levels": (), "values": (), "gradients": (), "lines": ()}
EDGES, SHARES = (0.34, 0.75), (0.2, 0.4, 0.6, 0.8)
FINE = {"gradients": (3,), "lines": (), "edges": EDGES}
POOLED = {**NOTHING, "gradients": (3,), "diagonals": (3,), "lines": (3,), "edges": EDGES, "pool": 3, "stride": 2}
COARSE = {**NOTHING, "gradients": (7,), "diagonals": (7,), "edges": EDGES, "stride": 2}
CELLS = {**NOTHING, "directions": (3,), "edges": SHARES, "pool": 4, "stride": 2}
LARGE_CELLS = {**NOTHING, "directions": (5,), "edges": SHARES, "pool": 8, "stride": 4}
TRAINING = {"quantiles": "training"}
MANY = {"gradients": (3, 7), "diagonals": (3, 7), "lines": (3, 5), "edges": EDGES}
#: Booleanizers whose features stand side by side.
FEATURES: dict[str, list[dict[str, Any]]] = {
    "pooled": [FINE, POOLED, COARSE],
    "cells": [FINE, {**CELLS, **TRAINING}, {**LARGE_CELLS, **TRAINING}],
    "many": [MANY, CELLS, LARGE_CELLS],
    "grey": [{**NOTHING, "values": (63, 127)}],
}

MIRROR = {"mirror": True}
#: One copy of each image is seen in an epoch.
CLOTHES: tuple[dict[str, Any], ...] = (
    {},
    MIRROR,
    {"shift": (0, 1)},
    {"shift": (0, -1), **MIRROR},
    {"zoom": 0.94},
    {"zoom": 1.06, **MIRROR},
    {"turn": 4},
    {"turn": -4, **MIRROR},
    {"shift": (1, 0)},
    {"shift": (-1, 0), **MIRROR},
)
SHIFTS = tuple({"shift": shift} for shift in ((0, 1), (0, -1), (1, 0), (-1, 0)))
DIGITS: tuple[dict[str, Any], ...] = ({}, {"turn": 7}, {"turn": -7}, *SHIFTS, {"zoom": 0.93}, {"zoom": 1.07})

COMMON = {"s": 700, "n_other_classes": 9}
TOLERANT = {**COMMON, "tolerance": 99, "max_literals": 120}
MORE_TOLERANT = {**COMMON, "tolerance": 199, "max_literals": 250}
LESS_TOLERANT = {**COMMON, "tolerance": 31, "max_literals": 64}
PATCHES = {"n_other_classes": 9, "s": 150, "tolerance": 7, "max_literals": 32, "patch": (10, 10)}


@dataclass(frozen=True)
class Part:
    """A machine: its features, settings and epochs."""

    features: str
    settings: dict[str, Any]
    n_clauses: int
    T: int
    epochs: int


@dataclass(frozen=True)
class Record:
    """Machines whose votes are added; the copies they learn from, and those of an image that they judge."""

    data: str
    parts: Sequence[Part]
    copies: Sequence[dict[str, Any]] = ({},)
    views: Sequence[dict[str, Any]] = ({},)


FLAT = (Part("pooled", LESS_TOLERANT, 200, 400, 45), Part("cells", LESS_TOLERANT, 200, 400, 45))
RECORDS = {
    "fashion": Record(
        "fashion_mnist",
        (
            Part("pooled", TOLERANT, 100, 200, 50),
            Part("cells", MORE_TOLERANT, 100, 400, 50),
            Part("pooled", MORE_TOLERANT, 100, 400, 50),
            Part("cells", TOLERANT, 100, 200, 50),
        ),
    ),
    "fashion-copies": Record(
        "fashion_mnist",
        (
            Part("pooled", TOLERANT, 300, 600, 59),
            Part("cells", MORE_TOLERANT, 300, 1200, 59),
            Part("pooled", MORE_TOLERANT, 300, 1200, 58),
            Part("many", TOLERANT, 200, 400, 56),
        ),
        CLOTHES,
        ({}, MIRROR),
    ),
    "mnist-flat": Record("mnist", FLAT, DIGITS),
    "mnist-patches": Record("mnist", (*FLAT, Part("grey", PATCHES, 800, 160, 27)), DIGITS),
}


def images(name: str, held_out: bool) -> tuple[Any, Any, Any, Any]:
    """Images and labels to learn from and to judge by."""
    data = getattr(datasets, f"fetch_{name}")(subset="all")
    X, y = data.images, data.target
    end, stop = (50_000, 60_000) if held_out else (60_000, 70_000)
    return X[:end], y[:end], X[end:stop], y[end:stop]


def last_votes(record: Record, part: Part, data: tuple[Any, ...], on: dict[str, Any]) -> Any:
    """Votes on the judging images after the last five epochs, over their range on 5,000 training images."""
    X, y, X_judge, _ = data
    booleanizer = make_union(*(ImageBooleanizer(**each, n_jobs=on["n_jobs"]) for each in FEATURES[part.features])).fit(
        X
    )
    judged = [booleanizer.transform(adtm.warp(X_judge, **view)) for view in record.views]
    first = booleanizer.transform(X)
    seen, found = first[:5000], []
    settings = dict(part.settings)
    if "patch" in settings:
        settings["image_shape"] = (*X.shape[1:], first.n_features // X[0].size)
    machine = adtm.ADTMClassifier(
        **{**settings, "n_clauses": part.n_clauses, "T": part.T, **adtm.DETERMINISTIC, **on},
        probability="shares",
        random_state=0,
    )
    for epoch in range(part.epochs):
        copy = record.copies[epoch % len(record.copies)]
        machine.partial_fit(booleanizer.transform(adtm.warp(X, **copy)) if copy else first, y, classes=range(10))
        if epoch >= part.epochs - 5:
            votes = sum(machine.decision_function(view) for view in judged)
            found.append(votes / np.ptp(machine.decision_function(seen)))
    assert machine.ledger_.draws == 0
    return np.array(found)


def scores(votes: Any, y: Any) -> str:
    right = (votes.argmax(axis=2) == y).mean(axis=1)
    return f"last {right[-1]:.4f}, last five {right.mean():.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=RECORDS)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--n-jobs", type=int, default=1, help="threads of each part")
    parser.add_argument("--backend", default="native", help="cuda: on an NVIDIA card")
    parser.add_argument("--together", type=int, default=1, help="parts that learn at the same time; 2 GiB each")
    asked = parser.parse_args()
    record, on = RECORDS[asked.name], {"n_jobs": asked.n_jobs, "backend": asked.backend}
    data, begin = images(record.data, asked.held_out), time.perf_counter()
    with ThreadPoolExecutor(asked.together) as threads:
        found = list(threads.map(lambda part: last_votes(record, part, data, on), record.parts))
    for part, votes in zip(record.parts, found, strict=True):
        print(f"{part.features}, {part.n_clauses} clauses, {part.epochs} epochs: {scores(votes, data[3])}")
    print(f"all: {scores(sum(found), data[3])}; {time.perf_counter() - begin:.0f} s, no random number")


if __name__ == "__main__":
    main()
