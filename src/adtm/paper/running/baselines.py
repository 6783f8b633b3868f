"""The other learners: those of the paper's Table 6 and one more, with their libraries' default settings and a seed.

The paper names layer sizes and nothing else, so all else is the default. Features are the raw numeric table; networks,
the support vector machine and the nearest neighbours get it standardised on the training part, as they need, the trees
as it is. One thread each: the runner has the cores. Libraries are imported when a learner is built.
"""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from adtm.extras import need
from adtm.machine.interrupt import finish_first
from adtm.paper.running.splits import Split


@dataclass(frozen=True)
class Learner:
    """A class of a library, its parameters besides the seed, and whether it wants standardised features."""

    module: str
    name: str
    params: dict[str, Any] = field(default_factory=dict)
    scaled: bool = False
    seeded: bool = True


def _network(*layers: int) -> Learner:
    return Learner("sklearn.neural_network", "MLPClassifier", {"hidden_layer_sizes": layers}, scaled=True)


LEARNERS = {
    "ANN-1": _network(5),
    "ANN-2": _network(20, 50),
    "ANN-3": _network(20, 150, 100),
    "DT": Learner("sklearn.tree", "DecisionTreeClassifier"),
    "SVM": Learner("sklearn.svm", "SVC", scaled=True),
    "KNN": Learner("sklearn.neighbors", "KNeighborsClassifier", scaled=True, seeded=False),  # nothing random in it
    "RF": Learner("sklearn.ensemble", "RandomForestClassifier"),
    "HGB": Learner("sklearn.ensemble", "HistGradientBoostingClassifier"),
    "LR": Learner("sklearn.linear_model", "LogisticRegression", {"max_iter": 1000}, scaled=True),
    "XGBoost": Learner("xgboost", "XGBClassifier", {"n_jobs": 1}),
    "EBM": Learner("interpret.glassbox", "ExplainableBoostingClassifier", {"n_jobs": 1}),
}
PACKAGES = {"XGBoost": "xgboost", "EBM": "interpret"}  # beyond scikit-learn


def build(model: str, seed: int) -> Any:
    """One baseline, not yet fitted.

    >>> build("DT", seed=0)
    DecisionTreeClassifier(random_state=0)
    """
    if model not in LEARNERS:
        raise ValueError(f"model must be one of {sorted(LEARNERS)}, got {model!r}")
    known = LEARNERS[model]
    params = {**known.params, "random_state": seed} if known.seeded else known.params
    learner = getattr(need(known.module, model), known.name)(**params)
    if not known.scaled:
        return learner
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), learner)


def fit_baseline(model: str, split: Split, seed: int) -> Any:
    """Build and fit one baseline on the training rows of a split, quietly and on one thread."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    # One thread, because sums of floats in another order are other floats, and records must not depend on the cores.
    # xgboost calls back from C, where Ctrl-C is lost with a traceback; its fit is short, so Ctrl-C can wait for it.
    held = finish_first() if model == "XGBoost" else nullcontext()
    # Networks stop at scikit-learn's default of 200 rounds and say so each time: known, and part of "default settings".
    with warnings.catch_warnings(action="ignore"), held, threadpool_limits(limits=1):
        return build(model, seed).fit(split.X_train, split.y_train)


def require(models: set[str]) -> None:
    """Raise at once, before any work, when a baseline's library is missing."""
    for model in sorted(models & set(PACKAGES)):
        need(PACKAGES[model], model)
