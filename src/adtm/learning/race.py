"""Machines that learn the same rows and are compared on rows held out: what ``tune`` and ``choosing`` run.

A runner learns by its own plan, with everything that a plan means in ``fit``: weights of rows and classes, order,
images. It goes on where it stands. The caller decides which runners there are, and how long each runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from adtm.learning.calibrating import calibrated
from adtm.learning.columns import Columns
from adtm.learning.plan import FitPlan
from adtm.learning.samples import Samples
from adtm.learning.targets import Target
from adtm.machine.backends import Placed, shared_out
from adtm.machine.calibration import Temperature
from adtm.machine.heads import ClassHead, Targets, value_scores
from adtm.machine.model import Learning, answers, new_model

_LEAST = 2.0**-60  # a probability of 0 would be an infinite loss


class Course:
    """Rows to learn from and rows to compare by, parts of one data set that many runners share.

    The backend of the plan, which may be that of any runner, takes the data once. A card is shared out among runners.
    """

    def __init__(self, plan: FitPlan, columns: Columns, target: Target, learn: Samples, held: Samples) -> None:
        self.columns, self.target, self.learn, self.held = columns, target, learn, held
        self.backend, self.at_once = shared_out(plan.backend)  # runners that learn at the same time
        self.placed: Placed = self.backend.place(learn.literals)


class Runner:
    """A machine on a course."""

    def __init__(self, plan: FitPlan, course: Course, *, seed: int = 0) -> None:
        self._plan, self._course = plan, course
        settings = replace(course.columns.settings_of(plan), seed=seed)
        head, n_features = course.target.head(plan), course.learn.literals.n_features
        model = new_model(settings, head, n_features=n_features, n_jobs=plan.n_jobs)
        self._learning = Learning(model, course.backend, n_jobs=plan.n_jobs)
        self._lessons = course.learn.by_member(settings.n_members, plan.schedule.member_rows)
        self._scores: list[float] = []

    def run(self, until: int) -> list[float]:
        """Learn until so many epochs have been learned; returns the score on the rows held out after each of them."""
        while len(self._scores) < until:
            self.learn(len(self._scores) + 1)
            self._scores.append(self._score())
        return self._scores[:until]

    def learn(self, until: int) -> None:
        """Learn until so many epochs have been learned."""
        course = self._course
        while self._learning.epochs < until:
            shown = [own.shown(self._learning.epochs) for own in self._lessons]
            self._learning.epoch(course.placed, course.learn.targets, self._plan.schedule, shown)

    def loss(self) -> float:
        """What is wrong on the rows held out, as it is now: log loss at the best temperature, of a value 1 - R²."""
        if self._plan.settings.goal == "value":
            return 1 - self._score()
        y, weights, votes, head = *self._held(), self._votes(), self._head
        shares = head.probabilities(votes, head.temperature(votes, y, weights))
        truth = shares[np.arange(len(y)), y] if y.ndim == 1 else np.where(y == 1, shares, 1 - shares).prod(axis=1)
        return -float(np.average(np.log(np.maximum(truth, _LEAST)), weights=weights))

    @property
    def _head(self) -> ClassHead:
        return cast(ClassHead, self._learning.head)

    def _held(self) -> tuple[Targets, NDArray[np.float64] | None]:
        held = self._course.held
        return held.targets[held.where], None if held.weights is None else held.weights[held.where]

    def _votes(self) -> NDArray[np.int32]:
        return self._learning.voter().votes(self._course.placed, self._course.held.where, n_jobs=self._plan.n_jobs)

    def _score(self) -> float:
        """As an estimator's ``score``: accuracy, of several labels the share of rows with all right, of a value R²."""
        learning, placed, held, n_jobs = self._learning, self._course.placed, self._course.held, self._plan.n_jobs
        rows = held.judging()
        score = learning.score(placed, held.targets, n_jobs=n_jobs, rows=rows)
        if score.accuracy is not None:
            return score.accuracy
        answered = answers(learning.voter(), learning.head, placed, n_jobs=n_jobs, rows=rows)
        y = held.targets if rows is None else held.targets[rows]
        r2, error = value_scores(y, answered)
        return r2 if y.min() < y.max() else -error  # R² of a constant tells no settings apart


def pooled(runners: Sequence[Runner]) -> Temperature:
    """What the votes of machines with the same settings say about their rows held out, taken together."""
    votes = np.concatenate([runner._votes() for runner in runners])
    held = [runner._held() for runner in runners]
    y = np.concatenate([y for y, _ in held])
    weights = np.concatenate([np.ones(len(y)) if weights is None else weights for y, weights in held])
    return calibrated(runners[0]._learning.head, votes, y, weights)
