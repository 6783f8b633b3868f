"""Machines of every kind: the native core on any target and any number of threads equals the reference, bit for bit."""

from __future__ import annotations

import math
import tempfile
import warnings
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

import adtm
from adtm import ADTMClassifier, ADTMRegressor, TMClassifier, _core
from adtm.machine.backends import Backend
from adtm.machine.backends.native import NativeBackend
from adtm.machine.backends.reference import ReferenceBackend
from adtm.machine.memory import Memory, start
from adtm.machine.schedule import Streams
from adtm.machine.settings import Settings
from adtm.tables.literals import Literals
from adtm.tables.patches import Patches

from . import Rng, pick

CLOCKS = [0, 0, 0, 254, 2**31, 2**32, 2**33, 2**62]


def any_settings(rng: Rng) -> Settings:
    weak = pick(rng, ["every", "rota", "bernoulli"])
    n_states = pick(rng, [1, 2, 100, 127, 128, 129, 1000, 32768, int(rng.integers(1, 400))])
    s = pick(rng, [1, 2, 3, 10, 300, int(rng.integers(1, 400))])
    span = (s, s * pick(rng, [1, 3, 100])) if rng.random() < 0.3 else None
    return Settings(
        n_clauses=pick(rng, [1, 2, 63, 64, 65, 130, 200, int(rng.integers(1, 40))]),
        T=pick(rng, [1, 5, 40, 2**30, int(rng.integers(1, 300))]),
        n_states=n_states,
        step=span or min(s, 2 * n_states - 1) if weak == "every" else 1,
        d=math.inf if weak == "bernoulli" else pick(rng, [1, 2, 3, 7, 100, 5000, 2**32, math.inf, s]),
        weak=weak,
        s=span or (float(s) if weak == "rota" else s * pick(rng, [1.0, 1.37])),
        boost=bool(rng.random() < 0.5),
        seed=int(rng.integers(0, 2**64 - 1, dtype=np.uint64)),
        selection=pick(rng, ["random", "weyl"]),
        goal=pick(rng, ["class", "class", "value"]),
        weights=pick(rng, ["fixed", "fixed", "sided", "free"]),
        tolerance=pick(rng, [0, 0, 0, 1, 3, 254, 255, 65534]),
        max_literals=pick(rng, [None, None, 1, 8]),
    )


def any_patches(rng: Rng) -> Patches:
    """Images of any shape that the reference can look at in time."""
    height, width, channels = (pick(rng, [1, 2, int(rng.integers(1, 25)), 70]), int(rng.integers(1, 25)), 1)
    if height * width < 200:
        channels = pick(rng, [1, 1, 2, 5])
    size = (int(rng.integers(1, min(height, 9) + 1)), int(rng.integers(1, min(width, 9) + 1)))
    return Patches((height, width, channels), size, (pick(rng, [1, 1, 2, 7]), pick(rng, [1, 1, 2, 7])))


def any_memory(rng: Rng, settings: Settings, n_literals: int) -> Memory:
    n_banks, n_outputs, N = int(rng.integers(1, 5)), pick(rng, [1, 1, 2, 3]), settings.n_states
    memory, _ = start(settings, n_banks=n_banks, n_literals=n_literals, n_outputs=n_outputs)
    shape, weights = memory.states.shape, memory.weights
    kind = pick(rng, ["start", "ends", "deep", "any"])
    if kind == "ends":
        memory.states[:] = rng.choice(np.array([0, 1, N - 1, N, 2 * N - 2, 2 * N - 1]).clip(0, 2 * N - 1), shape)
    elif kind == "deep":  # few literals, far inside: clauses that seldom or never fire
        memory.states[:] = np.where(rng.random(shape) < 10 / n_literals, rng.integers(N, 2 * N, shape), N - 1)
    elif kind == "any":
        memory.states[:] = rng.integers(0, 2 * N, shape)
    if rng.random() < 0.4:
        weights[:] = pick(rng, [rng.choice([-1, 1], weights.shape), rng.integers(-9, 9, weights.shape), 1, 0, -(10**4)])
        np.clip(weights, -settings.largest_weight, settings.largest_weight, out=weights)
    memory.updates += np.uint64(max(0, pick(rng, CLOCKS) - int(rng.integers(0, 40))))
    memory.steps += np.uint64(max(0, pick(rng, CLOCKS) - int(rng.integers(0, 40))))
    memory.banks[:] = np.sort(rng.choice(2**20, n_banks, replace=False))
    return memory


