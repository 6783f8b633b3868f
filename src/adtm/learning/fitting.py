"""The one way of ``fit`` and ``partial_fit``: epochs, records, callbacks, and whole models handed over as they come.

States, ledger and records move on together whatever interrupts the call, and what is handed over is always a model
after a whole number of epochs, with the voter that counted its accuracy: the last one, or with early stopping the best.
Checking comes before (``parameters``, ``reading``); the learning itself is in ``model`` and the backends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from adtm.learning.progress import epoch_progress
from adtm.learning.samples import Samples
from adtm.learning.stopping import Patience
from adtm.machine.backends import Backend
from adtm.machine.interrupt import finish_first
from adtm.machine.model import EpochRecord, Learning, Model, Score
from adtm.machine.schedule import Schedule

__all__ = ["Course", "Fitting", "Taker"]

Taker = Callable[[Model, list[EpochRecord]], None]


@dataclass(frozen=True)
class Course:
    """What a call does: who learns, in which order, how often, and what is recorded, shown and asked after each epoch.

    ``callback`` is given each epoch's record; when it returns True the call ends. With ``patience`` epochs (0 is none)
    it also ends when so many in a row were no better on the evaluation data, and the best epoch's model is kept.
    """

    backend: Backend
    n_jobs: int
    schedule: Schedule
    epochs: int = 1
    show: bool = False
    train_accuracy: bool = False
    patience: int = 0
    callback: Callable[[EpochRecord], bool | None] | None = None


class Fitting:
    """A call under way.

    Parameters
    ----------
    model : Model
        Where learning begins; the backend makes a copy of its memory.
    course : Course
    take : callable
        Given the model and the records of this call: before every callback, and at the end. Never called if it would
        be given the same again.
    """

    def __init__(self, model: Model, course: Course, take: Taker) -> None:
        self._course, self._take = course, take
        self._learning = Learning(model, course.backend, n_jobs=course.n_jobs)
        self._records: list[EpochRecord] = []
        self._patience = Patience(course.patience) if course.patience else None
        self._best: Model | None = None  # held only with patience: one more copy of the states
        self._taken: tuple[int, Model | None] = (0, None)  # records and model that were handed over

    def run(self, data: Samples, evaluation: Samples | None = None) -> None:
        """Learn from ``data``; after an exception the last whole epoch is still handed over."""
        course = self._course
        try:
            with epoch_progress(course.epochs, show=course.show) as progress:
                for _ in range(course.epochs):
                    with finish_first():
                        progress(self._epoch(data, evaluation))
                    if course.callback is not None:
                        self._hand_over()
                        if _is_true(course.callback(self._records[-1])):
                            break
                    if self._patience is not None and self._patience.over:
                        break
        finally:
            self._hand_over(last=True)

    def _epoch(self, data: Samples, evaluation: Samples | None) -> EpochRecord:
        learning = self._learning
        shown = data.shown(learning.epochs)
        with finish_first(always=True):  # the states and what is known of them: both or neither
            ledger = learning.epoch(data.literals, data.targets, self._course.schedule, shown)
            self._records.append(EpochRecord(len(self._records) + 1, None, None, learning.seconds, ledger))
        record = self._records[-1]
        if self._course.train_accuracy:
            score = self._score(data)
            record = replace(record, **{f"train_{name}": value for name, value in score._asdict().items()})
        if evaluation is not None:
            score = self._score(evaluation)
            record = replace(record, **{f"eval_{name}": value for name, value in score._asdict().items()})
            if self._patience is not None and self._patience.improved(_worth(score)):
                self._best = None  # before the next copy is made, so that there are never two
                self._best = learning.model()
        self._records[-1] = record
        return record

    def _score(self, data: Samples) -> Score:
        # A weighted row counts as often as it is shown.
        return self._learning.score(data.literals, data.targets, n_jobs=self._course.n_jobs, rows=data.shown(0))

    def _hand_over(self, *, last: bool = False) -> None:
        best = self._best if last else None
        if self._taken[0] == len(self._records) and (best is None or best is self._taken[1]):
            return
        with finish_first():
            model = self._learning.model(last=last) if best is None else best
            self._take(model, list(self._records))
            self._taken = (len(self._records), model)


def _is_true(answer: object) -> bool:
    """Whether a callback said True, Python's or NumPy's; a number or a text that it returns is none of our business."""
    return isinstance(answer, (bool, np.bool_)) and bool(answer)


def _worth(score: Score) -> float:
    """What early stopping compares: the accuracy, or of a regressor the error, the less the better."""
    return score.accuracy if score.accuracy is not None else -(score.error or 0.0)
