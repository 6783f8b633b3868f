"""The trained object, and the session in which it learns. Estimators are a scikit-learn face on this."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from adtm.backends import Backend, Voter
from adtm.heads import Head
from adtm.ledger import Ledger
from adtm.literals import Literals
from adtm.machine import Memory, Settings, start
from adtm.schedule import Schedule

__all__ = ["EpochRecord", "Learning", "Model", "new_model"]


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
    head: Head
    memory: Memory
    epochs: int
    samples: int
    ledger: Ledger

    @property
    def n_literals(self) -> int:
        return int(self.memory.states.shape[2])


def new_model(settings: Settings, head: Head, *, n_features: int) -> Model:
    """A model that has seen nothing."""
    memory, ledger = start(settings, n_banks=head.n_banks, n_outputs=head.n_outputs, n_literals=2 * n_features)
    return Model(settings, head, memory, epochs=0, samples=0, ledger=ledger)


_NOWHERE = Memory.whole(np.empty((0, 0, 0), np.uint8), np.empty((0, 0), np.uint64), np.empty(0, np.uint64))


class Learning:
    """A model in the hands of a backend, learning epoch after epoch; ``model()`` takes it back."""

    def __init__(self, model: Model, backend: Backend, *, n_jobs: int = 1) -> None:
        self._trainer = backend.trainer(model.settings, model.memory, n_jobs=n_jobs)
        # The trainer has its own copy: holding on to this one would double the memory of a large machine.
        self._model = replace(model, memory=_NOWHERE)
        self.seconds = 0.0  # of the last epoch

    def epoch(self, literals: Literals, y: NDArray[np.intp], schedule: Schedule) -> Ledger:
        """Learn from every sample once; ``y`` holds class indices."""
        model = self._model
        begin = time.perf_counter()
        streams, drawn = model.head.streams(
            y, schedule, seed=model.settings.seed, epoch=model.epochs, first=model.samples
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
