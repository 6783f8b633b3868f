"""The last step of a plan: the temperature that makes probabilities of votes, or the errors that make intervals.

They are found on rows that a machine did not learn from. Where early stopping held some out, the machine itself votes
on them. Otherwise a second machine, with the same settings, learns from four fifths of at most ``MOST_ROWS`` rows and
votes on the others; of few rows several machines do, so that each row is held out once. That takes time, and only
probabilities and intervals need it: so it is done when one is first asked for, or when the machine is saved or pickled,
and until then the rows are kept. ``adtm.machine.calibration`` says what a temperature is, and which errors are kept.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from adtm.learning.fitting import learned
from adtm.learning.plan import FitPlan
from adtm.learning.samples import Samples, n_parts
from adtm.machine.calibration import Temperature, error_quantiles
from adtm.machine.heads import ClassHead, Head, Targets, Value
from adtm.machine.model import Model

MOST_ROWS, FIFTH = 10_000, 0.2
#: Of a value: rows held out by early stopping that may say how large errors are, too, though they chose the epoch with
#: the least; and how many rows are so few that a fifth of them, evenly spread over y, misses its ends.
ENOUGH_HELD_OUT, FEW_ROWS = 1_000, 50
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
    goal = model.settings.goal
    if held is not None and (goal == "class" or held.n_samples >= ENOUGH_HELD_OUT):
        return Calibration(known=_found([_judged(plan, model, held)]))
    data = data.at_most(MOST_ROWS)
    second = plan.again(model.settings, model.epochs)
    calibration = Calibration(partial(_by_second_machines, second, head, data.copied()))
    if data.literals.words[:1].nbytes * len(data) > MOST_KEPT:
        _ = calibration.found
    return calibration


def _by_second_machines(plan: FitPlan, head: Head, data: Samples) -> Temperature:
    """Of many rows the second machine saw few: it knows less than the first, and makes it rather too modest."""
    if plan.settings.goal == "value" and data.n_samples < FEW_ROWS:
        parts = [data.split(FIFTH, part) for part in range(n_parts(data.n_samples, FIFTH))]
    else:
        parts = [data.portions(FIFTH) if plan.chooses else data.split(FIFTH)]
    return _found([_judged(plan, learned(plan, head, learn), held) for learn, held in parts])


_Judged: TypeAlias = tuple[Head, NDArray[np.int32], Targets, NDArray[np.float64] | None]


def _judged(plan: FitPlan, model: Model, held: Samples) -> _Judged:
    """The votes of a model on rows that it did not learn, what these should say, and their weights."""
    rows = held.where
    literals = plan.backend.place(held.literals.take(rows))
    votes = model.voter(plan.backend).votes(literals, n_jobs=plan.n_jobs)
    return model.head, votes, held.targets[rows], None if held.weights is None else held.weights[rows]


def _found(judged: Sequence[_Judged]) -> Temperature:
    """What all of them say together."""
    heads, votes, targets, weights = zip(*judged, strict=True)
    together = None if weights[0] is None else np.concatenate(weights)
    return calibrated(heads[0], np.concatenate(votes), np.concatenate(targets), together)


def calibrated(
    head: Head, votes: NDArray[np.int32], y: Targets, weights: NDArray[np.float64] | None = None
) -> Temperature:
    """What votes on rows that were not learned say about those on others: a temperature, or of a value its errors."""
    if isinstance(head, Value):
        return error_quantiles(head.answer(votes) - y, weights)
    return cast(ClassHead, head).temperature(votes, y, weights)
