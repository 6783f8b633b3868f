"""`python -m benchmarks.records NAME`: a line of docs/records.md about pictures, learned and tested; nothing is drawn.

Features and settings were chosen on the last 10,000 training images, held out; `--held-out` learns from the others and
judges on these, without the test images. The images come from the directory that `ADTM_DATA` names, or are downloaded.
"""

import argparse
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.pipeline import make_union

import adtm
from adtm import ImageBooleanizer, datasets
from adtm.learning.plan import make_plan
from adtm.machine.backends import get_backend
from adtm.machine.backends.cuda import CudaBackend
from adtm.machine.heads import class_head
from adtm.machine.model import Learning, new_model

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
    "pixels": [{**NOTHING, "values": (75,)}],
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
SMALL = {"s": 200, "tolerance": 39, "max_literals": 100}
LARGE_PATCHES = {"n_other_classes": 9, "s": 150, "tolerance": 15, "max_literals": 48, "patch": (14, 14)}


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
    """Machines whose votes are added; the copies they learn from, and those of an image that they judge.

    Of each machine the votes after the last ``kept`` epochs are added, too.
    """

    data: str
    parts: Sequence[Part]
    copies: Sequence[dict[str, Any]] = ({},)
    views: Sequence[dict[str, Any]] = ({},)
    kept: int = 1


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
    "mnist-patches": Record(
        "mnist",
        (
            Part("cells", LESS_TOLERANT, 200, 400, 34),
            Part("grey", PATCHES, 800, 160, 20),
            Part("grey", LARGE_PATCHES, 400, 160, 16),
        ),
        DIGITS,
        ({}, *SHIFTS),
        kept=9,
    ),
    "mnist-small": Record("mnist", (Part("pixels", SMALL, 20, 14, 200),)),
}


def images(name: str, held_out: bool) -> tuple[Any, Any, Any, Any]:
    """Images and labels to learn from and to judge by."""
    data = getattr(datasets, f"fetch_{name}")(subset="train" if held_out else "all")
    X, y = data.images, data.target
    end = 50_000 if held_out else 60_000
    return X[:end], y[:end], X[end:], y[end:]


class Pictures:
    """Images as features: copies to learn from and views to judge by, where the backend wants them.

    Each is made once, for all machines that ask; copies that are warped only with ``keep``. One is made at a time, by
    ``n_jobs`` threads.
    """

    _making = threading.Lock()

    def __init__(self, features: str, X: Any, X_judge: Any, backend: Any, *, n_jobs: int, keep: bool) -> None:
        booleanizers = (ImageBooleanizer(**each, n_jobs=n_jobs) for each in FEATURES[features])
        self._union, self._X, self._X_judge = make_union(*booleanizers).fit(X), X, X_judge
        self.n_features = sum(each.n_features_out_ for _, each in self._union.transformer_list)
        self._backend, self._keep = backend, keep
        self._kept: dict[str, Any] = {}
        self._asking = threading.Lock()

    def copy(self, warped: dict[str, Any]) -> Any:
        return self._made(f"copy {warped}", self._X, warped, keep=self._keep or not warped)

    def view(self, warped: dict[str, Any]) -> Any:
        return self._made(f"view {warped}", self._X_judge, warped)

    def seen(self) -> Any:
        """The first 5,000 of the images to learn from."""
        return self._made("seen", self._X[:5000], {})

    def _made(self, name: str, images: Any, warped: dict[str, Any], *, keep: bool = True) -> Any:
        with self._asking:
            if name in self._kept:
                return self._kept[name]
            with self._making:
                placed = self._placed(images, warped)
            if keep:
                self._kept[name] = placed
            return placed

    def _placed(self, images: Any, warped: dict[str, Any]) -> Any:
        return self._backend.place(self._union.transform(adtm.warp(images, **warped) if warped else images))


