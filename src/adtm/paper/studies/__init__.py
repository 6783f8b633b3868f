"""The studies that `adtm reproduce` knows, each in a module: what is run, and what its records show.

`paper` has the runs and tables of the paper, `sensitivity` the choices that it leaves open, `determinism` learning
without random numbers, `ablations` the same with one rule changed, `family` clauses that tolerate failed literals,
`defaults` parameters without tuning, `tables` a machine without any parameter beside other learners, `thresholds`
thresholds that a machine moves, `faults` bits that are stuck.

A study has its name, `EXPERIMENT`, the data sets that a plan may name, `DATASETS`, a function `tasks` of a plan and a
function `tables` of the records. `STUDIES` is what the command line can ask for; a further study is one more module.
"""

from __future__ import annotations

from adtm.paper.plan import Plan, Task
from adtm.paper.studies import ablations, defaults, determinism, family, faults, paper, sensitivity, tables, thresholds

_MODULES = (paper, sensitivity, determinism, ablations, family, defaults, tables, thresholds, faults)
STUDIES = {module.EXPERIMENT: module for module in _MODULES}
DEFAULT = ("paper", "sensitivity")  # what runs without being asked for by name


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
