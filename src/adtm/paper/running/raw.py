"""Tables as users have them: numbers, texts, missing values, sparse counts.

Those of the paper, of scikit-learn, made ones, large ones cut to `ROWS` rows, and KEEL's. The defaults study splits
them at random, the studies tables, thresholds and faults into folds. Whatever is drawn has seed 0.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from adtm import datasets
from adtm.datasets.download import find
from adtm.paper.running.splits import LiteralSplit, Split
from adtm.tables.booleanizer import Booleanizer

XY: TypeAlias = tuple[Any, NDArray[Any]]
ROWS, TEST_SHARE, N_SPLITS = 4000, 0.3, 100  # the first splits do not depend on how many there are
KEEL = "keel_"  # before the name of a table that is read from the data folder
FOREST_BITS = 25  # per column, where a forest cannot read the column itself


def _sklearn(function: str, **parameters: Any) -> XY:
    import sklearn.datasets

    X, y = getattr(sklearn.datasets, function)(**parameters)
    return X, y


def _census() -> XY:
    """Numbers, texts and missing values that together decide, with a fifth of the labels by chance."""
    rng = np.random.default_rng(0)
    age, hours = rng.integers(17, 80, ROWS).astype(float), rng.normal(40, 12, ROWS)
    work, school = rng.integers(0, 8, ROWS), rng.integers(0, 16, ROWS)
    score = np.sum([age > 35, hours > 42, school > 9, np.isin(work, [1, 4, 6]) & (age < 60)], axis=0)
    y = ((score >= 3) ^ (rng.random(ROWS) < 0.1)).astype(int)
    table = np.empty((ROWS, 4), object)
    for j, column in enumerate((age, hours, np.char.add("w", work.astype(str)), np.char.add("s", school.astype(str)))):
        table[:, j] = column
        table[rng.random(ROWS) < 0.05, j] = None
    return table, y


def _text() -> XY:
    """Counts of 2,000 words in a sparse matrix; a few hundred of them say something."""
    from scipy.sparse import csr_array

    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, ROWS)
    rate = 60.0 / np.arange(1, 2001)
    lean = np.where(rng.random(2000) < 0.15, rng.choice([0.5, 2.0], 2000), 1.0)
    return csr_array(rng.poisson(np.minimum(rate, 3.0) * np.where(y[:, None] == 1, lean, 1.0))), y


def _classes(n_samples: int, n_features: int, n_informative: int, n_classes: int = 2) -> Callable[[], XY]:
    sizes = {"n_samples": n_samples, "n_features": n_features, "n_informative": n_informative, "n_classes": n_classes}
    return lambda: _sklearn("make_classification", **sizes, random_state=0)


QUANTILES = {"n_samples": 3000, "n_features": 6, "n_classes": 4}
#: What is not a ``load_`` or ``fetch_`` of `adtm.datasets`.
TABLES: dict[str, Callable[[], XY]] = {
    "iris": lambda: _sklearn("load_iris", return_X_y=True),
    "wdbc": lambda: _sklearn("load_breast_cancer", return_X_y=True),
    "wine": lambda: _sklearn("load_wine", return_X_y=True),
    "digits": lambda: _sklearn("load_digits", return_X_y=True),
    "made_20": _classes(3000, 20, 8),
    "moons": lambda: _sklearn("make_moons", n_samples=2000, noise=0.25, random_state=0),
    "made_50": _classes(ROWS, 50, 15),
    "made_5_classes": _classes(3000, 30, 12, 5),
    "gaussian_quantiles": lambda: _sklearn("make_gaussian_quantiles", **QUANTILES, random_state=0),
    "noisy_xor": lambda: datasets.make_noisy_xor(ROWS, random_state=0),
    "made_census": _census,
    "made_text": _text,
}


def keel_file(name: str) -> str:
    """Where a table of KEEL lies in the data folder."""
    return f"keel/{name.removeprefix(KEEL)}.csv"


def _keel(name: str) -> XY:
    """A table of KEEL: the last column is the class, and none has a header."""
    path = find(keel_file(name), data_home=None)
    if path is None:
        raise FileNotFoundError(f"{keel_file(name)} is not in the data folder (ADTM_DATA)")
    with path.open(encoding="utf-8", newline="") as file:
        rows = [[text.strip() for text in row] for row in csv.reader(file) if row]
    *columns, labels = zip(*rows, strict=True)
    table = np.empty((len(rows), len(columns)), object)
    for j, column in enumerate(columns):
        table[:, j] = _numbers(column)
    numeric = all(not isinstance(value, str) for value in table[0])
    return table.astype(np.float64) if numeric else table, np.unique(labels, return_inverse=True)[1]


def _numbers(texts: tuple[str, ...]) -> tuple[Any, ...]:
    try:
        return tuple(map(float, texts))
    except ValueError:
        return texts


@lru_cache(maxsize=2)
def load(name: str) -> XY:
    """A table, unless it is KEEL's cut to `ROWS` rows spread over the whole, and class indices."""
    if name.startswith(KEEL):
        return _keel(name)
    loader = getattr(datasets, f"load_{name}", None) or getattr(datasets, f"fetch_{name}", None)
    X, y = TABLES[name]() if name in TABLES else loader(return_X_y=True)  # type: ignore[misc]
    rows = np.arange(len(y)) if len(y) <= ROWS else np.random.default_rng(0).permutation(len(y))[:ROWS]
    return X[rows], np.unique(np.asarray(y)[rows], return_inverse=True)[1]


@lru_cache(maxsize=2)
def _split(name: str, number: int) -> Split:
    X, y = load(name)
    splits = StratifiedShuffleSplit(N_SPLITS, test_size=TEST_SHARE, random_state=0).split(np.zeros(len(y)), y)
    train, test = next(parts for at, parts in enumerate(splits) if at == number)
    return Split(X[train], X[test], y[train], y[test])


@lru_cache(maxsize=4)
def literal_split(name: str, number: int, max_bits: int) -> LiteralSplit:
    """The table in its split of this number, as literals that the training part decides."""
    parts = _split(name, number)
    return parts.literals(Booleanizer(max_bits=max_bits, missing="indicator").fit(parts.X_train))


def forest_split(name: str, number: int) -> Split:
    """The same for a forest: texts, missing values and sparse counts as Boolean features, all else as it is."""
    parts = _split(name, number)
    if not hasattr(parts.X_train, "tocsr") and parts.X_train.dtype != object:
        return parts
    booleanizer = Booleanizer(max_bits=FOREST_BITS, missing="indicator").fit(parts.X_train)
    train, test = (_dense(booleanizer.transform(X)) for X in (parts.X_train, parts.X_test))
    return Split(train, test, parts.y_train, parts.y_test)


def _dense(bits: Any) -> Any:
    return bits.toarray() if hasattr(bits, "toarray") else bits


def fold(name: str, folds: int, number: int, *, coded: bool) -> Split:
    """One fold of a table, where `coded` with texts as numbers; numbers beyond the folds are those of other folds."""
    X, y = load(name)
    splits = StratifiedKFold(folds, shuffle=True, random_state=number // folds).split(np.zeros(len(y)), y)
    train, test = list(splits)[number % folds]
    table = _codes(X) if coded else X
    return Split(table[train], table[test], y[train], y[test])


def _codes(X: NDArray[Any]) -> NDArray[np.float64]:
    """A table of numbers: texts by their place in the alphabet."""
    if X.dtype != object:
        return X
    columns = [np.unique(column, return_inverse=True)[1] if isinstance(column[0], str) else column for column in X.T]
    return np.column_stack(columns).astype(np.float64)
