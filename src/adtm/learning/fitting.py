"""A plan carried out: epochs, records, callbacks, and whole models handed over as they come.

States, ledger and records move on together whatever interrupts the call, and what is handed over is always a model
after a whole number of epochs, with the voter that counted its accuracy: the last one, or with early stopping the best.
Plans are made in ``plan``, data in ``reading``; the learning itself is in ``adtm.machine``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from adtm.learning.plan import FitPlan
from adtm.learning.samples import Samples
from adtm.machine.backends import Placed
from adtm.machine.heads import Head
from adtm.machine.interrupt import finish_first
from adtm.machine.model import EpochRecord, Learning, Model, Score, new_model
from adtm.tables.literals import Literals

OnModel: TypeAlias = Callable[[Model, list[EpochRecord]], None]


class Fitting:
    """A call under way, from a model on whose memory the backend copies, by a plan with a number of epochs.

    ``on_model`` is given the model and the records of this call: before every callback, and at the end, but never the
    same again.
    """

    def __init__(self, model: Model, plan: FitPlan, on_model: OnModel) -> None:
        self._plan, self._on_model = plan, on_model
        self._learning = Learning(model, plan.backend, n_jobs=plan.n_jobs)
        self._placed: dict[int, tuple[Literals, Placed]] = {}
        self._records: list[EpochRecord] = []
        self._patience = Patience(plan.patience, plan.smoothing) if plan.early_stopping else None
        self._best: Model | None = None  # held only with patience: one more copy of the states
        self._handed: tuple[int, Model | None] = (0, None)  # records and model that were handed over

    def run(self, data: Samples, evaluation: Samples | None = None) -> None:
        """Learn from ``data``; after an exception the last whole epoch is still handed over."""
        plan = self._plan
        assert plan.epochs is not None
        lessons = data.by_member(plan.settings.n_members, plan.schedule.member_rows)
        try:
            with epoch_progress(plan.epochs, show=plan.show) as progress:
                while len(self._records) < plan.epochs:
                    with finish_first():
                        for record in self._stretch(data, lessons, evaluation, plan.epochs - len(self._records)):
                            progress(record)
                    if plan.callback is not None:
                        self._hand_over()
                        if _is_true(plan.callback(self._records[-1])):
                            break
                    if self._patience is not None and self._patience.over:
                        break
        finally:
            self._hand_over(last=True)

    def _stretch(
        self, data: Samples, lessons: Sequence[Samples], evaluation: Samples | None, most: int
    ) -> list[EpochRecord]:
        """An epoch, or several that nobody looks at in between and that show the same rows."""
        learning, placed, before, plan = self._learning, self._place(data.literals), len(self._records), self._plan
        shown = [own.shown(learning.epochs) for own in lessons]
        looks = plan.callback is not None or plan.train_accuracy or evaluation is not None
        same = data.weights is None  # rows in every epoch
        more, most = same and most > 1, most if same and not looks else 1
        with finish_first(always=True):  # the states and what is known of them: both or neither
            ledgers = learning.stretch(placed, data.targets, plan.schedule, shown, most=most, more=more)
            for epoch, ledger in enumerate(ledgers, before + 1):
                self._records.append(EpochRecord(epoch, None, None, learning.seconds, ledger))
        if looks:
            self._records[-1] = self._scored(self._records[-1], data, evaluation)
        return self._records[before:]

    def _scored(self, record: EpochRecord, data: Samples, evaluation: Samples | None) -> EpochRecord:
        """The record of the last epoch with what was asked about it."""
        if self._plan.train_accuracy:
            score = self._score(data)
            record = replace(record, **{f"train_{name}": value for name, value in score._asdict().items()})
        if evaluation is not None:
            score = self._score(evaluation)
            record = replace(record, **{f"eval_{name}": value for name, value in score._asdict().items()})
            if self._patience is not None and self._patience.improved(_worth(score)):
                self._best = None  # before the next copy is made, so that there are never two
                self._best = self._learning.model()
        return record

    def _place(self, literals: Literals) -> Placed:
        """A data set where the backend wants it, taken there once."""
        if id(literals) not in self._placed:
            self._placed[id(literals)] = literals, self._plan.backend.place(literals)
        return self._placed[id(literals)][1]

    def _score(self, data: Samples) -> Score:
        # A weighted row counts as often as it is shown.
        placed = self._place(data.literals)
        return self._learning.score(placed, data.targets, n_jobs=self._plan.n_jobs, rows=data.judging())

    def _hand_over(self, *, last: bool = False) -> None:
        best = self._best if last else None
        if self._handed[0] == len(self._records) and (best is None or best is self._handed[1]):
            return
        with finish_first():
            model = self._learning.model(last=last) if best is None else best
            self._on_model(model, list(self._records))
            self._handed = (len(self._records), model)


def learned(plan: FitPlan, head: Head, data: Samples) -> Model:
    """The model of a new machine that has learned these samples by a plan; ``head`` has learned nothing."""
    new = new_model(plan.settings, head, n_features=data.literals.n_features, n_jobs=plan.n_jobs)
    models: list[Model] = []
    Fitting(new, plan, lambda model, _: models.append(model)).run(data)
    return models[-1]


def _is_true(answer: object) -> bool:
    """Whether a callback said True, Python's or NumPy's; a number or a text that it returns is none of our business."""
    return isinstance(answer, (bool, np.bool_)) and bool(answer)


def _worth(score: Score) -> float:
    """What early stopping compares: the accuracy, or of a regressor the error, the less the better."""
    return score.accuracy if score.accuracy is not None else -(score.error or 0.0)


@dataclass
class Patience:
    """Remembers the best score, and gives up when none of the last ``n_iter_no_change`` epochs beat it.

    The score of an epoch is the mean of the last ``smoothing`` epochs: a single one may be lucky on few rows.

    >>> patience = Patience(2)
    >>> [(patience.improved(score), patience.over) for score in (0.7, 0.8, 0.8, 0.6)]
    [(True, False), (True, False), (False, False), (False, True)]
    >>> patience = Patience(2, smoothing=2)
    >>> [(patience.improved(score), patience.over) for score in (0.9, 0.5, 0.8, 0.7, 0.6, 0.6)]
    [(False, False), (True, False), (False, False), (True, False), (False, False), (False, True)]
    """

    n_iter_no_change: int
    smoothing: int = 1
    best: float = -math.inf
    waited: int = 0
    _last: tuple[float, ...] = ()

    def improved(self, score: float) -> bool:
        """Take note of an epoch's score; True if it is the best so far. Of equal ones the first is."""
        self._last = (*self._last, score)[-self.smoothing :]
        if len(self._last) < self.smoothing:
            return False
        mean = math.fsum(self._last) / self.smoothing
        better = mean > self.best
        self.best, self.waited = (mean, 0) if better else (self.best, self.waited + 1)
        return better

    @property
    def over(self) -> bool:
        return self.waited >= self.n_iter_no_change


@contextmanager
def epoch_progress(epochs: int, *, show: bool) -> Iterator[Callable[[EpochRecord], None]]:
    """A bar with epoch, accuracy (of a regressor: error) and time left; yield what takes each epoch's record."""
    if not show:
        yield lambda record: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

    columns = ("epoch", MofNCompleteColumn(), BarColumn(), "{task.description}", TimeElapsedColumn(), "left")
    screen = Console(stderr=True)  # standard output is for results
    with Progress(*columns, TimeRemainingColumn(), console=screen) as bar:
        task = bar.add_task("", total=epochs)

        def show_record(record: EpochRecord) -> None:
            accuracies = {"train": record.train_accuracy, "eval": record.eval_accuracy}
            errors = {"train": record.train_error, "eval": record.eval_error}
            told = [f"{name} {value:.4f}" for name, value in accuracies.items() if value is not None]
            told += [f"{name} ±{value:.4g}" for name, value in errors.items() if value is not None]
            text = "  ".join(told)
            bar.update(task, advance=1, description=text)

        yield show_record
