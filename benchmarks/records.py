"""`python -m benchmarks.records NAME`: a line of docs/records.md about pictures, learned and tested; nothing is drawn.

Features and settings were chosen on the last 10,000 training images, held out; `--held-out` learns from the others and
judges on these, without the test images. The images come from the directory that `ADTM_DATA` names, or are downloaded.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import count, cycle
from typing import Any

import numpy as np
from sklearn.pipeline import make_union

import adtm
from adtm import ImageBooleanizer, datasets
from adtm.learning.plan import make_plan
from adtm.machine.backends import get_backend
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
LEVELS = {**NOTHING, **TRAINING, "values": (0,), "levels": (0.1, 0.3, 0.5, 0.7, 0.9)}
LARGE_POOLED = {**POOLED, "gradients": (5, 7), "diagonals": (5, 7), "lines": (5,), "spots": (5, 9)}
OTHER_CELLS = [
    {**CELLS, "pool": 3},
    {**CELLS, "directions": (7,), "pool": 6, "stride": 3},
    {**CELLS, "directions": (5,), "pool": 14, "stride": 7},
]
FEW = {"gradients": (3, 7), "diagonals": (3,), "lines": (3,), "edges": (0.5,)}
#: Booleanizers whose features stand side by side.
FEATURES: dict[str, list[dict[str, Any]]] = {
    "pooled": [FINE, POOLED, COARSE],
    "cells": [FINE, {**CELLS, **TRAINING}, {**LARGE_CELLS, **TRAINING}],
    "pooled and cells": [FINE, POOLED, COARSE, {**CELLS, **TRAINING}, {**LARGE_CELLS, **TRAINING}],
    "other pools and cells": [LEVELS, POOLED, LARGE_POOLED, *({**each, **TRAINING} for each in OTHER_CELLS)],
    "fine and cells": [{**FEW, **TRAINING}, CELLS, LARGE_CELLS],
    "grey": [{**NOTHING, "values": (63, 127)}],
    "pixels": [{**NOTHING, "values": (75,)}],
}

MIRROR = {"mirror": True}
SHIFTS = tuple({"shift": shift} for shift in ((0, 1), (1, 0), (0, -1), (-1, 0)))
NEARBY = ({}, *SHIFTS, *({"shift": shift} for shift in ((1, 1), (-1, -1), (1, -1), (-1, 1))))


def turned(sharp: Sequence[dict[str, Any]], turns: Sequence[float], zooms: Sequence[float]) -> list[dict[str, Any]]:
    """Copies that are turned and zoomed, too, by amounts of their own."""
    amounts = zip(cycle(sharp), turns, zooms, strict=False)
    return [{**each, "turn": turn, "zoom": zoom} for each, turn, zoom in amounts]


#: One copy of each image is seen in an epoch: as it is, or moved, mirrored, turned and zoomed.
BOTH_SIDES = [{**each, **side} for each in NEARBY for side in ({}, MIRROR)]
CLOTHES = (
    *BOTH_SIDES,
    *turned(
        BOTH_SIDES,
        (3, -3, 6, -6, 4, -4, 2, -2, 5, -5, 0, 0, 3, -3, 6, -6, 0, 0),
        (1, 1, 1, 1, 0.95, 1.05, 1.07, 0.93, 0.95, 1.05, 0.92, 1.08, 1.05, 0.95, 0.96, 1.04, 1.05, 0.95),
    ),
)
DIGITS = (
    *NEARBY,
    *turned(
        NEARBY,
        (5, -5, 10, -10, 7, -7, 12, -12, 4, -3, 8, -8, 6, -6, 0, 0, 10, -10),
        (1, 1, 1, 1, 0.93, 1.07, 1, 1, 0.9, 1.1, 0.94, 1.06, 0.9, 1.1, 0.93, 1.07, 0.95, 1.05),
    ),
)

COMMON = {"s": 700, "n_other_classes": 9}
TOLERANT = {**COMMON, "tolerance": 99, "max_literals": 120}
MORE_TOLERANT = {**COMMON, "tolerance": 199, "max_literals": 250}
LESS_TOLERANT = {**COMMON, "tolerance": 31, "max_literals": 64}
SHORT = {**COMMON, "tolerance": 29, "max_literals": 30}
PATCHES = {"n_other_classes": 9, "s": 150, "tolerance": 7, "max_literals": 32, "patch": (10, 10)}
SMALL = {"s": 200, "tolerance": 39, "max_literals": 100}
LARGE_PATCHES = {"n_other_classes": 9, "s": 150, "tolerance": 15, "max_literals": 48, "patch": (14, 14)}


@dataclass(frozen=True)
class Part:
    """A machine: its features and settings."""

    features: str
    settings: dict[str, Any]
    n_clauses: int
    T: int


@dataclass(frozen=True)
class Record:
    """Machines whose votes are added; the copies that they learn from, and those of an image that they judge.

    In the last epochs, ``n_last`` of them, they may learn from other copies.
    """

    data: str
    parts: Sequence[Part]
    epochs: int
    copies: Sequence[dict[str, Any]] = ({},)
    views: Sequence[dict[str, Any]] = ({},)
    last: Sequence[dict[str, Any]] = ()
    n_last: int = 0

    def shown(self, epoch: int) -> tuple[bool, int]:
        """Whether an epoch sees the last copies, and which of its kind it is, in turn."""
        late = bool(self.last) and epoch >= self.epochs - self.n_last
        return late, epoch % len(self.last if late else self.copies)


FLAT = (Part("pooled", LESS_TOLERANT, 200, 400), Part("cells", LESS_TOLERANT, 200, 400))
RECORDS = {
    "fashion": Record(
        "fashion_mnist",
        (
            Part("pooled", TOLERANT, 100, 200),
            Part("cells", MORE_TOLERANT, 100, 400),
            Part("pooled", MORE_TOLERANT, 100, 400),
            Part("cells", TOLERANT, 100, 200),
        ),
        50,
    ),
    "fashion-copies": Record(
        "fashion_mnist",
        (
            *(Part(each, SHORT, 1600, 300) for each in ("pooled and cells", "other pools and cells", "fine and cells")),
            Part("pooled and cells", TOLERANT, 200, 400),
        ),
        89,
        CLOTHES,
        views=BOTH_SIDES[:10],
        last=({}, MIRROR),
        n_last=10,
    ),
    "mnist-flat": Record("mnist", FLAT, 48, DIGITS, ({}, *SHIFTS)),
    "mnist-patches": Record(
        "mnist",
        (*FLAT, Part("grey", PATCHES, 800, 160), Part("grey", LARGE_PATCHES, 400, 160)),
        48,
        DIGITS,
        ({}, *SHIFTS),
    ),
    "mnist-small": Record("mnist", (Part("pixels", SMALL, 20, 14),), 200),
}


def images(name: str, held_out: bool) -> tuple[Any, Any, Any, Any]:
    """Images and labels to learn from and to judge by."""
    data = getattr(datasets, f"fetch_{name}")(subset="train" if held_out else "all")
    X, y = data.images, data.target
    end = 50_000 if held_out else 60_000
    return X[:end], y[:end], X[end:], y[end:]


class Pictures:
    """Images as features, where the backend wants them; what the next epoch sees is made while one is learned.

    With ``keep`` it is kept until the same copies come again. One thread at a time makes features, by ``n_jobs`` more.
    """

    _maker = ThreadPoolExecutor(1)

    def __init__(self, features: str, record: Record, X: Any, X_judge: Any, on: dict[str, Any], *, keep: bool) -> None:
        booleanizers = (ImageBooleanizer(**each, n_jobs=on["n_jobs"]) for each in FEATURES[features])
        self._union, self._X, self.record, self._keep = make_union(*booleanizers).fit(X), X, record, keep
        self.n_features = sum(each.n_features_out_ for _, each in self._union.transformer_list)
        self._place, self._n_jobs = on["backend"].place, on["n_jobs"]
        self._made: dict[tuple[bool, int], Future[Any]] = {}
        self.views = [self._placed(adtm.warp(X_judge, **view)) for view in record.views]
        self.seen = self._placed(X[:5000])

    def epoch(self, number: int) -> Any:
        """What is seen in an epoch."""
        this, following = self.record.shown(number), self.record.shown(number + 1)
        for each in (this, following):
            if each not in self._made:
                self._made[each] = self._maker.submit(self._augmented, *each)
        if not self._keep:
            self._made = {each: self._made[each] for each in (this, following)}
        return self._made[this].result()

    def _augmented(self, late: bool, number: int) -> Any:
        copies = self.record.last if late else self.record.copies
        return self._placed(adtm.augment(self._X, copies, number, n_jobs=self._n_jobs))

    def _placed(self, images: Any) -> Any:
        return self._place(self._union.transform(images))


def rounds(record: Record, pictures: dict[str, Pictures], y: Any, on: dict[str, Any]) -> Iterator[list[Learning]]:
    """All machines after each epoch; ``on`` are backend and threads."""
    begun = [_begun(part, pictures[part.features].n_features, on) for part in record.parts]
    for epoch in count():
        for part, (learning, schedule) in zip(record.parts, begun, strict=True):
            ledger = learning.epoch(pictures[part.features].epoch(epoch), y, schedule)
            assert ledger.draws == 0
        yield [learning for learning, _ in begun]


def _begun(part: Part, n_features: int, on: dict[str, Any]) -> tuple[Learning, Any]:
    given = {**part.settings, "n_clauses": part.n_clauses, "T": part.T, **adtm.DETERMINISTIC, "n_jobs": on["n_jobs"]}
    if "patch" in given:
        given["image_shape"] = (28, 28, n_features // 28**2)
    plan = make_plan("ADTMClassifier", adtm.ADTMClassifier(**given).get_params(deep=False))
    settings = replace(plan.settings, seed=0)
    if plan.view is not None:
        settings = replace(settings, patches=plan.view.patches(given["image_shape"]))
    model = new_model(settings, class_head(10, plan.silence), n_features=n_features)
    return Learning(model, on["backend"], n_jobs=on["n_jobs"]), plan.schedule


def votes_of(learning: Learning, pictures: Pictures) -> Any:
    """Votes on all views of the judging images, over their range on training images."""
    voter = learning.voter()
    return sum(voter.votes(view).astype(np.float64) for view in pictures.views) / np.ptp(voter.votes(pictures.seen))


def scores(votes: Any, y: Any) -> str:
    """Of votes after some epochs."""
    right = (votes.argmax(axis=2) == y).mean(axis=1)
    return f"last {right[-1]:.4f}, mean of the last {len(right)} {right.mean():.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=RECORDS)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--n-jobs", type=int, default=1, help="threads of learning, and of making features")
    parser.add_argument("--backend", default="native", help="cuda: on an NVIDIA card")
    parser.add_argument("--epochs", type=int, help="other than those of the record; at least one")
    parser.add_argument("--keep", action="store_true", help="keep all copies as features: up to 50 GiB in all")
    asked = parser.parse_args()
    record, begin = RECORDS[asked.name], time.perf_counter()
    record = replace(record, epochs=asked.epochs or record.epochs)
    X, y, X_judge, y_judge = images(record.data, asked.held_out)
    on = {"backend": get_backend(asked.backend), "n_jobs": asked.n_jobs}
    names = sorted({part.features for part in record.parts})
    pictures = {name: Pictures(name, record, X, X_judge, on, keep=asked.keep) for name in names}
    votes, seconds = [], []
    for epoch, machines in zip(range(record.epochs), rounds(record, pictures, y, on), strict=False):
        seconds.append([machine.seconds for machine in machines])
        if epoch >= record.epochs - 5:
            pairs = zip(machines, record.parts, strict=True)
            votes.append([votes_of(machine, pictures[part.features]) for machine, part in pairs])
        took = time.perf_counter() - begin
        print(f"epoch {epoch + 1} of {record.epochs}, {took:.0f} s", file=sys.stderr, flush=True)
    for k, (part, own) in enumerate(zip(record.parts, np.median(seconds, axis=0), strict=True)):
        about = f"{part.features}, {part.n_clauses} clauses, {record.epochs} epochs of {1000 * own:.1f} ms"
        print(f"{about}: {scores(np.array(votes)[:, k], y_judge)}")
    print(f"all: {scores(np.array(votes).sum(axis=1), y_judge)}; {time.perf_counter() - begin:.0f} s, no random number")


if __name__ == "__main__":
    main()
