"""Energy that machines spend until they reach a given accuracy: the steps of real training, times a step on gates.

Every machine of ``study`` learns four fifths of a table until it answers as many of the other rows as are asked for.
Its clause is then counted on gates over these very steps: a machine that has learned more is updated less. Clauses
that tolerate failed literals are learned with T as it is by default, since they cast more votes than ANDs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedShuffleSplit

from adtm.energy.estimate import PAPER
from adtm.energy.gates.liberty import Library
from adtm.energy.gates.measure import Bench
from adtm.energy.gates.study import machines, schedule_of
from adtm.energy.gates.trace import record
from adtm.export.design import Design
from adtm.machine.backends import Backend, get_backend
from adtm.machine.model import Learning, new_model
from adtm.machine.settings import Settings, auto_target
from adtm.tables.literals import Literals

#: Splits of the rows, each with a seed of its own; epochs after which a machine gives up; steps counted on gates; parts
#: of an epoch after each of which a machine is judged.
REPEATS, MOST_EPOCHS, MOST_STEPS, PARTS = 10, 50, 10_000, 10


@dataclass(frozen=True)
class Reached:
    """What one machine took to reach an accuracy.

    Attributes
    ----------
    machine, source : str
        What it is, and where its coins come from.
    d : float
    epochs : tuple of float or None
        Until it answered enough of the rows held out, in each split; None where it gave up.
    per_step : float
        Joules of one clause in one step, mean over the steps to that accuracy, or over the first of them.
    joules : float or None
        Of all clauses of all banks until then, mean over the splits that reached it; None if none did.
    """

    machine: str
    source: str
    d: float
    epochs: tuple[float | None, ...]
    per_step: float = math.nan
    joules: float | None = None

    @property
    def mean_epochs(self) -> float | None:
        """Over the splits that reached the accuracy; None if none did."""
        reached = [epochs for epochs in self.epochs if epochs is not None]
        return float(np.mean(reached)) if reached else None

    @property
    def by_paper(self) -> float | None:
        """What the paper's model says of this training: epochs, times its share of the power at d = 1."""
        return None if self.mean_epochs is None else self.mean_epochs * (1 - PAPER.saving_share(self.d))


def reach(
    design: Design,
    literals: Literals,
    targets: NDArray[Any],
    library: Library,
    *,
    accuracy: float,
    clock: float,
    workload: str,
) -> Iterator[Reached]:
    """The machines, one after the other; each takes seconds, a new kind of clause some more for synthesis."""
    if targets.ndim != 1:
        raise ValueError(f"energy to an accuracy is for classes, got targets with {targets.ndim} axes")
    if not 0 < accuracy <= 1:
        raise ValueError(f"accuracy must be a share above 0 and at most 1, got {accuracy!r}")
    bench, backend = Bench(library), get_backend("auto")
    splits = list(StratifiedShuffleSplit(REPEATS, test_size=0.2, random_state=0).split(np.zeros(len(targets)), targets))
    epochs_of: dict[Settings, tuple[float | None, ...]] = {}
    for machine, source, own in _with_tolerant(machines(design.settings)):
        if own not in epochs_of:
            learn = _Learn(replace(design, settings=own, model=None, rules=None), literals, targets, backend)
            epochs_of[own] = tuple(learn.until(accuracy, *split, seed=k) for k, split in enumerate(splits))
        known, train = Reached(machine, source, own.d, epochs_of[own]), splits[0][0]
        per_epoch = len(train) * (1 if design.head.n_banks == 1 else 2 / design.head.n_banks)  # steps of a bank
        epochs = known.mean_epochs or MOST_EPOCHS
        n_steps, order = min(MOST_STEPS, math.ceil(per_epoch * epochs)), schedule_of(design, own)
        part = {"literals": literals.take(train), "targets": targets[train], "head": design.head}
        trace = record(replace(own, seed=0), schedule=order, n_steps=n_steps, number=own.n_clauses // 2, **part)
        per_step = bench.measure(trace, source, clock=clock, workload=workload).total
        joules = per_step * own.n_clauses * design.head.n_banks * per_epoch * epochs
        yield replace(known, per_step=per_step, joules=joules if known.mean_epochs else None)


def relative(rows: Sequence[Reached]) -> list[tuple[float | None, float | None]]:
    """Of each row, energy to the accuracy over that of d = 1: by the paper's model, and on gates.

    Machines are compared with the one that has its coins from the same source, those without coins with a generator
    per automaton.
    """
    first: Mapping[str, Reached] = {row.source: row for row in rows if row.machine == "d = 1"}
    bases = [first.get(row.source, first["each"]) for row in rows]
    return [
        (_over(row.by_paper, base.by_paper), _over(row.joules, base.joules))
        for row, base in zip(rows, bases, strict=True)
    ]


def _over(value: float | None, base: float | None) -> float | None:
    return None if value is None or base is None else value / base


def _with_tolerant(rows: Sequence[tuple[str, str, Settings]]) -> Iterator[tuple[str, str, Settings]]:
    """The machines; where clauses are ANDs, those of d = 1 and 100 also with clauses that tolerate failed literals."""
    for machine, source, own in rows:
        yield machine, source, _aimed(own)
        if own.d in (1, 100) and own.tolerance == 0:
            yield f"{machine}, tolerant", source, _aimed(replace(own, tolerance=3, max_literals=12))


def _aimed(own: Settings) -> Settings:
    """With the vote target that goes with tolerant clauses."""
    return replace(own, T=auto_target(own.n_clauses, own.most_votes)) if own.tolerance > 0 else own


@dataclass(frozen=True)
class _Learn:
    """A machine and a table."""

    design: Design
    literals: Literals
    targets: NDArray[Any]
    backend: Backend

    def until(self, accuracy: float, train: NDArray[np.intp], test: NDArray[np.intp], *, seed: int) -> float | None:
        """Epochs until so many of the rows held out are answered rightly; None where that is never reached."""
        settings = replace(self.design.settings, seed=seed)
        model = new_model(settings, self.design.head, n_features=self.literals.n_features)
        learning, placed = Learning(model, self.backend), self.backend.place(self.literals)
        for part in range(MOST_EPOCHS * PARTS):
            learning.epoch(placed, self.targets, schedule_of(self.design, settings), [train[part % PARTS :: PARTS]])
            if (learning.score(placed, self.targets, rows=test).accuracy or 0.0) >= accuracy:
                return (part + 1) / PARTS
        return None
