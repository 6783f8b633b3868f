"""What a study asks for: tasks, each one run, and the plan that says how many of them.

A study is a module of this folder with a function from a plan to tasks. How a task is done is left to `running`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypedDict

from adtm import datasets

QUICK_REPEATS, QUICK_EPOCHS = 3, 30


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