def any_streams(rng: Rng, settings: Settings, memory: Memory, n_samples: int) -> Streams:
    n_banks, n_outputs, _ = memory.weights.shape
    longest = pick(rng, [5, 64, 130, 1000 if memory.states.size < 20_000 else 130])
    lengths = rng.integers(0, longest, n_banks) * (rng.random(n_banks) < 0.9)
    n = int(lengths.sum())
    most = settings.T if settings.goal == "value" else 1
    targets = pick(rng, [rng.integers(0, most + 1, n), np.full(n, most), rng.random(n) < 0.05])
    return Streams(
        rows=rng.integers(0, n_samples, n).astype(np.uint32),
        outputs=rng.integers(0, n_outputs, n).astype(np.uint32),
        targets=targets.astype(np.int32),
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint64),
    )


def machines(rng: Rng) -> None:
    """A machine learns in several calls; now and then another trainer goes on from its memory."""
    settings = any_settings(rng)
    n_features = pick(rng, [1, 31, 32, 33, 64, 65, 256, 257, int(rng.integers(1, 120))])
    n_literals = 2 * n_features
    if rng.random() < 0.3:
        patches = any_patches(rng)
        settings = replace(settings, patches=patches, n_clauses=min(settings.n_clauses, 70))
        settings = replace(settings, tolerance=pick(rng, [0, 1, 3, 9]), max_literals=pick(rng, [None, 1, 16]))
        n_features, n_literals = patches.n_image_features, patches.n_literals
    literals = Literals.from_boolean(rng.random((int(rng.integers(1, 90)), n_features)) < pick(rng, [0.1, 0.5, 0.95]))
    memory = any_memory(rng, settings, n_literals)
    backend, n_jobs = NativeBackend(pick(rng, _core.instruction_sets())), int(rng.integers(1, 8))
    expected, found = ReferenceBackend().trainer(settings, memory), backend.trainer(settings, memory, n_jobs=n_jobs)
    about = f"{settings}, weights {memory.weights.shape}, {n_literals} literals, {backend}, {n_jobs} threads"
    for call in range(int(rng.integers(1, 4))):
        streams = any_streams(rng, settings, memory, len(literals))
        counted = [trainer.train(literals, streams) for trainer in (expected, found)]
        assert counted[0] == counted[1], f"call {call}: {about}"
        after, again = expected.memory(), found.memory()
        for field in fields(Memory):
            one, other = getattr(after, field.name), getattr(again, field.name)
            np.testing.assert_array_equal(one, other, f"{field.name} after call {call}: {about}")
        votes = expected.voter().votes(literals)
        for voter in (found.voter(), backend.voter(settings, again)):
            np.testing.assert_array_equal(votes, voter.votes(literals, n_jobs=n_jobs), f"votes: {about}")
        if rng.random() < 0.5:
            found = backend.trainer(settings, again, n_jobs=int(rng.integers(1, 8)))


