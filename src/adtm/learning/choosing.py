"""What the parameters leave open, chosen on rows held out: a ladder of settings, and a race on it.

Tables differ in one thing above all, how soon a sample should count as learned. Where labels are noisy, a large T lets
all clauses learn from all samples, which averages over the noise; where patterns are clean, a small T frees clauses for
the samples that are still wrong, and where they are whole, ANDs find them. So of few rows the rungs of the ladder have
a T of 2, 4 and 16 times √(m·F), or no tolerance; of few Boolean features short rules take the place of the small T:
twelve conditions would say all about a row. Many rows bear conditions that stay longer (a larger s), and say more
about each rule: their rungs have a T of 1 or 2 times √(m·F) and mostly less tolerance. docs/tables.md has the numbers.
Whatever is given stays, and the rungs follow it.

The rung with the least loss on rows held out is chosen. Of many rows all rungs learn for a sixth of the epochs, and the
two best go on. Of few rows two to four quarters are held out in turn, so that they are enough. There machines of a
quarter of the size learn for half of the time: four rungs take at most one and a half times the work of a fit. This
tells classes. Of values, and of machines that are small themselves, those near the best race in their own size, and
whoever falls behind is dropped after each quarter. Nothing is drawn.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adtm.learning.columns import Columns
from adtm.learning.parameters import Machine
from adtm.learning.plan import DECIDED, LEAST_EPOCHS, S_OF_FEW_BITS, FitPlan, bearable, has_few_bits
from adtm.learning.race import Course, Runner, pooled
from adtm.learning.samples import Samples
from adtm.learning.targets import Target
from adtm.machine.calibration import Temperature
from adtm.validation import is_auto

#: Rows below which those held out say too little, rows that are enough to choose by, and rows to be shown in all.
LEAST_ROWS, MOST_ROWS, SHOWN = 50, {"class": 12_000, "value": 4_000}, 120_000
#: Of more rows some sixths of the epochs tell the best; where they are looked at twice, the two best go on.
FEW_ROWS, SIXTHS = 2_000, {"class": (1, 4), "value": (2,)}
#: The share of the rows that is held out, and how many rows in all, as far as the quarters in turn reach.
HELD_OUT, ENOUGH_HELD_OUT = 0.25, 125
#: Losses that differ by less than this over the root of the rows held out may be alike.
NEAR = 0.25
#: Rungs with fewer clauses than this are not tried with a quarter of them.
LEAST_CLAUSES = 400
#: Epochs whose mean loss counts; and whose mean score, where the machine that was chosen stops early.
LAST, SMOOTHING = 3, {"class": 5, "value": 1}
#: Of tolerant clauses: of few rows, of few rows with few Boolean features, and of many rows s, and for each rung
#: tolerance, budget and T over √(m·F); clauses, where T is given. The first wins ties.
_FEW = 50, ((3, 12, 4), (3, 12, 2), (3, 12, 16))
_FEW_BITS, _SHORT = 64, (50, ((3, 12, 4), (3, 6, 4), (3, 12, 16)))
_MANY = 200, ((2, 12, 2), (3, 12, 1), (1, 12, 1))
_CLAUSES = (400, 100, 20)
#: Of few rows the rung without tolerance, where that is open; the rungs where it was given as 0: s, and T over √m.
_AND = {"n_clauses": 400, "tolerance": 0, "max_literals": None, "s": 10, "T": 20}
_ANDS = ((3, 1), (3, 3), (10, 1))
#: Of values: tolerance, budget, T over m·F, and s; one more where columns have few Boolean features.
_PARTS = ((7, 16, 0.25, 50), (15, 24, 0.25, 50), (15, 24, 0.5, 50), (31, 40, 0.5, 50), (3, 12, 0.25, 50))
_PARTS_OF_FEW_BITS = 1, 12, 0.25, S_OF_FEW_BITS


@dataclass(frozen=True)
class Compared:
    """A rung of the ladder: its values, and the loss on rows held out after so many epochs, when last compared.

    Rungs that drop out at different times have losses of different rows and sizes: ``behind`` is how much more the loss
    was than the least of its own time.
    """

    values: Mapping[str, Any]
    epochs: int
    loss: float
    behind: float


@dataclass(frozen=True)
class Choice:
    """What was chosen, and why: all rungs, the best first; without any, nothing was compared.

    ``calibrated`` is what the winner's votes on the ``n_held`` rows held out say, where it holds for the whole data:
    a temperature, or the errors of a value.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    compared: tuple[Compared, ...] = ()
    n_held: int = 0
    calibrated: Temperature | None = None


