"""``adtm evaluate``: how good a machine is on a table, by cross-validation, beside others on the same folds."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adtm.cli.gather import gathered
from adtm.cli.output import Json, number, show, working, write_json
from adtm.cli.settings import MachineOptions, RunOptions, TableOptions, TrainingData
from adtm.cli.target import TargetColumns, TargetKind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from adtm.tables.packed import Packed
    from adtm.tables.table import Frame

#: What is measured of each kind; the deviation over the folds is that of the first.
MEASURES: dict[TargetKind, tuple[str, ...]] = {
    "classes": ("accuracy", "balanced_accuracy"),
    "value": ("r2", "mean_absolute_error"),
    "labels": ("f1", "accuracy", "all_right"),
}
HEADINGS = {
    "balanced_accuracy": "balanced",
    "r2": "R²",
    "mean_absolute_error": "MAE",
    "f1": "F1",
    "all_right": "all right",
}
LARGEST_EXPONENT = 100  # of a number for the others: trees hold it in 32 bits, the linear model squares it
Makers = dict[str, Callable[[], Any]]


@gathered
def evaluate(
    source: TableOptions,
    settings: MachineOptions,
    run: RunOptions,
    folds: Annotated[int, typer.Option(min=2, metavar="N", help="Parts of the rows; each is tested once.")] = 5,
    json: Json = False,
) -> None:
    """Measure a machine by cross-validation, beside others on the same folds.

    Classes by accuracy and balanced accuracy, the mean of what is right in each class, beside a majority vote, a tree
    and a forest. A value by R² and the mean absolute error, beside
    the mean, a linear model, a tree and a forest. Labels, beside a majority vote, a tree and a forest, by F1 (the mean
    of all labels), by accuracy (of all answers about all labels) and by the share of rows with all labels right.

    The others are scikit-learn's with their own defaults; texts become one column for each category. All learn with the
    weights of a packed file; measures count every row once.

    Example: adtm evaluate heart.csv --target class --folds 3

    Example: adtm evaluate heart.csv --target max_heart_rate --value --folds 3
    """
    table = source.read()
    kind = table.target.kind
    jobs = run.run_parameters(len(table.X))["n_jobs"]
    makers: Makers = {"adtm": lambda: settings.new(kind, run, table.X), **_others(kind, jobs)}
    with working() as tell:
        results = _cross_validate(makers, table, folds, tell=tell)
    if json:
        write_json({"kind": kind, "rows": len(table.X), "folds": folds, "results": results})
        return
    _show(
        results, kind, f"{len(table.X):,} rows, {folds} folds: each row is tested once, by a model that has not seen it"
    )


def _others(kind: TargetKind, jobs: int) -> Makers:
    """What a machine is compared with."""
    from sklearn.dummy import DummyClassifier, DummyRegressor
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    if kind == "value":
        return {
            "mean": DummyRegressor,
            "linear": lambda: make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler(), Ridge()),
            "tree": lambda: DecisionTreeRegressor(random_state=0),
            "forest": lambda: RandomForestRegressor(random_state=0, n_jobs=jobs),
        }
    return {
        "majority": DummyClassifier,
        "tree": lambda: DecisionTreeClassifier(random_state=0),
        "forest": lambda: RandomForestClassifier(random_state=0, n_jobs=jobs),
    }


def _cross_validate(
    makers: Makers, table: TrainingData, folds: int, *, tell: Callable[[str], None]
) -> dict[str, dict[str, Any]]:
    import numpy as np

    target = table.target
    numbers, splits = _numbers(table.X), _splits(target, folds)
    results: dict[str, dict[str, Any]] = {}
    for name, make in makers.items():
        begin = time.perf_counter()
        scores = _of_folds(name, make, table.X if name == "adtm" else numbers, target, table.weight, splits, tell)
        seconds = (time.perf_counter() - begin) / folds
        means, first = np.mean(scores, axis=0), [of_fold[0] for of_fold in scores]
        results[name] = {
            **dict(zip(MEASURES[target.kind], means.tolist(), strict=True)),
            "deviation": float(np.std(first, ddof=1)),
            "seconds": seconds,
            "folds": first,
        }
    return results


def _of_folds(
    name: str,
    make: Callable[[], Any],
    X: Any,
    target: TargetColumns,
    weight: NDArray[Any] | None,
    splits: list[tuple[NDArray[Any], NDArray[Any]]],
    tell: Callable[[str], None],
) -> list[list[float]]:
    """The scores of each fold; a card learns several at a time."""
    import numpy as np

    from adtm.machine.ahead import side_by_side
    from adtm.machine.backends import get_backend, shared_out
    from adtm.tables.table import take_rows

    own, y = name == "adtm", target.array
    beyond = 0 if own or target.kind != "value" else _beyond(y)
    if beyond:
        y = np.ldexp(y, -beyond)
    backend, at_once = shared_out(get_backend(make().backend), len(splits)) if own else (None, 1)

    def scores(k: int) -> list[float]:
        tell(f"{name}: fold {k + 1} of {len(splits)}")
        (train, test), model = splits[k], make()
        if at_once > 1:
            model.set_params(backend=backend)
        last = f"{model.steps[-1][0]}__" if hasattr(model, "steps") else ""  # of a pipeline, which learns there
        weights = {} if weight is None else {f"{last}sample_weight": weight[train]}
        answers = model.fit(take_rows(X, train), y[train], **weights).predict(take_rows(X, test))
        return _scores(target.kind, target.array[test], np.ldexp(answers, beyond) if beyond else answers)

    return list(side_by_side(scores, range(len(splits)), at_once=at_once))


def _splits(target: TargetColumns, folds: int) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Rows to learn from and rows to test, for each fold; classes have their share in all of them."""
    import numpy as np
    from sklearn.model_selection import KFold, StratifiedKFold

    from adtm.validation import check_folds

    y = target.array
    if target.kind != "classes":
        check_folds(folds, y, classes=False)
        return list(KFold(folds, shuffle=True, random_state=0).split(y))
    classes, counts = np.unique(y, return_counts=True)
    rarest = classes[counts.argmin()]
    if counts.min() < 2:
        raise ValueError(f"expected at least 2 rows of each class, to learn from and to test, got 1 of {rarest!s}")
    if counts.min() < folds:
        raise ValueError(f"folds must be at most {counts.min()}, the rows of the rarest class {rarest!s}, got {folds}")
    return list(StratifiedKFold(folds, shuffle=True, random_state=0).split(y, y))