def any_parameters(rng: Rng, kind: type) -> dict[str, Any]:
    """Parameters of an estimator: committees, learned weights and early stopping among them."""
    parameters: dict[str, Any] = {
        "n_clauses": pick(rng, [2, 20, 130]),
        "T": pick(rng, [1, 15]),
        "epochs": 2,
        "random_state": int(rng.integers(2**32)),
        "selection": pick(rng, ["random", "weyl"]),
        "shuffle": pick(rng, [True, False, "weyl", "sorted", "blocks", "drawn blocks"]),
        "tolerance": pick(rng, ["auto", 0, 2]),
    }
    if rng.random() < 0.3:
        parameters |= {"n_members": pick(rng, [2, 3]), "member_rows": pick(rng, [1.0, 0.5])}
    if rng.random() < 0.3:
        parameters |= {"early_stopping": True, "epochs": 4, "n_iter_no_change": 1, "validation_fraction": 0.3}
    if kind is not TMClassifier:
        parameters["weights"] = pick(rng, ["fixed", "integer"])
        parameters |= {"d": pick(rng, [1, 7, 100, math.inf]), "weak": pick(rng, ["every", "rota"])}
    if kind is not ADTMRegressor:
        parameters["class_weight"] = pick(rng, [None, None, "balanced", {0: 2.5}])
        if kind is ADTMClassifier and rng.random() < 0.2:
            parameters |= {"shared": True, "weights": "auto"}
    return parameters


def any_lesson(rng: Rng, kind: type, y: np.ndarray) -> dict[str, Any]:
    """What one call learns: y, and now and then a weight for each row."""
    weights = [None, rng.integers(0, 3, len(y)).astype(float), rng.random(len(y)) + 0.1]
    return {"y": y + rng.random(len(y)) if kind is ADTMRegressor else y, "sample_weight": pick(rng, weights)}


def estimators(rng: Rng) -> None:
    """An estimator fits, goes on, is saved and loaded; its twin by the reference does the same."""
    n_classes = pick(rng, [2, 3, 5])
    X = rng.integers(0, 3, (int(rng.integers(20, 50)), int(rng.integers(1, 6))))
    y = np.arange(len(X)) % n_classes
    kind = pick(rng, [ADTMClassifier, ADTMClassifier, TMClassifier, ADTMRegressor])
    parameters = any_parameters(rng, kind)
    backends: list[Backend] = [ReferenceBackend(), NativeBackend(pick(rng, _core.instruction_sets()))]
    pair = [
        kind(**parameters, backend=backend, n_jobs=n_jobs) for backend, n_jobs in zip(backends, (1, 3), strict=True)
    ]
    told: list[str] = []
    for _ in range(int(rng.integers(1, 6))):
        action = pick(rng, ["fit", "partial_fit", "partial_fit", "save"]) if told else pick(rng, ["fit", "partial_fit"])
        told.append(action)
        lesson = any_lesson(rng, kind, y)
        if action == "partial_fit" and kind is not ADTMRegressor:
            lesson["classes"] = np.arange(n_classes)
        about = f"{told}, {kind.__name__}, {parameters}, {backends[1]}"
        refused = [_act(pair, k, action, X, lesson, backends[k]) for k in range(2)]
        assert refused[0] == refused[1], about
        if any(refused):
            return
        one, other = (machine.model_ for machine in pair)
        for name in ("states", "updates", "weights"):
            np.testing.assert_array_equal(getattr(one.memory, name), getattr(other.memory, name), about)
        assert asdict(one.ledger) == asdict(other.ledger), about
        ask = "predict" if kind is ADTMRegressor else "decision_function"
        np.testing.assert_array_equal(getattr(pair[0], ask)(X), getattr(pair[1], ask)(X), about)


def _act(pair: list[Any], k: int, action: str, X: np.ndarray, lesson: dict[str, Any], backend: Backend) -> str:
    """Do it; the words of a refusal, such as of weights that leave nothing to learn."""
    if action == "save":
        with tempfile.TemporaryDirectory() as folder:
            pair[k].save(Path(folder) / "machine")
            pair[k] = adtm.load(Path(folder) / "machine").set_params(backend=backend, n_jobs=3)
        return ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", adtm.AdviceWarning)  # any setting may come up
        try:
            getattr(pair[k], action)(X, **lesson)
        except ValueError as error:
            return str(error)
    return ""


def attack(seed: int) -> None:
    rng = np.random.default_rng(seed)
    (machines if rng.random() < 0.75 else estimators)(rng)
