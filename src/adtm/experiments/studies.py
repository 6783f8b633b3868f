"""The studies that `adtm reproduce` knows, each a list of tasks and the tables made of its records.

A further study is one more entry in `STUDIES`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from adtm.experiments import paper, sensitivity
from adtm.experiments.layout import Table
from adtm.experiments.records import Record, Task
from adtm.experiments.tables import paper_tables

QUICK_REPEATS, QUICK_EPOCHS = 3, 30


@dataclass(frozen=True)
class Plan:
    """How much to run."""

    repeats: int = paper.REPEATS
    epochs: int = paper.EPOCHS
    datasets: tuple[str, ...] = tuple(paper.SETTINGS)
    slow: bool = True  # the learners and variants that take seconds per run
    full: bool = False  # these on all repeats

    @classmethod
    def of(
        cls,
        *,
        quick: bool = False,
        full: bool = False,
        repeats: int | None = None,
        epochs: int | None = None,
        datasets: Sequence[str] | None = None,
    ) -> Plan:
        """A plan from the options of the command line, checked.

        Examples
        --------
        >>> Plan.of(quick=True, datasets=["heart"])
        Plan(repeats=3, epochs=30, datasets=('heart',), slow=False, full=False)
        """
        if quick and full:
            raise ValueError("quick and full exclude each other")
        for dataset in datasets or ():
            if dataset not in paper.SETTINGS:
                raise ValueError(f"only must be one of {', '.join(paper.SETTINGS)}, got {dataset!r}")
        return cls(
            repeats=repeats or (QUICK_REPEATS if quick else paper.REPEATS),
            epochs=epochs or (QUICK_EPOCHS if quick else paper.EPOCHS),
            datasets=tuple(datasets or paper.SETTINGS),
            slow=not quick,
            full=full,
        )


def _paper_tasks(plan: Plan) -> list[Task]:
    found = paper.tasks(plan.repeats, plan.epochs, full=plan.full, datasets=plan.datasets)
    return [task for task in found if plan.slow or task["model"] != "EBM"]


def _sensitivity_tasks(plan: Plan) -> list[Task]:
    return sensitivity.tasks(plan.repeats, plan.epochs, datasets=plan.datasets, slow=plan.slow)


STUDIES: dict[str, Callable[[Plan], list[Task]]] = {"paper": _paper_tasks, "sensitivity": _sensitivity_tasks}


def tasks(study: str, plan: Plan) -> list[Task]:
    """The tasks of one study.

    Examples
    --------
    >>> len(tasks("paper", Plan.of(quick=True, datasets=["heart"])))
    48
    """
    if study not in STUDIES:
        raise ValueError(f"study must be one of {', '.join(STUDIES)}, got {study!r}")
    return STUDIES[study](plan)


def tables(records: Sequence[Record]) -> list[Table]:
    """All tables that the records allow."""
    return [*paper_tables(records), *sensitivity.tables(records)]
