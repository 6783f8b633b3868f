"""The one way of ``fit`` and ``partial_fit``: epochs, records, callbacks, and whole models handed over as they come.

States, ledger and records move on together whatever interrupts the call, and what is handed over is always a model
after a whole number of epochs, with the voter that counted its accuracy. Checking comes before (``base``); the learning
itself is in ``model`` and the backends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from adtm.backends import Backend
from adtm.heads import Targets
from adtm.interrupt import finish_first
from adtm.literals import Literals
from adtm.model import EpochRecord, Learning, Model
from adtm.progress import epoch_progress
from adtm.schedule import Schedule

__all__ = ["Course", "Fitting", "Samples", "Taker"]

Samples = tuple[Literals, Targets]  # what a machine reads, and what its head makes streams of
Taker = Callable[[Model, list[EpochRecord]], None]


@dataclass(frozen=True)
class Course:
    """What a call does: who learns, in which order, how often, and what is recorded, shown and asked after each epoch.

    ``callback`` is given each epoch's record; when it returns True the call ends.
    """

    backend: Backend
    n_jobs: int
    schedule: Schedule
    epochs: int = 1
    show: bool = False
    train_accuracy: bool = False
    callback: Callable[[EpochRecord], bool | None] | None = None


class Fitting:
    """A call under way.

    Parameters
    ----------
    model : Model
        Where learning begins; the backend makes a copy of its memory.
    course : Course
    take : callable
        Given the model and the records of this call: before every callback, and at the end. Never called if not one
        whole epoch was learned since.
    """

    def __init__(self, model: Model, course: Course, take: Taker) -> None:
        self._course, self._take = course, take
        self._learning = Learning(model, course.backend, n_jobs=course.n_jobs)
        self._records: list[EpochRecord] = []
        self._taken = 0  # records that were handed over

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
                        if course.callback(self._records[-1]) is True:
                            break
        finally:
            self._hand_over(last=True)

    def _epoch(self, data: Samples, evaluation: Samples | None) -> EpochRecord:
        learning, n_jobs = self._learning, self._course.n_jobs
        with finish_first(always=True):  # the states and what is known of them: both or neither
            ledger = learning.epoch(*data, self._course.schedule)
            self._records.append(EpochRecord(len(self._records) + 1, None, None, learning.seconds, ledger))
        record = self._records[-1]
        if self._course.train_accuracy:
            score = learning.score(*data, n_jobs=n_jobs)
            record = replace(record, **{f"train_{name}": value for name, value in score._asdict().items()})
        if evaluation is not None:
            score = learning.score(*evaluation, n_jobs=n_jobs)
            record = replace(record, **{f"eval_{name}": value for name, value in score._asdict().items()})
        self._records[-1] = record
        return record

    def _hand_over(self, *, last: bool = False) -> None:
        if self._taken == len(self._records):
            return
        with finish_first():
            self._take(self._learning.model(last=last), list(self._records))
            self._taken = len(self._records)