def ladder(
    machine: Machine, given: Mapping[str, Any], n_features: int, n_rows: int, n_columns: int | None = None
) -> list[dict[str, Any]]:
    """Values of the parameters that are ``"auto"``, in several ways; none where there is nothing to choose.

    >>> [rung["T"] for rung in ladder("ADTMClassifier", dict.fromkeys(DECIDED, "auto"), 100, 1000)]
    [160, 80, 20, 640]
    >>> ladder("ADTMClassifier", {**dict.fromkeys(DECIDED, "auto"), "n_clauses": 20, "T": 15}, 100, 1000)
    []
    """
    left = [name for name in DECIDED if is_auto(given[name])]
    named = {name: given[name] for name in DECIDED if name not in left}
    if not {"n_clauses", "T"} & set(left) or n_features < 2:
        return []
    if machine == "ADTMRegressor":
        rungs = _values(named, n_features, few=has_few_bits(n_features, n_columns))
    else:
        rungs = _classes(named, n_features, n_rows)
    own = [{name: rung[name] for name in left if name in rung} for rung in rungs]
    return [rung for k, rung in enumerate(own) if rung not in own[:k]]


def _classes(named: Mapping[str, Any], n_features: int, n_rows: int) -> list[dict[str, Any]]:
    if named.get("tolerance") == 0:
        root = math.sqrt(named.get("n_clauses", 100))
        return [{"s": s, "T": max(1, round(factor * root))} for s, factor in _ANDS]
    budgeted = {"tolerance", "max_literals"} & set(named)  # tolerance: budget and s follow it by the rules
    few = _FEW if n_features > _FEW_BITS or budgeted else _SHORT
    s, ways = few if n_rows <= FEW_ROWS else _MANY
    rungs = []
    for tolerance, max_literals, factor in ways:
        rung: dict[str, Any] = {"n_clauses": 400}
        if "tolerance" not in named:
            rung |= {"s": s, "tolerance": bearable(tolerance, n_features), "max_literals": max_literals}
        both = {**rung, **named}
        rungs.append(rung | {"T": max(1, round(factor * math.sqrt(both["n_clauses"] * (both["tolerance"] + 1))))})
    if "T" in named:
        return [{**rungs[0], "n_clauses": n_clauses} for n_clauses in _CLAUSES]
    if n_rows <= FEW_ROWS and not {"tolerance", "max_literals", "s", "n_clauses"} & set(named):
        rungs.insert(2, _AND)
    return rungs


def _values(named: Mapping[str, Any], n_features: int, *, few: bool) -> list[dict[str, Any]]:
    rungs = []
    for tolerance, max_literals, share, s in (*_PARTS, _PARTS_OF_FEW_BITS) if few else _PARTS:
        own = {"tolerance": bearable(tolerance, n_features), "max_literals": max_literals}
        rung: dict[str, Any] = {"n_clauses": 500, "s": s, **own}
        both = {**rung, **named}
        rungs.append(rung | {"T": max(1, round(share * both["n_clauses"] * (both["tolerance"] + 1)))})
    return rungs


