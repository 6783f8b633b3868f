"""The studies by name: `STUDIES` is what the command line can ask for. A further study is one more module.

A study has its name, `EXPERIMENT`, the data sets that a plan may name, `DATASETS`, and a function `tasks` of a plan.
"""

from __future__ import annotations

from adtm.paper.studies import ablations, defaults, determinism, family, faults, paper, sensitivity, tables, thresholds
from adtm.paper.studies.plan import Plan, Task

_MODULES = (paper, sensitivity, determinism, ablations, family, defaults, tables, faults, thresholds)
STUDIES = {module.EXPERIMENT: module for module in _MODULES}
DEFAULT = (paper.EXPERIMENT, sensitivity.EXPERIMENT)  # what runs without being asked for by name


def check(study: str, plan: Plan) -> None:
    """Refuse a study or a data set that is not there; nothing is read, so it can be asked before anything else."""
    if study not in STUDIES:
        raise ValueError(f"study must be one of {', '.join(STUDIES)}, got {study!r}")
    known: tuple[str, ...] = STUDIES[study].DATASETS
    for dataset in plan.datasets or ():
        if dataset not in known:
            raise ValueError(f"only must be one of {', '.join(known)} in the study {study}, got {dataset!r}")


def tasks(study: str, plan: Plan) -> list[Task]:
    """The tasks of one study. Large data sets that it is about are looked for, and left out where they are not.

    >>> len(tasks("paper", Plan(quick=True, datasets=("heart",))))
    48
    """
    check(study, plan)
    asked: list[Task] = STUDIES[study].tasks(plan)
    return asked
