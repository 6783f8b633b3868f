"""Stuck-at faults: bits of a machine's hardware that are 0 or 1 for ever, and what its answers are worth then.

``Faults`` says which bits are stuck: of the automata's registers, their topmost bits (which include a literal), or
whole outputs of clauses. ``FaultyBackend`` learns and votes with them on top of any backend. A clause gets at most one
feedback in a step, so that the stuck bits are imposed once after every step, which is exact for every backend and
changes none of them. ``study`` measures accuracy against the share of faulty bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from adtm.export.verilog.blocks import state_bits
from adtm.machine.backends import Backend, get_backend
from adtm.machine.backends.protocol import Rows, Trainer, Voter
from adtm.machine.ledger import Ledger
from adtm.machine.memory import Memory
from adtm.machine.model import Model
from adtm.machine.schedule import Streams
from adtm.machine.settings import Settings
from adtm.tables.literals import Literals

__all__ = ["KINDS", "WHEN", "FaultKind", "Faults", "FaultyBackend", "Outcome", "When", "faulty", "interval", "study"]

FaultKind = Literal["include", "state", "clause"]
KINDS: tuple[FaultKind, ...] = ("include", "state", "clause")
When = Literal["before", "after", "relearned"]
WHEN: tuple[When, ...] = ("before", "after", "relearned")


@dataclass(frozen=True)
class Faults:
    """Which bits are stuck, and at what.

    The register of an automaton holds its state plus a constant, so that its topmost bit says whether the literal is
    included (``state_bits``). After every write the stuck bits are what they are, and a register that would then hold
    no state holds the nearest one.

    Attributes
    ----------
    zeros, ones : (banks, clauses, literals) uint32
        The bits of each register that are stuck at 0, and at 1.
    outputs : (banks, clauses) int8
        0 for a clause that never says anything, 1 for one that always casts all its votes, -1 for a sound one.

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.datasets import load_balance_scale
    >>> from adtm.faults import Faults, FaultyBackend
    >>> X, y = load_balance_scale(return_X_y=True)
    >>> machine = ADTMClassifier(n_clauses=20, epochs=3).fit(X, y)
    >>> faults = Faults.drawn(machine.model_, "include", share=0.05, stuck_at=1, seed=0)
    >>> machine = machine.set_params(backend=FaultyBackend(faults)).partial_fit(X, y)
    >>> bool(((machine.model_.memory.states >= 100) | (faults.ones == 0)).all())
    True
    """

    zeros: NDArray[np.uint32]
    ones: NDArray[np.uint32]
    outputs: NDArray[np.int8]

    @classmethod
    def drawn(cls, model: Model, kind: FaultKind, *, share: float, stuck_at: Literal[0, 1], seed: int) -> Faults:
        """Faults in a share of the bits of a kind, drawn from a seed, for a machine of this shape."""
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
        if not 0 <= share <= 1:
            raise ValueError(f"share must be from 0 to 1, got {share!r}")
        shape, bits = model.memory.states.shape, state_bits(model.settings.n_states)
        rng, masks, outputs = np.random.default_rng(seed), np.zeros(shape, np.uint32), np.full(shape[:2], -1, np.int8)
        if kind == "clause":
            outputs[rng.random(shape[:2]) < share] = stuck_at
        for bit in range(bits) if kind == "state" else [bits - 1] * (kind == "include"):
            masks |= (rng.random(shape) < share).astype(np.uint32) << np.uint32(bit)
        none = np.zeros_like(masks)
        return cls(none, masks, outputs) if stuck_at else cls(masks, none, outputs)

    def imposed(self, memory: Memory, settings: Settings) -> Memory:
        """The memory as the stuck bits leave it.

        A clause that never says anything counts nothing; one that always does has no literal, which says the same
        while it learns.
        """
        bits = state_bits(settings.n_states)
        top, low = np.uint32(1 << bits - 1), np.uint32(2 ** (bits - 1) - settings.n_states)
        zeros = self.zeros | np.where(self.outputs == 1, top, np.uint32(0))[..., None]
        registers = (memory.states.astype(np.uint32) + low) & ~zeros | self.ones & ~(zeros & top)
        held: Any = np.clip(registers, low, low + 2 * settings.n_states - 1) - low
        weights = np.where((self.outputs == 0)[:, None, :], np.int32(0), memory.weights)
        return replace(memory, states=held.astype(memory.states.dtype), weights=weights)

    def always(self, memory: Memory, settings: Settings) -> NDArray[np.int32]:
        """What the clauses that always say something add to each vote: (banks x outputs,)."""
        counted = memory.weights * (self.outputs == 1)[:, None, :] * np.int32(settings.most_votes)
        total: NDArray[np.int32] = counted.sum(axis=2, dtype=np.int32).ravel()
        return total


@dataclass(frozen=True)
class FaultyBackend:
    """A backend whose machines have faults; ``backend=FaultyBackend(faults)`` of an estimator.

    Parameters
    ----------
    faults : Faults
        Of the shape of the machine.
    sound : Backend or str
        What learns and votes.
    """

    faults: Faults
    sound: Backend | str = "auto"

    @property
    def backend(self) -> Backend:
        return get_backend(self.sound) if isinstance(self.sound, str) else self.sound

    @property
    def name(self) -> str:
        return f"{self.backend.name} with faults"

    def place(self, literals: Literals) -> Any:
        return self.backend.place(literals)

    def trainer(self, settings: Settings, memory: Memory, *, n_jobs: int = 1) -> Trainer:
        return _FaultyTrainer(self, settings, memory, n_jobs)

    def voter(self, settings: Settings, memory: Memory) -> Voter:
        imposed = self.faults.imposed(memory, settings)
        return _FaultyVoter(self.backend.voter(settings, imposed), self.faults.always(imposed, settings))


@dataclass
class _FaultyVoter:
    """Votes, and what clauses add that always say something."""

    sound: Voter
    always: NDArray[np.int32]

    def votes(self, placed: Any, rows: Rows | None = None, *, n_jobs: int = 1) -> NDArray[np.int32]:
        return self.sound.votes(placed, rows, n_jobs=n_jobs) + self.always


class _FaultyTrainer:
    """Learns step by step, with the faults imposed after each."""

    def __init__(self, backend: FaultyBackend, settings: Settings, memory: Memory, n_jobs: int) -> None:
        self._backend, self._settings, self._n_jobs = backend, settings, n_jobs
        self._memory = backend.faults.imposed(memory, settings)

    def train(self, placed: Any, streams: Streams) -> Ledger:
        memory, ledger, faults = self._memory, Ledger(), self._backend.faults
        for step in _single_steps(streams):
            trainer = self._backend.backend.trainer(self._settings, memory, n_jobs=1)
            ledger += trainer.train(placed, step)
            memory = faults.imposed(trainer.finish(), self._settings)
        self._memory = memory
        return ledger

    def memory(self) -> Memory:
        return self._memory.copy()

    def finish(self) -> Memory:
        return self._memory

    def voter(self) -> Voter:
        return self._backend.voter(self._settings, self._memory)


def _single_steps(streams: Streams) -> Iterator[Streams]:
    """The first step of every bank, then the second of each that has one, and so on."""
    first, end = streams.offsets[:-1].astype(np.int64), streams.offsets[1:].astype(np.int64)
    for k in range(int((end - first).max(initial=0))):
        there = first + k < end
        at = (first + k)[there]
        offsets = np.concatenate([[0], np.cumsum(there)]).astype(np.uint64)
        yield Streams(streams.rows[at], streams.outputs[at], streams.targets[at], offsets)


# ---- what they cost --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """Accuracy with faults, one for each fold.

    Attributes
    ----------
    share : float
        Of the bits that are stuck.
    stuck_at : int
    before : tuple of float
        Where the faults were there from the start.
    after : tuple of float
        Where they came after learning.
    relearned : tuple of float
        Where the machine then learned as long again.
    """

    share: float
    stuck_at: int
    before: tuple[float, ...]
    after: tuple[float, ...]
    relearned: tuple[float, ...]


def study(
    machine: Any, X: Any, y: Any, *, kind: FaultKind, shares: Sequence[float], folds: int = 5, seed: int = 0
) -> Iterator[Outcome]:
    """Measure a classifier by cross-validation, for each share of faulty bits and both values at which they are stuck.

    Parameters
    ----------
    machine : ADTMClassifier or TMClassifier
        Not fitted. A share of 0 gives the machine without a fault, which comes first.
    X, y
        The table and its classes.
    kind : {"include", "state", "clause"}
    shares : sequence of float
    folds : int
        Faults are drawn anew in each.
    seed : int

    Yields
    ------
    Outcome
    """
    parts = list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y))
    fitted = [clone(machine).fit(_rows(X, train), y[train]) for train, _ in parts]
    sound = tuple(_accuracy(each, _rows(X, test), y[test]) for each, (_, test) in zip(fitted, parts, strict=True))
    yield Outcome(0.0, 0, sound, sound, sound)
    for share in shares:
        for stuck_at in (0, 1):
            found = []
            for k, (each, (train, test)) in enumerate(zip(fitted, parts, strict=True)):
                faults = Faults.drawn(each.model_, kind, share=share, stuck_at=stuck_at, seed=seed + k)
                taught = (faulty(each, faults, when, _rows(X, train), y[train]) for when in WHEN)
                found.append([_accuracy(one, _rows(X, test), y[test]) for one in taught])
            before, after, relearned = zip(*found, strict=True)
            yield Outcome(share, stuck_at, before, after, relearned)


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Mean, and half the width of its 95 % interval (Student's t).

    Examples
    --------
    >>> mean, half = interval([0.9, 0.92, 0.91, 0.93, 0.89])
    >>> round(mean, 3), round(half, 3)
    (0.91, 0.02)
    """
    n = len(values)
    return float(np.mean(values)), float(t.ppf(0.975, n - 1) * np.std(values, ddof=1) / np.sqrt(n))


def faulty(fitted: Any, faults: Faults, when: When, X: Any, y: Any) -> Any:
    """A machine with faults, like one that is fitted without.

    Parameters
    ----------
    fitted : ADTMClassifier or TMClassifier
        It is not changed.
    faults : Faults
    when : {"before", "after", "relearned"}
        Whether the faults were there before it learned, came after it, or came then and it learned as long again.
    X, y
        What it learned from.

    Returns
    -------
    ADTMClassifier or TMClassifier
    """
    backend, epochs = FaultyBackend(faults, fitted.backend), fitted.model_.epochs
    if when == "before":
        return clone(fitted).set_params(backend=backend, epochs=epochs, early_stopping=False).fit(X, y)
    machine = deepcopy(fitted).set_params(backend=backend)
    for _ in range(epochs if when == "relearned" else 0):
        machine.partial_fit(X, y)
    return machine


def _accuracy(machine: Any, X: Any, y: Any) -> float:
    return float(np.mean(machine.predict(X) == y))


def _rows(X: Any, rows: NDArray[np.intp]) -> Any:
    return X.take(rows) if hasattr(X, "take") and not isinstance(X, np.ndarray) else X[rows]
