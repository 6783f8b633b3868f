"""``adtm evaluate``: how good a machine is on a table, by cross-validation, beside three others."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adtm.cli.data import Data, Encoding, Target
from adtm.cli.output import Json, console, write_json
from adtm.cli.settings import (
    Bits,
    Budget,
    Clauses,
    Coins,
    Epochs,
    Ignore,
    Jobs,
    Seed,
    Specificity,
    Text,
    Tolerance,
    VoteTarget,
    new_machine,
    read_table,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adtm.table import Frame


def evaluate(
    data: Data,
    target: Target,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the rows; each is tested once.")] = 5,
    clauses: Clauses = 100,
    T: VoteTarget = None,
    s: Specificity = None,
    d: Coins = math.inf,
    seed: Seed = None,
    epochs: Epochs = None,
    bits: Bits = 25,
    tolerance: Tolerance = 0,
    literals: Budget = None,
    ignore: Ignore = None,
    text: Text = None,
    jobs: Jobs = -1,
    encoding: Encoding = "utf-8",
    json: Json = False,
) -> None:
    """Measure a machine by cross-validation, beside a majority vote, a tree and a forest on the same folds.

    The tree and the forest are scikit-learn's with their own defaults; texts become one column for each category.

    Example: adtm evaluate heart.csv --target class --folds 3
    """
    from sklearn.dummy import DummyClassifier
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier

    table = read_table(data, target, ignore=ignore, text=text, encoding=encoding)
    makers: dict[str, Callable[[], Any]] = {
        "adtm": lambda: new_machine(
            clauses=clauses,
            T=T,
            s=s,
            d=d,
            seed=seed,
            epochs=epochs,
            bits=bits,
            tolerance=tolerance,
            literals=literals,
            jobs=jobs,
        ),
        "majority": DummyClassifier,
        "tree": lambda: DecisionTreeClassifier(random_state=0),
        "forest": lambda: RandomForestClassifier(random_state=0, n_jobs=jobs),
    }
    results = _cross_validate(makers, table.X, table.y, folds)
    if json:
        write_json({"rows": len(table.y), "folds": folds, "results": results})
        return
    _show(results, f"{len(table.y):,} rows, {folds} folds: each row is tested once, by a model that has not seen it")


def _cross_validate(
    makers: dict[str, Callable[[], Any]], X: Frame, y: NDArray[Any], folds: int
) -> dict[str, dict[str, Any]]:
    import numpy as np
    from sklearn.model_selection import StratifiedKFold

    classes, counts = np.unique(y, return_counts=True)
    if counts.min() < folds:
        rarest = classes[counts.argmin()]
        raise ValueError(f"folds must be at most {counts.min()}, the rows of the rarest class {rarest!s}, got {folds}")
    numbers = _numbers(X)
    splits = list(StratifiedKFold(folds, shuffle=True, random_state=0).split(numbers, y))
    results: dict[str, dict[str, Any]] = {}
    for name, make in makers.items():
        scores, begin = [], time.perf_counter()
        for train, test in splits:
            inside, outside = (X.take(train), X.take(test)) if name == "adtm" else (numbers[train], numbers[test])
            scores.append(float(np.mean(make().fit(inside, y[train]).predict(outside) == y[test])))
        results[name] = {
            "accuracy": float(np.mean(scores)),
            "deviation": float(np.std(scores, ddof=1)),
            "seconds": (time.perf_counter() - begin) / folds,
            "folds": scores,
        }
    return results


def _numbers(X: Frame) -> NDArray[Any]:
    """The table for trees: numbers as they are, NaN for missing, one column for each category."""
    import numpy as np

    parts = []
    for values in X.columns:
        if values.kind == "category":
            parts.append(values.data[:, None] == np.arange(len(values.categories)))
            continue
        column = values.data.astype(np.float64)
        if values.missing is not None:
            column[values.missing] = np.nan
        parts.append(column[:, None])
    return np.hstack(parts).astype(np.float32)


def _show(results: dict[str, dict[str, Any]], title: str) -> None:
    from rich.table import Table as Grid

    grid = Grid(title=title, title_justify="left")
    grid.add_column("classifier")
    for heading in ("accuracy", "± over folds", "seconds a fold"):
        grid.add_column(heading, justify="right")
    for name, result in results.items():
        grid.add_row(name, f"{result['accuracy']:.3f}", f"{result['deviation']:.3f}", f"{result['seconds']:.2f}")
    console().print(grid)
