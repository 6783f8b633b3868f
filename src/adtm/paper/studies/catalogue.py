"""The studies by name: `STUDIES` is what the command line can ask for. A further study is one more entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from adtm.paper.studies import ablations, defaults, determinism, family, faults, paper, sensitivity, thresholds
from adtm.paper.studies import tables as many_tables
from adtm.paper.studies.plan import Plan, Task


@dataclass(frozen=True)
class Study:
    """Tasks of a plan, the data sets that it may name, and whether it runs without being asked for by name."""

    tasks: Callable[[Plan], list[Task]]
    datasets: tuple[str, ...]
    by_default: bool = False


STUDIES = {
    "paper": Study(paper.tasks, paper.DATASETS, by_default=True),
    "sensitivity": Study(sensitivity.tasks, sensitivity.DATASETS, by_default=True),
    "determinism": Study(determinism.tasks, determinism.DATASETS),
    "ablations": Study(ablations.tasks, ablations.DATASETS),
    "family": Study(family.tasks, family.DATASETS),
    "defaults": Study(defaults.tasks, defaults.DATASETS),
    "tables": Study(many_tables.tasks, many_tables.DATASETS),
    "faults": Study(faults.tasks, faults.DATASETS),
    "thresholds": Study(thresholds.tasks, thresholds.DATASETS),
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

    >>> len(tasks("paper", Plan(quick=True, datasets=("heart",))))
    48
    """
    check(study, plan)
    return STUDIES[study].tasks(plan)
