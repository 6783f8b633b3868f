"""What a machine's answers are worth when bits of its hardware are stuck at 0 or 1 for ever.

``Faults`` says which bits are stuck: of the automata's registers, their topmost bits (which include a literal), or
whole outputs of clauses. ``FaultyBackend`` learns and votes with them. ``study`` measures accuracy against the share of
faulty bits.
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

from adtm.learning.classifier import TsetlinClassifier
from adtm.machine.backends import Backend, get_backend
from adtm.machine.backends.native import NativeBackend, NativeTrainer
from adtm.machine.backends.protocol import Rows, Trainer, Voter
from adtm.machine.backends.reference import ReferenceBackend, ReferenceTrainer
from adtm.machine.faults import KINDS, FaultKind, Faults, check_faults
from adtm.machine.ledger import Ledger
from adtm.machine.memory import Memory
from adtm.machine.schedule import Streams
from adtm.machine.settings import Settings
from adtm.tables.answers import plain_labels
from adtm.tables.literals import Literals
from adtm.tables.pieces import checked_weights, rows_in
from adtm.tables.table import take_rows
from adtm.validation import check_folds

__all__ = ["KINDS", "WHEN", "FaultKind", "Faults", "FaultyBackend", "Outcome", "When", "faulty", "interval", "study"]

When = Literal["before", "after", "relearned"]
WHEN: tuple[When, ...] = ("before", "after", "relearned")


@dataclass(frozen=True)
class FaultyBackend:
    """A backend whose machines have faults; ``backend=FaultyBackend(faults)`` of an estimator.

    What a machine remembers says nothing of its faults: rules, files and predictors, which are made of that alone, are
    refused. The weights of silent clauses stay what they were.

    Parameters
    ----------
    faults : Faults
        Of the shape of the machine, whose parameters must be given: those left open are found by machines of others.
    sound : {"auto", "native", "reference"} or one of these backends
        What learns and votes.
    """

    faults: Faults
    sound: Backend | str = "auto"

    @property
    def backend(self) -> NativeBackend | ReferenceBackend:
        backend = get_backend(self.sound)
        if not isinstance(backend, NativeBackend | ReferenceBackend):
            raise ValueError(f"faults need the backend 'native' or 'reference', got {backend.name!r}")
        return backend

    @property
    def name(self) -> str:
        return f"{self.backend.name} with faults {self.faults.digest}"  # a model keeps its voter by this name

    def place(self, literals: Literals) -> Any:
        return self.backend.place(literals)

    def trainer(self, settings: Settings, memory: Memory, *, n_jobs: int = 1) -> Trainer:
        del n_jobs  # bits are imposed step by step
        backend, imposed = self.backend, self.faults.imposed(memory, settings)
        if isinstance(backend, NativeBackend):
            learns: Trainer = NativeTrainer(settings, imposed, cpu=backend.cpu, faults=self.faults)
        else:
            learns = ReferenceTrainer(settings, imposed, self.faults)
        return _FaultyTrainer(self, settings, learns, memory.weights.copy())

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


@dataclass
class _FaultyTrainer:
    """Learns with faults; its voters have them, too.

    Silence is theirs as well: in the memory a silent clause has a weight, without which no sound machine could be.
    """

    backend: FaultyBackend
    settings: Settings
    learns: Trainer
    weights: NDArray[np.int32]  # those that it began with

    def train(self, placed: Any, streams: Streams) -> Ledger:
        return self.learns.train(placed, streams)

    def memory(self) -> Memory:
        return self._weighed(self.learns.memory())

    def finish(self) -> Memory:
        return self._weighed(self.learns.finish())

    def voter(self) -> Voter:
        return self.backend.voter(self.settings, self.learns.memory())

    def _weighed(self, memory: Memory) -> Memory:
        silent = self.backend.faults.silent[:, None, :]
        return replace(memory, weights=np.where(silent, self.weights, memory.weights))


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
    machine: Any,
    X: Any,
    y: Any,
    *,
    kind: FaultKind,
    shares: Sequence[float],
    folds: int = 5,
    seed: int = 0,
    sample_weight: Any = None,
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
    sample_weight : array, optional
        Of each row in learning; accuracy counts every row once.

    Yields
    ------
    Outcome
    """
    if not isinstance(machine, TsetlinClassifier):
        raise ValueError(f"machine must be an ADTMClassifier or a TMClassifier, got {machine!r:.80}")
    for share in shares:  # before anything is learned
        check_faults(kind, share)
    y = plain_labels(y, rows_in(X))  # by places: a series of pandas finds its rows by their names
    check_folds(folds, y, classes=True)
    parts = list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y))
    weights = None if sample_weight is None else checked_weights(sample_weight, len(y))

    def rows(train: NDArray[Any]) -> tuple[Any, ...]:
        return take_rows(X, train), y[train], None if weights is None else weights[train]

    fitted = [clone(machine).fit(*rows(train)) for train, _ in parts]
    sound = tuple(_accuracy(each, take_rows(X, test), y[test]) for each, (_, test) in zip(fitted, parts, strict=True))
    yield Outcome(0.0, 0, sound, sound, sound)
    for share in shares:
        for stuck_at in (0, 1):
            found = []
            for k, (each, (train, test)) in enumerate(zip(fitted, parts, strict=True)):
                faults = Faults.drawn(each.model_, kind, share=share, stuck_at=stuck_at, seed=seed + k)
                taught = (faulty(each, faults, when, *rows(train)) for when in WHEN)
                found.append([_accuracy(one, take_rows(X, test), y[test]) for one in taught])
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


def faulty(fitted: Any, faults: Faults, when: When, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """A machine with faults, like one that is fitted without.

    Parameters
    ----------
    fitted : ADTMClassifier or TMClassifier
        It is not changed.
    faults : Faults
    when : {"before", "after", "relearned"}
        Whether the faults were there before it learned, came after it, or came then and it learned as long again.
    X, y, sample_weight
        What it learned from.

    Returns
    -------
    ADTMClassifier or TMClassifier
    """
    backend, epochs = FaultyBackend(faults, fitted.backend), fitted.model_.epochs
    if when == "before":  # with what was decided for the one that is fitted: faults have the shape of its machine
        again = clone(fitted).set_params(backend=backend, epochs=epochs, early_stopping=False, **fitted.chosen_)
        return again.fit(X, y, sample_weight)
    machine = deepcopy(fitted).set_params(backend=backend)
    for _ in range(epochs if when == "relearned" else 0):
        machine.partial_fit(X, y, sample_weight=sample_weight)
    return machine


def _accuracy(machine: Any, X: Any, y: Any) -> float:
    return float(np.mean(machine.predict(X) == y))
