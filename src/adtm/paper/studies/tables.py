"""The tables study: a machine to which no parameter was given, beside other learners with their defaults.

Five stratified folds of each table. KEEL's tables are read from ``keel/`` of the data folder (``ADTM_DATA``), where
they are there; those of the package and of scikit-learn are always there. Learners are compared by mean and rank;
docs/tables.md has what came out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from adtm.datasets.download import find
from adtm.paper.plan import Plan, Task, make_task
from adtm.paper.reading.groups import Runs
from adtm.paper.reading.measures import accuracy
from adtm.paper.reading.table import Table
from adtm.paper.running.raw import KEEL, keel_file
from adtm.paper.running.records import Record

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


def task(name: str, model: str, fold: int = 0) -> Task:
    """A learner on one fold of a table."""
    return make_task(EXPERIMENT, name, model, {}, fold, seed=0, folds=FOLDS)


#: Of Nemenyi's test at .05, by the number of learners: mean ranks that differ by less may be alike.
_STUDENTISED = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728}
Reached: TypeAlias = Mapping[str, Mapping[str, Sequence[Record]]]  # table -> learner -> folds


def tables(runs: Runs) -> list[Table]:
    """Two tables; none without a table that at least two learners have learned.

    >>> tables(Runs([]))
    []
    """
    reached, models = _reached(runs)
    return [_summary(reached, models), _by_table(reached, models)] if models else []


def mean_ranks(runs: Runs) -> tuple[dict[str, float], int]:
    """The mean rank of each learner by accuracy, the best first, and the number of tables.

    >>> mean_ranks(Runs([]))
    ({}, 0)
    """
    reached, models = _reached(runs)
    if not models:
        return {}, 0
    ranks = _ranks(_scores(reached, models))
    order = np.argsort(ranks, kind="stable")
    return {MODELS[models[k]]: float(ranks[k]) for k in order}, len(reached)


def critical_difference(n_models: int, n_tables: int) -> float:
    """How far two mean ranks must be apart (Nemenyi, .05).

    >>> round(critical_difference(4, 43), 2)
    0.72
    """
    return _STUDENTISED[n_models] * math.sqrt(n_models * (n_models + 1) / (6 * n_tables))


def _reached(runs: Runs) -> tuple[Reached, list[str]]:
    """The tables that at least two learners have learned, and the learners that have learned all of them."""
    reached = {
        name: of
        for name in DATASETS
        if len(of := {model: found for model in MODELS if (found := runs.alike(task(name, model)))}) > 1
    }
    models = [model for model in MODELS if all(model in of for of in reached.values())]
    return reached, models if reached and len(models) > 1 else []


def _scores(reached: Reached, models: Sequence[str]) -> NDArray[np.float64]:
    """Mean accuracies: (tables, learners)."""
    return np.array([[accuracy(of[model]).mean for model in models] for of in reached.values()])


def _ranks(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean ranks of the learners, from 1 for the best; equal ones share the mean of theirs."""
    from scipy.stats import rankdata

    ranks: NDArray[np.float64] = rankdata(-scores, axis=1).mean(axis=0)
    return ranks


def _summary(reached: Reached, models: Sequence[str]) -> Table:
    scores = _scores(reached, models)
    ranks = _ranks(scores)
    rows = []
    for k, model in enumerate(models):
        losses = [np.mean([run["test_log_loss"] for run in of[model]]) for of in reached.values()]
        seconds = sum(run["fit_seconds"] for of in reached.values() for run in of[model])
        wins, defeats = (scores[:, 0] > scores[:, k]).sum(), (scores[:, 0] < scores[:, k]).sum()
        against = "–" if k == 0 else f"{wins} : {defeats}"
        means = f"{scores[:, k].mean():.4f}", f"{np.mean(losses):.3f}", f"{ranks[k]:.2f}"
        rows.append((MODELS[model], *means, against, f"{seconds:.0f}"))
    note = (
        f"{len(scores)} tables, each the mean of its folds. Mean ranks by accuracy that differ by less than "
        f"{critical_difference(len(models), len(scores)):.2f} may be alike (Nemenyi, .05)."
    )
    columns = ("learner", "accuracy", "log loss", "mean rank", f"{MODELS[models[0]]} wins : loses", "seconds of fit")
    return Table(f"{EXPERIMENT}_learners", "Learners to which no parameter was given", columns, rows, (note,))


def _by_table(reached: Reached, models: Sequence[str]) -> Table:
    rows = []
    for name, of in reached.items():
        found = [accuracy(of[model]).mean for model in models]
        behind = max(found[1:]) - found[0]
        rows.append((name, *(f"{score:.3f}" for score in found), f"{behind:+.3f}"))
    columns = ("table", *(MODELS[model] for model in models), "best of the others, ahead by")
    return Table(f"{EXPERIMENT}_by_table", "Accuracy on each table", columns, rows)