def choose(
    rungs: Sequence[tuple[Mapping[str, Any], FitPlan]], columns: Columns, target: Target, data: Samples, *, seed: int
) -> Choice:
    """Let the rungs race: values, and the plan that they make."""
    goal = rungs[0][1].settings.goal
    sample = data.at_most(MOST_ROWS[goal])
    few, large = sample.n_shown <= FEW_ROWS, min(plan.settings.n_clauses for _, plan in rungs) >= LEAST_CLAUSES
    small_alone = few and large and goal == "class"
    parts = _parts(sample, least=2 if small_alone else 1)
    n_learned, n_held = len(parts[0][0]), [held.n_shown for _, held in parts]
    plans = [plan.for_samples(n_learned) for _, plan in rungs]
    courses = [Course(plans[0], columns, target, learn, held) for learn, held in parts]
    until = min(plans[0].epochs or 1, max(LEAST_EPOCHS, SHOWN // n_learned))
    whole = _Heat(plans, courses, until, seed)
    heats = [(whole, n) for n in range(1, len(parts) + 1)]
    if not few:
        heats = [(whole.after(max(1, until * sixths // 6)), len(parts)) for sixths in SIXTHS[goal]]
    elif large:
        small = _Heat([_quarter(plan) for plan in plans], courses, max(1, until // 2), seed)
        heats = [(small, len(parts)), *([] if small_alone else heats)]
    left, compared, seen, heat = list(range(len(rungs))), [Compared({}, 0, 0.0, 0.0)] * len(rungs), 0, whole
    for heat, seen in heats:
        losses = {k: heat.loss(k, seen) for k in left}
        left.sort(key=lambda k: (losses[k], k))
        behind = {k: losses[k] - losses[left[0]] for k in left}
        compared[: len(left)] = [Compared(rungs[k][0], heat.epochs, losses[k], behind[k]) for k in left]
        near = NEAR / math.sqrt(sum(n_held[:seen]))
        left = [k for k in left if behind[k] <= near] if few else left[:2]
        if len(left) == 1:
            break
    best = left[0]
    knows_all = sample is data and (few or goal == "class") and plans[0].calibrated
    calibrated = heat.calibrated(best, plans[best]) if knows_all else None
    return Choice(rungs[best][0], tuple(compared), round(sum(n_held[:seen])), calibrated)


class _Heat:
    """Machines that learn for the same time: the plan of each rung, on the courses that it has been sent to."""

    def __init__(self, plans: Sequence[FitPlan], courses: Sequence[Course], epochs: int, seed: int) -> None:
        self._plans, self._courses, self._seed, self.epochs = plans, courses, seed, epochs
        self.runners = defaultdict[int, list[Runner]](list)
        self._losses = defaultdict[int, list[float]](list)

    def after(self, epochs: int) -> _Heat:
        """The same machines after so many epochs."""
        heat = _Heat(self._plans, self._courses, epochs, self._seed)
        heat.runners = self.runners
        return heat

    def loss(self, k: int, n: int) -> float:
        """The mean loss of a rung on the first n courses."""
        runners, losses = self.runners[k], self._losses[k]
        runners += [Runner(self._plans[k], course, seed=self._seed) for course in self._courses[len(runners) : n]]
        losses += [_loss(runner, self.epochs) for runner in runners[len(losses) : n]]
        return float(np.mean(losses))

    def calibrated(self, k: int, plan: FitPlan) -> Temperature | None:
        """What the machines of a rung say about the one of this plan, which may be larger: so are its votes.

        Its errors of values are smaller, which these do not tell.
        """
        larger = plan.settings.n_clauses / self._plans[k].settings.n_clauses
        if larger == 1:
            return pooled(self.runners[k])
        return None if plan.settings.goal == "value" else larger * pooled(self.runners[k])


def _quarter(plan: FitPlan) -> FitPlan:
    """The plan of a machine with a quarter of the clauses, an even number, and of T: the same rung, sooner seen."""
    settings = plan.settings
    small = replace(settings, n_clauses=settings.n_clauses // 8 * 2, T=max(1, settings.T // 4))
    return replace(plan, settings=small)


def _parts(sample: Samples, least: int) -> list[tuple[Samples, Samples]]:
    """The rows to learn from and those held out: so many quarters in turn, or more until enough rows are held out."""
    n_parts = max(least, math.ceil(ENOUGH_HELD_OUT / (HELD_OUT * sample.n_shown)))
    return [sample.portions(HELD_OUT, part) for part in range(min(n_parts, round(1 / HELD_OUT)))]


def _loss(runner: Runner, until: int) -> float:
    """The mean loss of the last epochs until this one: a single epoch may be lucky."""
    losses = []
    for epochs in range(max(1, until - LAST + 1), until + 1):
        runner.learn(epochs)
        losses.append(runner.loss())
    return float(np.mean(losses))
