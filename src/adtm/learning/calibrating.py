"""The last step of a plan: the temperature that makes probabilities of votes, or the errors that make intervals.

They are found on rows that a machine did not learn from. Where early stopping held some out, the machine itself votes
on them. Otherwise a second machine, with the same settings, learns from four fifths of at most ``MOST_ROWS`` rows and
votes on the others. That takes time, and only probabilities and intervals need it: so it is done when one is first
asked for, or when the machine is saved or pickled, and until then the rows are kept. ``adtm.machine.calibration`` says
what a temperature is, and which errors are kept.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import cast

import numpy as np
from numpy.typing import NDArray

from adtm.learning.fitting import learned
from adtm.learning.plan import FitPlan
from adtm.learning.samples import Samples
from adtm.machine.calibration import Temperature, error_quantiles
from adtm.machine.heads import ClassHead, Head, Targets, Value
from adtm.machine.model import Model

MOST_ROWS = 10_000
#: Rows that take more than so many bytes are not kept: the second machine learns at once.
MOST_KEPT = 1 << 26


class Calibration:
    """A temperature, or the errors of a value, known or found on first use. Copies hold numbers, never the rows."""

    def __init__(self, find: Callable[[], Temperature] | None = None, known: Temperature | None = None) -> None:
        self._lock = threading.Lock()
        self._find, self._known = find, known

    @property
    def found(self) -> Temperature:
        with self._lock:
            if self._known is None:
                assert self._find is not None
                self._known = self._find()
                self._find = None
            return self._known

    def __reduce__(self) -> tuple[type[Calibration], tuple[None, Temperature]]:
        return Calibration, (None, self.found)


def calibrate(plan: FitPlan, model: Model, head: Head, data: Samples, held: Samples | None) -> Calibration:
    """The calibration of a model that learned ``data``; ``held`` are rows it did not learn from, if there are.

    ``head`` is that of a machine which has learned nothing.
    """
    if held is not None:
        return Calibration(known=_on_rows(plan, model, held))
    data = data.at_most(MOST_ROWS)
    second = plan.again(model.settings, model.epochs)
    calibration = Calibration(partial(_by_second_machine, second, head, data.copied()))
    if data.literals.words[:1].nbytes * len(data) > MOST_KEPT:
        _ = calibration.found
    return calibration


def _by_second_machine(plan: FitPlan, head: Head, data: Samples) -> Temperature:
    """Of many rows the second machine saw few: it knows less than the first, and makes it rather too modest."""
    learn, held = data.portions(0.2) if plan.chooses else data.split(0.2)
    return _on_rows(plan, learned(plan, head, learn), held)


def _on_rows(plan: FitPlan, model: Model, held: Samples) -> Temperature:
    rows = held.where
    literals = plan.backend.place(held.literals.take(rows))
    votes = model.voter(plan.backend).votes(literals, n_jobs=plan.n_jobs)
    weights = None if held.weights is None else held.weights[rows]
    return calibrated(model.head, votes, held.targets[rows], weights)


def calibrated(
    head: Head, votes: NDArray[np.int32], y: Targets, weights: NDArray[np.float64] | None = None
) -> Temperature:
    """What votes on rows that were not learned say about those on others: a temperature, or of a value its errors."""
    if isinstance(head, Value):
        return error_quantiles(head.answer(votes) - y, weights)
    return cast(ClassHead, head).temperature(votes, y, weights)
