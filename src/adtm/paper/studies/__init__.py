"""The studies that `adtm reproduce` knows, each a list of tasks and the tables made of its records.

A further study is one more entry in `STUDIES`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from adtm.paper.studies import ablations, determinism, family, paper, sensitivity
from adtm.paper.reading import claims, determinism as determinism_tables, family as family_tables, pairs, silence
from adtm.paper.studies.determinism import QUICK_EPOCHS, QUICK_REPEATS
from adtm.paper.running.records import Record, Task
from adtm.paper.reading.table import Table
from adtm.paper.reading.paper import dataset_tables, paper_tables


@dataclass(frozen=True)
class Plan:
    """How much to run. What is None is left to the study."""

    repeats: int | None = None
    epochs: int | None = None
    datasets: tuple[str, ...] | None = None
    quick: bool = False  # a look: few repeats, nothing that takes seconds per run
    full: bool = False  # slow learners and large data sets on more repeats

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
        Plan(repeats=None, epochs=None, datasets=('heart',), quick=True, full=False)
        """
        if quick and full:
            raise ValueError("quick and full exclude each other")
        return cls(repeats, epochs, tuple(datasets) if datasets else None, quick, full)


def _paper_tasks(plan: Plan) -> list[Task]:
    datasets = plan.datasets or tuple(paper.SETTINGS)
    every = paper.tasks(*_amount(plan), full=plan.full, datasets=datasets)
    return [task for task in every if not (plan.quick and task["model"] == "EBM")]


def _sensitivity_tasks(plan: Plan) -> list[Task]:
    datasets = plan.datasets or sensitivity.ALL
    return sensitivity.tasks(*_amount(plan), datasets=datasets, slow=not plan.quick, full=plan.full)


def _amount(plan: Plan) -> tuple[int, int]:
    """Repeats and epochs of the paper's data sets."""
    repeats, epochs = (QUICK_REPEATS, QUICK_EPOCHS) if plan.quick else (paper.REPEATS, paper.EPOCHS)
    return plan.repeats or repeats, plan.epochs or epochs


def _determinism_tasks(plan: Plan) -> list[Task]:
    return determinism.tasks(plan.repeats, plan.epochs, only=plan.datasets, quick=plan.quick, full=plan.full)


def _ablation_tasks(plan: Plan) -> list[Task]:
    return ablations.tasks(plan.repeats, plan.epochs, datasets=plan.datasets or ablations.DATASETS, quick=plan.quick)


def _family_tasks(plan: Plan) -> list[Task]:
    return family.tasks(plan.repeats, plan.epochs, only=plan.datasets, quick=plan.quick, full=plan.full)


def _paper_tables(records: Sequence[Record]) -> list[Table]:
    makers = (claims.tables, dataset_tables, paper_tables, pairs.tables, silence.tables)
    return [table for make in makers for table in make(records)]


@dataclass(frozen=True)
class Study:
    """Tasks of a plan, tables of records, data sets, and whether it runs without being asked for by name."""

    tasks: Callable[[Plan], list[Task]]
    tables: Callable[[Sequence[Record]], list[Table]]
    datasets: tuple[str, ...]
    by_default: bool = True


STUDIES = {
    "paper": Study(_paper_tasks, _paper_tables, tuple(paper.SETTINGS)),
    "sensitivity": Study(_sensitivity_tasks, sensitivity.tables, sensitivity.ALL),
    "determinism": Study(_determinism_tasks, determinism_tables.tables, tuple(determinism.CASES), by_default=False),
    "ablations": Study(_ablation_tasks, ablations.tables, ablations.DATASETS, by_default=False),
    "family": Study(_family_tasks, family_tables.tables, family.DATASETS, by_default=False),
}
DEFAULT = tuple(name for name, study in STUDIES.items() if study.by_default)


def check(study: str, plan: Plan) -> None:
    """Refuse a study or a data set that is not there; nothing is read, so it can be asked before anything else."""
    if study not in STUDIES:
        raise ValueError(f"study must be one of {', '.join(STUDIES)}, got {study!r}")
    known = STUDIES[study].datasets
    for dataset in plan.datasets or ():
        if dataset not in known:
            raise ValueError(f"only must be one of {', '.join(known)} in the study {study}, got {dataset!r}")


def tasks(study: str, plan: Plan) -> list[Task]:
    """The tasks of one study. Large data sets that it is about are looked for, and left out where they are not.

    Examples
    --------
    >>> len(tasks("paper", Plan.of(quick=True, datasets=["heart"])))
    48
    """
    check(study, plan)
    return STUDIES[study].tasks(plan)


def tables(records: Sequence[Record]) -> list[Table]:
    """All tables that the records allow."""
    return [table for study in STUDIES.values() for table in study.tables(records)]
