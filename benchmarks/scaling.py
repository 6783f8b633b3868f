"""How the cost of ours grows with samples, literals, clauses, classes, threads and d.

Runs in this process, on packed literals, so nothing but training is on the clock. Every point is the second epoch of
a fresh model; all points of a curve are visited in turn, several times over, and the fastest visit counts. The exponent
is the slope of a straight line through (log x, log seconds).
"""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from adtm import PAPER, ADTMClassifier, Literals
from benchmarks.harness import THRESHOLD, mnist

#: What is not varied. T grows with the clauses so that the share of clauses that gets feedback stays about the same.
BASE: dict[str, Any] = {"n_clauses": 400, "T": 20, "s": 10, "d": 100, "n_jobs": 1}
N_SAMPLES = 12_000
VISITS = 3

#: An exponent up to this is called linear; a fit through a handful of timings is not exact.
LINEAR = 1.05

Task = tuple[Literals, np.ndarray, dict[str, Any]]


@dataclass(frozen=True)
class Curve:
    """One quantity varied. `bounded` marks the ones that must not grow worse than linearly."""

    name: str
    label: str
    points: tuple[Any, ...]
    task: Callable[[Any], Task]
    bounded: bool = False


class Digits:
    """MNIST at different sizes."""

    def __init__(self) -> None:
        self.images, self.classes = mnist("train")
        self.literals = Literals.from_boolean(self.images > THRESHOLD)

    def with_samples(self, rows: int) -> Task:
        return self.literals.take(slice(rows)), self.classes[:rows], BASE

    def with_literals(self, n_literals: int) -> Task:
        """Fewer literals by leaving pixels out, more by several thresholds for each pixel."""
        images = self.images[:N_SAMPLES]
        per_pixel = n_literals / (2 * images.shape[1])
        if per_pixel <= 1:
            features = images[:, :: round(1 / per_pixel)] > THRESHOLD
        else:
            features = np.concatenate(
                [images > level for level in np.linspace(0, 255, round(per_pixel) + 2)[1:-1]], axis=1
            )
        return Literals.from_boolean(features), self.classes[:N_SAMPLES], BASE

    def with_clauses(self, n_clauses: int) -> Task:
        T = BASE["T"] * n_clauses // BASE["n_clauses"]
        return (*self.with_samples(N_SAMPLES)[:2], {**BASE, "n_clauses": n_clauses, "T": T})

    def with_classes(self, n_classes: int) -> Task:
        rows = np.flatnonzero(self.classes < n_classes)[:N_SAMPLES]
        return self.literals.take(rows), self.classes[rows], BASE

    def with_param(self, name: str) -> Callable[[Any], Task]:
        return lambda value: (*self.with_samples(N_SAMPLES)[:2], {**BASE, name: value})

    def curves(self) -> Iterator[Curve]:
        yield Curve("samples", "samples", (3750, 7500, 15_000, 30_000, 60_000), self.with_samples, bounded=True)
        yield Curve("literals", "literals", (392, 784, 1568, 3136, 6272, 12_544), self.with_literals, bounded=True)
        yield Curve("clauses", "clauses per class", (100, 200, 400, 800, 1600, 3200), self.with_clauses, bounded=True)
        yield Curve("classes", "classes", (3, 4, 6, 8, 10), self.with_classes)
        yield Curve("threads", "threads", tuple(range(1, (os.cpu_count() or 1) + 1)), self.with_param("n_jobs"))
        yield Curve("d", "d", (1, 3, 10, 100, 1000), self.with_param("d"))


def second_epoch(task: Task, *, seed: int) -> float:
    literals, classes, params = task
    model = ADTMClassifier(**{**PAPER, "silence": "frequent", **params}, random_state=seed)
    known = np.unique(classes)
    model.partial_fit(literals, classes, classes=known)
    start = time.perf_counter()
    model.partial_fit(literals, classes)
    return time.perf_counter() - start


def exponent(x: list[float], seconds: list[float]) -> float | None:
    """Slope of the least-squares line in log-log; None for a single point."""
    if len(x) < 2:
        return None
    return float(np.polyfit(np.log(x), np.log(seconds), 1)[0])


def run(*, quick: bool, say: Callable[[str], None]) -> dict[str, Any]:
    """Measure every curve."""
    visits = 1 if quick else VISITS
    curves = {}
    for curve in Digits().curves():
        points = curve.points[:3] if quick else curve.points
        fastest = [float("inf")] * len(points)
        for visit in range(visits):
            for i, point in enumerate(points):
                fastest[i] = min(fastest[i], second_epoch(curve.task(point), seed=visit + 1))
        slope = exponent([float(point) for point in points], fastest)
        last = exponent([float(point) for point in points[-2:]], fastest[-2:])
        curves[curve.name] = {
            "label": curve.label,
            "x": list(points),
            "seconds": fastest,
            "exponent": slope,
            "last_exponent": last,
            "bounded": curve.bounded,
        }
        say(f"scaling: {curve.label}: seconds {' '.join(f'{value:.3f}' for value in fastest)}, exponent {slope}")
    return {"base": BASE, "n_samples": N_SAMPLES, "visits": visits, "linear": LINEAR, "curves": curves}
