"""Machines of every kind, run by two backends and compared bit for bit: states, counters, weights, ledger and votes."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from itertools import product

import numpy as np

from adtm import _core
from adtm.machine.backends import Backend
from adtm.machine.backends.native import NativeBackend
from adtm.machine.backends.reference import ReferenceBackend
from adtm.machine.heads import Head, Labels, Value, class_head
from adtm.machine.ledger import Ledger
from adtm.machine.memory import Memory, start
from adtm.machine.schedule import Schedule, Streams
from adtm.machine.settings import Settings
from adtm.tables.literals import Literals
from adtm.tables.patches import Patches

TARGETS = _core.instruction_sets()


@dataclass(frozen=True)
class Case:
    """One machine and its data."""

    d: float = 100
    s: float | tuple[float, float] = 3
    n_states: int = 100
    n_literals: int = 64
    n_clauses: int = 10
    T: int = 5
    n_classes: int = 2
    weak: str = "every"
    selection: str = "random"
    boost: bool = True
    n_samples: int = 50
    epochs: int = 2
    seed: int = 7
    saturated: bool = False
    tolerance: int = 0
    max_literals: int | None = None
    n_other_classes: int = 1
    kind: str = "classes"  # or "shared", "labels", "shared labels", "value"
    weights: str = "fixed"
    patches: Patches | None = None  # then n_literals follows

    @property
    def all_literals(self) -> int:
        return self.n_literals if self.patches is None else self.patches.n_literals

    def settings(self) -> Settings:
        step: int | tuple[float, float] = 1
        if self.weak == "every":
            step = self.s if isinstance(self.s, tuple) else min(int(self.s), 2 * self.n_states - 1)
        d = math.inf if self.weak == "bernoulli" else self.d
        return Settings(
            n_clauses=self.n_clauses,
            T=self.T,
            n_states=self.n_states,
            step=step,
            d=d,
            weak=self.weak,  # type: ignore[arg-type]
            s=self.s,
            boost=self.boost,
            seed=self.seed,
            selection=self.selection,  # type: ignore[arg-type]
            tolerance=self.tolerance,
            max_literals=self.max_literals,
            goal="value" if self.kind == "value" else "class",
            weights="free" if "shared" in self.kind else self.weights,  # type: ignore[arg-type]
            patches=self.patches,
        )

    def head(self) -> Head:
        if self.kind == "value":
            return Value(self.T, 0.0, 1.0)
        if "labels" in self.kind:
            return Labels(self.n_classes, "shared" in self.kind)
        return class_head(self.n_classes, shared=self.kind == "shared")

    def data(self) -> tuple[Literals, np.ndarray]:
        rng = np.random.default_rng(self.seed)
        o = self.n_literals // 2 if self.patches is None else self.patches.n_image_features
        X = rng.random((self.n_samples, o)) < rng.choice([0.1, 0.5, 0.9])
        if self.kind == "value":
            y = (X[:, 0] + 0.7 * X[:, -1] + 0.1 * rng.random(self.n_samples)) / 1.8
        elif "labels" in self.kind:
            wrong = rng.random((self.n_samples, self.n_classes)) < 0.2
            y = (X[:, rng.integers(0, o, self.n_classes)] ^ wrong).astype(np.uint8)
        elif self.n_classes == 2:
            y = (X[:, 0] ^ X[:, -1] ^ (rng.random(self.n_samples) < 0.2)).astype(np.intp)
        else:
            y = rng.integers(0, self.n_classes, self.n_samples)
        return Literals.from_boolean(X), y

    def memory(self) -> Memory:
        machine, head = self.settings(), self.head()
        memory, _ = start(machine, n_banks=head.n_banks, n_outputs=head.n_outputs, n_literals=self.all_literals)
        if self.saturated:  # both ends, both sides of the boundary, and what lies between
            rng = np.random.default_rng(self.seed)
            N = machine.n_states
            ends = np.array([0, 1, N - 1, N, 2 * N - 2, 2 * N - 1]).clip(0, 2 * N - 1)
            memory.states[:] = rng.choice(ends, memory.states.shape)
        return memory


@dataclass(frozen=True)
class Outcome:
    memory: Memory
    ledgers: tuple[Ledger, ...]
    votes: np.ndarray


def run(
    case: Case, backend: Backend, *, n_jobs: int = 1, memory: Memory | None = None, calls: list[Streams] | None = None
) -> Outcome:
    """Train and vote, from another memory or with other streams than the case's own if they are given."""
    literals, y = case.data()
    trainer = backend.trainer(case.settings(), case.memory() if memory is None else memory, n_jobs=n_jobs)
    if calls is None:
        head = case.head()
        epochs, schedule = range(case.epochs), Schedule(n_other_classes=case.n_other_classes)
        calls = [head.streams(y, schedule, seed=case.seed, epoch=e, first=e * len(y))[0] for e in epochs]
    placed = backend.place(literals)
    ledgers = [trainer.train(placed, streams) for streams in calls]
    return Outcome(trainer.memory(), tuple(ledgers), trainer.voter().votes(placed, n_jobs=n_jobs))


def assert_equal(expected: Outcome, found: Outcome) -> None:
    for field in fields(Memory):
        one, other = getattr(found.memory, field.name), getattr(expected.memory, field.name)
        np.testing.assert_array_equal(one, other, field.name)
    np.testing.assert_array_equal(found.votes, expected.votes)
    assert found.ledgers == expected.ledgers


def assert_parity(
    case: Case, *, n_jobs: int | tuple[int, ...] = 1, memory: Memory | None = None, calls: list[Streams] | None = None
) -> Outcome:
    """Every target of this CPU, on each number of threads, equals the reference; returns what they all give."""
    expected = run(case, ReferenceBackend(), memory=memory, calls=calls)
    for target, jobs in product(TARGETS, (n_jobs,) if isinstance(n_jobs, int) else n_jobs):
        assert_equal(expected, run(case, NativeBackend(target), n_jobs=jobs, memory=memory, calls=calls))
    return expected


def one_bank(rows: np.ndarray, targets: np.ndarray | int) -> Streams:
    """The steps of a machine with one bank and one output."""
    n = len(rows)
    return Streams(
        rows.astype(np.uint32),
        np.zeros(n, np.uint32),
        np.broadcast_to(targets, n).astype(np.int32),
        np.array([0, n], np.uint64),
    )
