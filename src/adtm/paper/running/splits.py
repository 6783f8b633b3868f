"""The data of a task: load, split 80/20, then take the thresholds from the training part only.

The data sets come from `adtm.datasets`, the bits from `adtm.Booleanizer`. Splits are stratified and a pure function
of (data set, seed), so every model of a repeat sees the same rows. The last few are kept per process: all d of a
repeat share one. Noisy XOR is made anew for each seed; the large sets have a test part of their own, which no seed
changes, and are kept once.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state

from adtm import datasets
from adtm.tables.booleanizer import Booleanizer
from adtm.tables.literals import Literals

TEST_SHARE = 0.2
BRIGHT = 75  # a pixel above is true
GREYS = (0, 63, 127, 191)  # one bit for each, where a pixel has four
WORDS = 5000  # of IMDb, the most widespread
NOISE = 0.4  # share of inverted labels in the training part of Noisy XOR
# Rows for training and testing where they do not come from a split.
SIZES = {
    "noisy_xor": (5_000, 2_000),
    "mnist": (60_000, 10_000),
    "fashion_mnist": (60_000, 10_000),
    "imdb": (25_000, 25_000),
}
Coding: TypeAlias = Literal["ordinal", "onehot"]


@dataclass(frozen=True, eq=False)
class LiteralSplit:
    """Rows for training and testing as packed literals; y holds class indices, 1 being the positive class of two."""

    train: Literals
    test: Literals
    y_train: NDArray[np.int64]
    y_test: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Split:
    """The same rows as they are."""

    X_train: NDArray[Any]
    X_test: NDArray[Any]
    y_train: NDArray[np.int64]
    y_test: NDArray[np.int64]

    def literals(self, fitted: Booleanizer) -> LiteralSplit:
        """The rows as literals."""
        return LiteralSplit(fitted.literals(self.X_train), fitted.literals(self.X_test), self.y_train, self.y_test)


@lru_cache(maxsize=16)
def load(
    dataset: str, *, coding: Coding = "ordinal", drinks: int | None = None
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """One data set as a numeric table and class indices; `coding` and `drinks` as in `split`."""
    table = getattr(datasets, f"load_{dataset}")()
    target = table.target if drinks is None else (_drinks() >= drinks).astype(np.int64)
    if coding == "ordinal":
        return table.data, target
    columns = zip(table.feature_names, table.data.T, strict=True)
    coded = [
        np.eye(len(table.categories[name]))[column] if name in table.categories else column[:, None]
        for name, column in columns
    ]
    return np.concatenate(coded, axis=1), target


def _drinks() -> NDArray[np.float64]:
    """The column of Liver Disorders that its target is made of."""
    with (resources.files("adtm.datasets") / "data" / "liver_disorders.csv").open(encoding="utf-8") as lines:
        return np.array([float(row["drinks"]) for row in csv.DictReader(lines)])


@lru_cache(maxsize=16)
def split(
    dataset: str,
    seed: int,
    *,
    flipped: bool = False,
    coding: Coding = "ordinal",
    drinks: int | None = None,
    stratified: bool = True,
) -> Split:
    """Split a data set 80/20, stratified by class; the options are those of `literal_split`.

    >>> parts = split("heart", seed=0)
    >>> parts.X_train.shape, parts.X_test.shape
    ((216, 13), (54, 13))
    """
    X, y = load(dataset, coding=coding, drinks=drinks)
    y = 1 - y if flipped else y
    return Split(*train_test_split(X, y, test_size=TEST_SHARE, random_state=seed, stratify=y if stratified else None))


@lru_cache
def sizes(dataset: str) -> tuple[int, int]:
    """Rows for training and for testing, the same for every seed; known without the data where that is large."""
    if dataset in SIZES:
        return SIZES[dataset]
    parts = split(dataset, seed=0)
    return len(parts.y_train), len(parts.y_test)


def features_of_all_rows(dataset: str) -> int:
    """Boolean features where the thresholds are taken from all rows."""
    return literal_split(dataset, seed=0, thresholds="all").train.n_features


@lru_cache(maxsize=16)
def literal_split(
    dataset: str,
    seed: int,
    *,
    max_bits: int | None = None,  # at most so many thresholds per feature
    thresholds: Literal["train", "all"] = "train",  # from which rows; "all" looks at the test rows
    largest: bool = True,  # keep the threshold at the largest value
    flipped: bool = False,  # count class 0 as the positive one
    coding: Coding = "ordinal",  # categories as ordered numbers, or as one column each
    drinks: int | None = None,  # Liver Disorders with so many drinks or more as the positive class
    stratified: bool = True,  # both parts have the classes in equal shares; False leaves that to chance
    fine: bool = False,  # four bits per pixel in place of one, and all words of IMDb
    held_out: bool = False,  # test on a fifth of the training rows, and train on the others
) -> LiteralSplit:
    """A split as packed literals: of a table of the paper (`paper.SETTINGS`), or of `SIZES`, where only `fine` applies.

    `fine` and `held_out` are about the family study, which chooses parameters without a look at the test rows; all else
    is about the sensitivity study. The threshold at the `largest` value belongs to the paper's scheme of "all unique
    thresholds". Its bit is true for every training row and says nothing, so `adtm.Booleanizer` drops it; but a clause
    that includes its negation never fires. Measured: on Balance Scale accuracy falls at d = 5000 only with it, on Heart
    with and without.

    >>> parts = literal_split("balance_scale", seed=0)
    >>> len(parts.train), len(parts.test), parts.train.n_features
    (460, 116, 20)
    """
    if dataset in SIZES:
        return _made_split(seed) if dataset == "noisy_xor" else fixed_split(dataset, fine)
    parts = split(dataset, seed, flipped=flipped, coding=coding, drinks=drinks, stratified=stratified)
    if held_out:
        X, y = parts.X_train, parts.y_train
        parts = Split(*train_test_split(X, y, test_size=TEST_SHARE, random_state=seed, stratify=y))
    seen = parts.X_train if thresholds == "train" else np.concatenate([parts.X_train, parts.X_test])
    if largest:
        seen = np.concatenate([seen, seen.max(axis=0, keepdims=True) + 1])  # now it is not the largest any more
    return parts.literals(Booleanizer(max_bits=max_bits).fit(seen))


def _made_split(seed: int) -> LiteralSplit:
    """Noisy XOR: labels inverted now and then for training, right for testing."""
    rng, (rows, test_rows) = check_random_state(seed), SIZES["noisy_xor"]  # one stream: no row of one part by copying
    X_train, y_train = datasets.make_noisy_xor(rows, noise=NOISE, random_state=rng)
    X_test, y_test = datasets.make_noisy_xor(test_rows, noise=0.0, random_state=rng)
    return LiteralSplit(Literals.from_boolean(X_train), Literals.from_boolean(X_test), y_train, y_test)


@lru_cache
def fixed_split(dataset: str, fine: bool = False) -> LiteralSplit:
    """MNIST, Fashion-MNIST or IMDb in its own two parts; OSError says what to do where the data cannot be had."""
    (train, y_train), (test, y_test) = (_packed(dataset, part, fine) for part in ("train", "test"))
    return LiteralSplit(train, test, y_train, y_test)


def _packed(dataset: str, part: str, fine: bool) -> tuple[Literals, NDArray[np.int64]]:
    X, y = getattr(datasets, f"fetch_{dataset}")(subset=part, return_X_y=True)
    if dataset == "imdb":
        return Literals.from_boolean(X if fine else X[:, :WORDS]), y
    bits = [np.greater(X, grey) for grey in (GREYS if fine else (BRIGHT,))]
    return Literals.from_boolean(np.concatenate(bits, axis=1)), y
