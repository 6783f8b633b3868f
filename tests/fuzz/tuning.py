"""Searches that were stopped: whatever is left of the file, the search resumes and finds what the whole one found."""

from __future__ import annotations

import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import adtm
from adtm import ADTMClassifier, ADTMRegressor, AdviceWarning
from adtm.jsonlines import LinesError

from . import Rng, pick

Found = list[tuple[dict[str, Any], int, float]]
KINDS = ["classes", "labels", "value"]


@cache
def data(kind: str) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(3).integers(0, 4, (60, 3))
    y = {"classes": X[:, 0] > X[:, 1], "labels": X[:, :2] > 1, "value": X.sum(axis=1) / 7}[kind]
    return X, y


def search(kind: str, path: Path | None = None) -> Found:
    X, y = data(kind)
    estimator = (ADTMRegressor if kind == "value" else ADTMClassifier)(n_clauses=4, n_members=2)
    space = {"s": [2, (2, 9), 5], "tolerance": [0, 2]}
    with warnings.catch_warnings(action="ignore", category=AdviceWarning):
        found = adtm.tune(X, y, estimator=estimator, space=space, n_candidates=6, epochs=2, path=path, refit=False)
    return [(trial.parameters, trial.epochs, trial.score) for trial in found.trials_]


@cache
def undisturbed(kind: str) -> tuple[Found, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        return search(kind, Path(folder) / "search"), (Path(folder) / "search").read_bytes()


def damaged(rng: Rng, content: bytes) -> bytes:
    """What a kill, a full disk or a hand may leave of a file."""
    lines, place = content.splitlines(keepends=True), int(rng.integers(len(content) + 1))
    how = pick(rng, ["cut", "cut", "lost", "doubled", "mixed", "altered"])
    if how == "cut":
        return content[:place]
    if how == "altered":
        return content[:place] + rng.bytes(1) + content[place + 1 :]
    chosen = pick(rng, lines)
    if how == "lost":
        lines.remove(chosen)
    elif how == "doubled":
        lines.append(chosen)
    else:
        lines = [lines[k] for k in rng.permutation(len(lines))]
    return b"".join(lines)


def attack(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kind = pick(rng, KINDS)
    expected, content = undisturbed(kind)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "search"
        path.write_bytes(damaged(rng, content))
        try:
            found = search(kind, path)
        except LinesError as error:  # nothing in it that was written here: it may be somebody else's file
            assert str(path) in str(error)  # noqa: PT017
            return
        assert found == expected, f"{kind}: {path.read_bytes()!r:.2000}"
        assert search(kind, path) == expected
