"""The last step of a plan: the temperature that makes probabilities of a classifier's votes.

It is found on rows that a machine did not learn from. Where early stopping held some out, the machine itself votes on
them. Otherwise a second machine, with the same settings, learns from four fifths of at most ``MOST_ROWS`` rows and
votes on the others. That takes time, and only probabilities need it: so it is done when one is first asked for, or when
the machine is saved or pickled, and until then the rows are kept. ``adtm.machine.calibration`` says what a temperature
is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import cast

from adtm.learning.fitting import learned
from adtm.learning.plan import FitPlan
from adtm.learning.samples import Samples
from adtm.machine.calibration import Temperature
from adtm.machine.heads import ClassHead
from adtm.machine.model import Model

MOST_ROWS = 10_000
#: Rows that take more than so many bytes are not kept: the second machine learns at once.
MOST_KEPT = 1 << 26


class Calibration:
    """A temperature, known or found on first use. Copies and pickles hold the number, never the rows."""

    def __init__(self, find: Callable[[], Temperature] | None = None, known: Temperature | None = None) -> None:
        self._lock = threading.Lock()
        self._find, self._known = find, known

    @property
    def temperature(self) -> Temperature:
        with self._lock:
            if self._known is None:
                assert self._find is not None
                self._known = self._find()
                self._find = None
            return self._known

    def __reduce__(self) -> tuple[type[Calibration], tuple[None, Temperature]]:
        return Calibration, (None, self.temperature)


def calibrate(plan: FitPlan, model: Model, head: ClassHead, data: Samples, held: Samples | None) -> Calibration:
    """The calibration of a model that learned ``data``; ``held`` are rows it did not learn from, if there are.

    ``head`` is that of a machine which has learned nothing.
    """
    if held is not None:
        return Calibration(known=_temperature(plan, model, held))
    data = data.at_most(MOST_ROWS)
    second = plan.again(model.settings, model.epochs)
    calibration = Calibration(partial(_by_second_machine, second, head, data.copied()))
    if data.literals.words[:1].nbytes * len(data) > MOST_KEPT:
        _ = calibration.temperature
    return calibration


def _by_second_machine(plan: FitPlan, head: ClassHead, data: Samples) -> Temperature:
    """Of many rows the second machine saw few: it knows less than the first, and makes it rather too modest."""
    learn, held = data.portions(0.2) if plan.chooses else data.split(0.2)
    return _temperature(plan, learned(plan, head, learn), held)


def _temperature(plan: FitPlan, model: Model, held: Samples) -> Temperature:
    rows = held.where
    literals = plan.backend.place(held.literals.take(rows))
    votes = model.voter(plan.backend).votes(literals, n_jobs=plan.n_jobs)
    weights = None if held.weights is None else held.weights[rows]
    return cast(ClassHead, model.head).temperature(votes, held.targets[rows], weights)
