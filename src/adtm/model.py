"""The trained object, and the session in which it learns. Estimators are a scikit-learn face on this."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from adtm.backends import Backend, Voter
from adtm.ledger import Ledger
from adtm.literals import Literals
from adtm.machine import Memory, Settings, start
from adtm.schedule import OtherClass, Shuffle, schedule

__all__ = ["EpochRecord", "Learning", "Model", "classify", "new_model"]


@dataclass(frozen=True)
class EpochRecord:
    """What one epoch gave.

    Attributes
    ----------
    epoch : int
        1 for the first epoch of the fit.
    train_accuracy : float
        Accuracy on the training data after the epoch.
    eval_accuracy : float or None
        Accuracy on ``eval_set`` after the epoch.
    seconds : float
        Time of the learning itself, without the two evaluations.
    ledger : Ledger
        Updates and draws of this epoch.
    """

    epoch: int
    train_accuracy: float
    eval_accuracy: float | None
    seconds: float
    ledger: Ledger


@dataclass(frozen=True)
class Model:
    """A machine between two epochs: settings, memory, and how much it has seen."""

    settings: Settings
    n_classes: int
    memory: Memory
    epochs: int
    samples: int
    ledger: Ledger

    @property
    def n_literals(self) -> int:
        return int(self.memory.states.shape[2])


def new_model(settings: Settings, *, n_classes: int, n_features: int) -> Model:
    """A model that has seen nothing. Two classes share one bank, more have one each."""
    n_banks = 1 if n_classes == 2 else n_classes
    memory, ledger = start(settings, n_banks=n_banks, n_literals=2 * n_features)
    return Model(settings, n_classes, memory, epochs=0, samples=0, ledger=ledger)


def classify(votes: NDArray[np.int32]) -> NDArray[np.intp]:
    """Class indices from votes (samples, banks): class 1 when v >= 0, or the largest vote, ties to the lowest index."""
    if votes.shape[1] == 1:
        return (votes[:, 0] >= 0).astype(np.intp)
    return np.asarray(votes.argmax(axis=1), dtype=np.intp)


_NOWHERE = Memory(np.empty((0, 0, 0), np.uint8), np.empty((0, 0), np.uint64), np.empty(0, np.uint64))


class Learning:
    """A model in the hands of a backend, learning epoch after epoch; ``model()`` takes it back."""

    def __init__(self, model: Model, backend: Backend, *, n_jobs: int = 1) -> None:
        self._trainer = backend.trainer(model.settings, model.memory, n_jobs=n_jobs)
        # The trainer has its own copy: holding on to this one would double the memory of a large machine.
        self._model = replace(model, memory=_NOWHERE)
        self.seconds = 0.0  # of the last epoch

    def epoch(
        self, literals: Literals, y: NDArray[np.intp], *, shuffle: Shuffle, other_class: OtherClass = "random"
    ) -> Ledger:
        """Learn from every sample once; ``y`` holds class indices."""
        model = self._model
        begin = time.perf_counter()
        streams, drawn = schedule(
            y,
            n_classes=model.n_classes,
            seed=model.settings.seed,
            shuffle=shuffle,
            epoch=model.epochs,
            first=model.samples,
            other_class=other_class,
        )
        ledger = drawn + self._trainer.train(literals, streams)
        self._model = replace(
            model, epochs=model.epochs + 1, samples=model.samples + len(y), ledger=model.ledger + ledger
        )
        self.seconds = time.perf_counter() - begin
        return ledger

    def voter(self) -> Voter:
        """The present state made ready for voting."""
        return self._trainer.voter()

    def model(self) -> Model:
        """The model as it is after the last whole epoch."""
        return replace(self._model, memory=self._trainer.memory())