def epochs_of(part: Part, copies: Sequence[dict[str, Any]], pictures: Pictures, y: Any, on: Any) -> Iterator[Learning]:
    """A machine after each epoch; ``on`` are backend and threads."""
    given = {**part.settings, "n_clauses": part.n_clauses, "T": part.T, **adtm.DETERMINISTIC, "n_jobs": on["n_jobs"]}
    if "patch" in given:
        given["image_shape"] = (28, 28, pictures.n_features // 28**2)
    plan = make_plan("ADTMClassifier", adtm.ADTMClassifier(**given).get_params(deep=False))
    settings = replace(plan.settings, seed=0)
    if plan.view is not None:
        settings = replace(settings, patches=plan.view.patches(given["image_shape"]))
    head = class_head(10, plan.silence)
    learning = Learning(new_model(settings, head, n_features=pictures.n_features), on["backend"], n_jobs=on["n_jobs"])
    for epoch in range(part.epochs):
        ledger = learning.epoch(pictures.copy(copies[epoch % len(copies)]), y, plan.schedule)
        assert ledger.draws == 0
        yield learning


def votes_of(learning: Learning, pictures: Pictures, views: Sequence[dict[str, Any]]) -> Any:
    """Votes on all views of the judging images, over their range on training images."""
    voter = learning.voter()
    votes = sum(voter.votes(pictures.view(view)).astype(np.float64) for view in views)
    return votes / np.ptp(voter.votes(pictures.seen()))


def last_votes(record: Record, part: Part, pictures: Pictures, y: Any, on: Any) -> tuple[Any, float]:
    """Votes after the last five epochs, those of the ``kept`` machines up to each added; seconds of an epoch."""
    recent: deque[Any] = deque(maxlen=record.kept + 4)
    seconds = []
    for epoch, learning in enumerate(epochs_of(part, record.copies, pictures, y, on)):
        seconds.append(learning.seconds)
        if epoch >= part.epochs - record.kept - 4:
            recent.append(votes_of(learning, pictures, record.views))
    kept = [sum(list(recent)[first : first + record.kept]) for first in range(5)]
    return np.array(kept), float(np.median(seconds))


def scores(votes: Any, y: Any) -> str:
    right = (votes.argmax(axis=2) == y).mean(axis=1)
    return f"last {right[-1]:.4f}, last five {right.mean():.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=RECORDS)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--n-jobs", type=int, default=1, help="threads of each part, and of making features")
    parser.add_argument("--backend", default="native", help="cuda: on an NVIDIA card")
    parser.add_argument("--together", type=int, default=1, help="parts that learn at the same time")
    parser.add_argument(
        "--keep", action="store_true", help="make each copy once: up to 15 GiB for each kind of features"
    )
    asked = parser.parse_args()
    record, begin = RECORDS[asked.name], time.perf_counter()
    backend = get_backend(asked.backend)
    if asked.together > 1 and isinstance(backend, CudaBackend):
        backend = CudaBackend(machines=asked.together)
    X, y, X_judge, y_judge = images(record.data, asked.held_out)
    pictures = {
        name: Pictures(name, X, X_judge, backend, n_jobs=asked.n_jobs, keep=asked.keep)
        for name in sorted({part.features for part in record.parts})
    }
    on = {"backend": backend, "n_jobs": asked.n_jobs}
    with ThreadPoolExecutor(asked.together) as threads:
        found = list(threads.map(lambda part: last_votes(record, part, pictures[part.features], y, on), record.parts))
    for part, (votes, seconds) in zip(record.parts, found, strict=True):
        what = f"{part.features}, {part.n_clauses} clauses, {part.epochs} epochs of {1000 * seconds:.1f} ms"
        print(f"{what}: {scores(votes, y_judge)}")
    total = sum(votes for votes, _ in found)
    print(f"all: {scores(total, y_judge)}; {time.perf_counter() - begin:.0f} s, no random number")


if __name__ == "__main__":
    main()
