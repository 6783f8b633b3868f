"""Cases: data sets on which machines are run side by side, as the studies determinism and family declare them.

A machine of a case has a place: its name and its determinism. All places of a repeat share a seed, and so a split:
their differences are paired.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import adtm
from adtm.paper.studies import paper
from adtm.paper.studies.plan import Plan, Task, available, make_task

D: TypeAlias = int | str | None  # None has no d: the standard machine, or one that draws nothing
Place: TypeAlias = tuple[str, D]

FULL_REPEATS = 3  # on a fixed test part
DETERMINISM: tuple[int | str, ...] = (1, 100, 5000, "inf")
# The rules that take random numbers away, by parameter.
RULES: dict[str, Any] = {name: value for name, value in adtm.DETERMINISTIC.items() if name != "d"}


@dataclass(frozen=True, kw_only=True)
class Case:
    """A data set with the machines to run on it, and how often and how long."""

    experiment: str
    dataset: str
    title: str
    n_clauses: int
    params: Mapping[Place, dict[str, Any]]  # at each place, all but the epochs
    epochs: int = paper.EPOCHS
    repeats: int = 50
    n_banks: int = 1
    fixed: bool = False  # large, with a test part of its own: repeats differ by what is drawn and by nothing else
    data: dict[str, Any] = field(default_factory=dict)  # how it becomes bits (`splits.literal_split`)
    slow: bool = False  # only with --full

    def amount(self, plan: Plan) -> tuple[int, int]:
        """Repeats and epochs."""
        return plan.amount(FULL_REPEATS if self.fixed and plan.full else self.repeats, self.epochs)

    def tasks(self, plan: Plan) -> list[Task]:
        """Every place in every repeat; what draws nothing only once where the test part is fixed."""
        repeats, epochs = self.amount(plan)
        return [
            self.task(params, epochs, repeat)
            for repeat in range(repeats)
            for params in self.params.values()
            if repeat == 0 or not self.fixed or _draws(params)
        ]

    def task(self, params: Mapping[str, Any], epochs: int = 0, repeat: int = 0, **data: Any) -> Task:
        """One run."""
        model, given = "ADTM" if "d" in params else "TM", {**params, "epochs": epochs}
        return make_task(self.experiment, self.dataset, model, given, repeat, **self.data, **data)


def _draws(params: Mapping[str, Any]) -> bool:
    """Whether a machine draws any random number; the rota replaces jumps, not draws."""
    drawless = {name: rule for name, rule in RULES.items() if name != "weak"} | {"d": "inf"}
    return not drawless.items() <= params.items()


def runnable(cases: Iterable[Case], plan: Plan) -> list[Case]:
    """The cases that a plan leaves: no large data set in a quick look unless named, none that cannot be had.

    A data set that was named and cannot be had is an error; of the others, standard error says why they are left out.
    """
    named = plan.datasets is not None
    kept = [case for case in cases if (named or not (plan.quick and case.fixed)) and (plan.full or not case.slow)]
    here = available((case.dataset for case in kept if case.fixed), named=named)
    return [case for case in kept if not case.fixed or case.dataset in here]


def column(d: D) -> str:
    """The head of a column: "TM", or the determinism.

    >>> column(None), column(100), column("inf")
    ('TM', 'd=100', 'd=∞')
    """
    return "TM" if d is None else f"d={'∞' if d == 'inf' else d}"