def _scores(kind: TargetKind, truth: NDArray[Any], answers: NDArray[Any]) -> list[float]:
    """The measures of one fold, in their order."""
    import numpy as np
    from sklearn.metrics import f1_score, recall_score

    from adtm.machine.heads import value_scores

    if kind == "value":
        return list(value_scores(truth, answers))
    right = truth == answers
    if kind == "classes":
        return [float(np.mean(right)), float(recall_score(truth, answers, average="macro"))]
    f1 = f1_score(truth, answers, average="macro", zero_division=0)
    return [float(f1), float(np.mean(right)), float(np.mean(right.all(axis=1)))]


def _beyond(numbers: NDArray[np.float64]) -> int:
    """By how many powers of two numbers are beyond the reach of the others."""
    import numpy as np

    _, exponent = np.frexp(np.fmax.reduce(np.abs(numbers), initial=0))
    return max(int(exponent) - LARGEST_EXPONENT, 0)


def _numbers(X: Frame | Packed) -> NDArray[Any]:
    """The table for the others: numbers, NaN for missing, one column for each category; or its bits.

    Numbers are as they are; a column that holds one beyond the reach of the others is divided by a power of two.
    """
    import numpy as np

    from adtm.tables.table import Frame

    if not isinstance(X, Frame):
        return X.literals.unpack()[:, : X.literals.n_features].astype(np.float64)
    parts = []
    for values in X.columns:
        if values.kind == "category":
            parts.append(values.data[:, None] == np.arange(len(values.categories)))
            continue
        column = values.data.astype(np.float64)
        if values.missing is not None:
            column[values.missing] = np.nan
        parts.append(np.ldexp(column, -_beyond(column))[:, None])
    return np.hstack(parts).astype(np.float64)


def _show(results: dict[str, dict[str, Any]], kind: TargetKind, title: str) -> None:
    measures = MEASURES[kind]
    what = "model" if kind == "value" else "classifier"
    main, *others = (HEADINGS.get(name, name) for name in measures)
    rows = []
    for name, result in results.items():
        first, *rest = (
            number(result[each]) if each == "mean_absolute_error" else f"{result[each]:.3f}" for each in measures
        )
        rows.append((name, first, f"{result['deviation']:.3f}", *rest, f"{result['seconds']:.2f}"))
    show(title, (what, main, "± over folds", *others, "seconds a fold"), rows, left=(what,))
