"""The tables study: a machine to which no parameter was given, beside other learners with their defaults.

Five stratified folds of each table. KEEL's tables are read from ``keel/`` of the data folder (``ADTM_DATA``), where
they are there; those of the package and of scikit-learn are always there. docs/tables.md has what came out.
"""

from __future__ import annotations

from importlib.util import find_spec

from adtm.datasets.download import find
from adtm.paper.studies.plan import Plan, Task, make_task

EXPERIMENT = "tables"
FOLDS = 5
#: Always there.
OWN = (
    *("bankruptcy", "balance_scale", "breast_cancer", "liver_disorders", "heart", "iris", "wdbc", "wine", "digits"),
    *("made_20", "moons", "made_5_classes"),
)
#: KEEL's tables that the ladder of `adtm.learning.choosing` was found on.
CHOOSING = (
    *("australian", "bands", "bupa", "contraceptive", "german", "heart", "ionosphere", "led7digit", "magic"),
    *("marketing", "movement_libras", "optdigits", "phoneme", "ring", "satimage", "sonar", "splice", "texture"),
    *("titanic", "vehicle", "wdbc", "wisconsin"),
)
#: Those that only judge.
JUDGING = (
    *("banana", "breast", "chess", "crx", "hayes-roth", "housevotes", "iris", "letter", "mammographic", "monk-2"),
    *("mushroom", "penbased", "pima", "saheart", "segment", "spambase", "tae", "tic-tac-toe", "twonorm", "vowel"),
    "wine",
)
KEEL = "keel_"  # before the name of a table that is read from the folder
DATASETS = (*OWN, *(KEEL + name for name in (*CHOOSING, *JUDGING)))
MODELS = {"ADTM": "adtm", "RF": "random forest", "HGB": "gradient boosting", "LR": "logistic regression", "EBM": "EBM"}
SLOW = "EBM"  # only where everything is asked for and its library is there


def tasks(plan: Plan) -> list[Task]:
    """The runs of the study: every learner on every fold of the tables that are here.

    >>> len(tasks(Plan(repeats=1, datasets=("iris",))))
    4
    """
    slow = plan.full and find_spec("interpret") is not None
    return [
        task(name, model, fold)
        for name in here(plan)
        for fold in range(min(FOLDS, plan.amount(FOLDS, 1)[0]))
        for model in MODELS
        if slow or model != SLOW
    ]


def here(plan: Plan) -> list[str]:
    """The tables of a plan that can be read here; for a quick look the paper's five."""
    found = [name for name in plan.chosen(DATASETS) if name in OWN or find(keel_file(name), data_home=None)]
    return [name for name in found if name in OWN[:5]] if plan.quick and plan.datasets is None else found


def keel_file(name: str) -> str:
    """Where a table of KEEL lies in the data folder."""
    return f"keel/{name.removeprefix(KEEL)}.csv"


def task(name: str, model: str, fold: int = 0) -> Task:
    """A learner on one fold of a table."""
    return make_task(EXPERIMENT, name, model, {}, fold, seed=0, folds=FOLDS)
