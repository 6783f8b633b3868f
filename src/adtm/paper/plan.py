"""What a study asks for: tasks, each one run, the plan that says how many of them, and cases.

A case is a data set on which machines are run side by side, as the studies determinism and family declare them. A
machine of a case has a place: its name and its determinism. All places of a repeat share a seed, and so a split: their
differences are paired. How a task is done is left to `running`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypedDict

import adtm
from adtm import datasets
from adtm.paper import published

D: TypeAlias = int | str | None  # None has no d: the standard machine, or one that draws nothing
Place: TypeAlias = tuple[str, D]

QUICK_REPEATS, QUICK_EPOCHS = 3, 30
FIXED = ("mnist", "fashion_mnist", "imdb")  # large, with a test part of their own, which no seed changes
FULL_REPEATS = 3  # on a fixed test part
DETERMINISM: tuple[int | str, ...] = (1, 100, 5000, "inf")
# The rules that take random numbers away, by parameter.
RULES: dict[str, Any] = {name: value for name, value in adtm.DETERMINISTIC.items() if name != "d"}


class Task(TypedDict):
    """One run to be done: everything that decides its result, and nothing else."""

    experiment: str
    dataset: str
    model: str
    params: dict[str, Any]
    variant: dict[str, Any]
    repeat: int
    seed: int


def make_task(
    experiment: str,
    dataset: str,
    model: str,
    params: dict[str, Any],
    repeat: int,
    seed: int | None = None,
    **variant: Any,
) -> Task:
    """A task; its seed is that of all runs of the repeat, unless one is named.

    So all models and all d share a split, and all machines their start: differences are paired.
    """
    own = repeat if seed is None else seed
    return Task(
        experiment=experiment, dataset=dataset, model=model, params=params, variant=variant, repeat=repeat, seed=own
    )


@dataclass(frozen=True)
class Plan:
    """How much to run, as the command line says it. What is None is left to the study."""

    repeats: int | None = None
    epochs: int | None = None
    datasets: tuple[str, ...] | None = None
    quick: bool = False  # a look: few repeats, nothing that takes seconds per run
    full: bool = False  # slow learners and large data sets on more repeats

    def __post_init__(self) -> None:
        if self.quick and self.full:
            raise ValueError("quick and full exclude each other")

    def amount(self, repeats: int, epochs: int) -> tuple[int, int]:
        """Repeats and epochs of a setting that has so many unless the plan says otherwise.

        >>> Plan(quick=True).amount(20, 10), Plan(repeats=7).amount(20, 10)
        ((3, 10), (7, 10))
        """
        few = (min(repeats, QUICK_REPEATS), min(epochs, QUICK_EPOCHS)) if self.quick else (repeats, epochs)
        return self.repeats or few[0], self.epochs or few[1]

    def chosen(self, names: Iterable[str]) -> list[str]:
        """Those of some data sets that the plan asks for, in their order."""
        return [name for name in names if self.datasets is None or name in self.datasets]


def available(names: Iterable[str], *, named: bool) -> set[str]:
    """The large data sets that are here or can be fetched; others are told on standard error, or raised if `named`."""
    here = set()
    for dataset in sorted(set(names)):
        try:
            datasets.ensure(dataset)  # the processes that learn read it, this one need not
        except OSError as error:
            if named:
                raise
            print(f"{dataset} is left out: {error}", file=sys.stderr, flush=True)
        else:
            here.add(dataset)
    return here


@dataclass(frozen=True, kw_only=True)
class Case:
    """A data set with the machines to run on it, and how often and how long."""

    experiment: str
    dataset: str
    title: str
    n_clauses: int
    params: Mapping[Place, dict[str, Any]]  # at each place, all but the epochs
    epochs: int = published.EPOCHS
    repeats: int = 50
    n_banks: int = 1
    data: dict[str, Any] = field(default_factory=dict)  # how it becomes bits (`splits.literal_split`)
    slow: bool = False  # only with --full

    @property
    def fixed(self) -> bool:
        """Whether repeats differ by what is drawn and by nothing else."""
        return self.dataset in FIXED

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
