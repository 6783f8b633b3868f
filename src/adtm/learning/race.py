"""Machines that learn the same rows and are compared on rows held out: what ``tune`` runs.

A runner learns by its own plan, with everything that a plan means in ``fit``: weights of rows and classes, order,
images. It goes on where it stands. The caller decides which runners there are, and how long each runs.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adtm.learning.columns import Columns
from adtm.learning.plan import FitPlan
from adtm.learning.samples import Samples
from adtm.learning.targets import Target
from adtm.machine.backends import Backend, Placed
from adtm.machine.model import Learning, answers, new_model


class Course:
    """Rows to learn from and rows to compare by, parts of one data set that many runners share.

    The backend of the plan, which may be that of any runner, takes the data once. A card is shared out among runners.
    """

    def __init__(self, plan: FitPlan, columns: Columns, target: Target, learn: Samples, held: Samples) -> None:
        self.columns, self.target, self.learn, self.held = columns, target, learn, held
        share_out = getattr(plan.backend, "shared_out", lambda: (plan.backend, 1))
        shared: tuple[Backend, int] = share_out()
        self.backend, self.side_by_side = shared  # runners that learn at the same time
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
        course = self._course
        while len(self._scores) < until:
            shown = [own.shown(self._learning.epochs) for own in self._lessons]
            self._learning.epoch(course.placed, course.learn.targets, self._plan.schedule, shown)
            self._scores.append(self._score())
        return self._scores[:until]

    def _score(self) -> float:
        """As an estimator's ``score``: accuracy, of several labels the share of rows with all right, of a value R²."""
        learning, placed, held, n_jobs = self._learning, self._course.placed, self._course.held, self._plan.n_jobs
        rows = held.where
        score = learning.score(placed, held.targets, n_jobs=n_jobs, rows=rows)
        if score.accuracy is not None:
            return score.accuracy
        y = held.targets[rows]
        left = y - answers(learning.voter(), learning.head, placed, n_jobs=n_jobs, rows=rows)
        spread = float(np.square(y - y.mean()).sum())
        return 1 - float(np.square(left).sum()) / spread if spread > 0 else -float(np.abs(left).sum())
