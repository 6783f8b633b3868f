"""The other learners of the paper's Table 6, with their libraries' default settings and a seed.

The paper names layer sizes and nothing else, so all else is the default. Features are the raw numeric table; networks,
the support vector machine and the nearest neighbours get it standardised on the training part, as they need, the trees
as it is. One thread each: the runner has the cores. Libraries are imported when a learner is built.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from adtm.extras import need
from adtm.machine.interrupt import finish_first
from adtm.paper.running.splits import Split


def _scaled(estimator: Any) -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), estimator)


def _network(*layers: int) -> Callable[[int], Any]:
    def build(seed: int) -> Any:
        from sklearn.neural_network import MLPClassifier

        return _scaled(MLPClassifier(hidden_layer_sizes=layers, random_state=seed))

    return build


def _tree(seed: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(random_state=seed)


def _support_vectors(seed: int) -> Any:
    from sklearn.svm import SVC

    return _scaled(SVC(random_state=seed))


def _neighbours(seed: int) -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return _scaled(KNeighborsClassifier())  # nothing random in it


def _forest(seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(random_state=seed)


def _boosted_trees(seed: int) -> Any:
    return need("xgboost", "XGBoost").XGBClassifier(random_state=seed, n_jobs=1)


def _boosting_machine(seed: int) -> Any:
    glassbox = need("interpret.glassbox", "EBM")
    return glassbox.ExplainableBoostingClassifier(random_state=seed, n_jobs=1)


BUILDERS: dict[str, Callable[[int], Any]] = {
    "ANN-1": _network(5),
    "ANN-2": _network(20, 50),
    "ANN-3": _network(20, 150, 100),
    "DT": _tree,
    "SVM": _support_vectors,
    "KNN": _neighbours,
    "RF": _forest,
    "XGBoost": _boosted_trees,
    "EBM": _boosting_machine,
}
PACKAGES = {"XGBoost": "xgboost", "EBM": "interpret"}  # beyond scikit-learn


def build(model: str, seed: int) -> Any:
    """One baseline, not yet fitted.

    Examples
    --------
    >>> build("DT", seed=0)
    DecisionTreeClassifier(random_state=0)
    """
    if model not in BUILDERS:
        raise ValueError(f"model must be one of {sorted(BUILDERS)}, got {model!r}")
    return BUILDERS[model](seed)


def fit_baseline(model: str, split: Split, seed: int) -> Any:
    """Build and fit one baseline on the training rows of a split, quietly and on one thread."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    # One thread, because sums of floats in another order are other floats, and records must not depend on the cores.
    # xgboost calls back from C, where Ctrl-C is lost with a traceback; its fit is short, so Ctrl-C can wait for it.
    held = finish_first() if model == "XGBoost" else nullcontext()
    with _quiet(), held, threadpool_limits(limits=1):
        return build(model, seed).fit(split.X_train, split.y_train)


@contextmanager
def _quiet() -> Iterator[None]:
    # Networks stop at scikit-learn's default of 200 rounds and say so each time: known, and part of "default settings".
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def require(models: set[str]) -> None:
    """Raise at once, before any work, when a baseline's library is missing."""
    for model in sorted(models & set(PACKAGES)):
        need(PACKAGES[model], model)
