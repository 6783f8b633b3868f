"""The five UCI tables of the paper, bundled, with the paper's preprocessing.

The CSV files hold the source's values untouched; rows and columns are dropped here, when loading. As an array every
column is numeric, so that "x <= t" thresholds apply as in the paper: categories become their position in `categories`.
As a frame the categories keep their names. Thresholds, one bit per category and missing values are left to
`adtm.Booleanizer`.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

import numpy as np
from sklearn.utils import Bunch

# A Bunch, or the pair (data, target): scikit-learn carries no types, and both hold what the caller asked for.
Dataset = Any
Fields = Mapping[str, str]
DATA = resources.files("adtm.datasets") / "data"


@dataclass(frozen=True)
class _Table:
    """How to read one CSV file: which rows stay, which column decides the class, what the categories are."""

    name: str
    target: str
    target_names: tuple[str, str]  # the second one is target 1, the positive class of the paper's F1
    is_positive: Callable[[str], bool]
    keep: Callable[[Fields], bool] = lambda row: True
    dropped: tuple[str, ...] = ()
    dtype: type = np.int64
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ordered: frozenset[str] = frozenset()


_RISKS = (
    "industrial_risk",
    "management_risk",
    "financial_flexibility",
    "credibility",
    "competitiveness",
    "operating_risk",
)
_BANKRUPTCY = _Table(
    name="bankruptcy",
    target="class",
    # The paper's own scores tell the positive class: RF has F1 0.949 above accuracy 0.942, which needs more true
    # positives than true negatives, so the positive class is the larger one.
    target_names=("bankruptcy", "non-bankruptcy"),
    is_positive=lambda value: value == "NB",
    categories=dict.fromkeys(_RISKS, ("N", "A", "P")),
    ordered=frozenset(_RISKS),
)
_BALANCE_SCALE = _Table(
    name="balance_scale",
    target="class",
    target_names=("left", "right"),
    is_positive=lambda value: value == "R",
    keep=lambda row: row["class"] != "B",
)
_BREAST_CANCER = _Table(
    name="breast_cancer",
    target="class",
    target_names=("no-recurrence-events", "recurrence-events"),
    is_positive=lambda value: value == "recurrence-events",
    keep=lambda row: "?" not in row.values(),
    categories={
        "age": tuple(f"{low}-{low + 9}" for low in range(20, 80, 10)),
        "menopause": ("ge40", "lt40", "premeno"),
        "tumor_size": tuple(f"{low}-{low + 4}" for low in range(0, 55, 5)),
        "inv_nodes": tuple(f"{low}-{low + 2}" for low in range(0, 27, 3)),
        "node_caps": ("no", "yes"),
        "breast": ("left", "right"),
        "breast_quad": ("central", "left_low", "left_up", "right_low", "right_up"),
        "irradiat": ("no", "yes"),
    },
    ordered=frozenset({"age", "tumor_size", "inv_nodes"}),
)
_LIVER_DISORDERS = _Table(
    name="liver_disorders",
    target="drinks",
    target_names=("drinks < 3", "drinks >= 3"),
    is_positive=lambda value: float(value) >= 3,
    dropped=("selector",),
)
_HEART = _Table(
    name="heart",
    target="class",
    target_names=("absence", "presence"),
    is_positive=lambda value: value == "2",
    dtype=np.float64,
)


def load_bankruptcy(*, return_X_y: bool = False, as_frame: bool = False) -> Dataset:
    """Load Qualitative Bankruptcy: 250 companies, six risks judged negative, average or positive.

    Parameters
    ----------
    return_X_y : bool
        Return the pair (data, target) instead of a Bunch.
    as_frame : bool
        Give data as a pandas DataFrame of ordered categories N < A < P and target as a Series.

    Returns
    -------
    Bunch or tuple
        data has shape (250, 6), with 0, 1, 2 for N, A, P; target is 1 for non-bankruptcy.

    Examples
    --------
    >>> bankruptcy = load_bankruptcy()
    >>> bankruptcy.data.shape, bankruptcy.target_names
    ((250, 6), ['bankruptcy', 'non-bankruptcy'])
    """
    return _load(_BANKRUPTCY, return_X_y=return_X_y, as_frame=as_frame)


def load_balance_scale(*, return_X_y: bool = False, as_frame: bool = False) -> Dataset:
    """Load Balance Scale without its balanced class, as the paper does: 576 settings of a pair of scales.

    Parameters
    ----------
    return_X_y : bool
        Return the pair (data, target) instead of a Bunch.
    as_frame : bool
        Give data as a pandas DataFrame and target as a Series.

    Returns
    -------
    Bunch or tuple
        data has shape (576, 4), whole numbers 1 to 5; target is 1 where the scale tips to the right.

    Examples
    --------
    >>> X, y = load_balance_scale(return_X_y=True)
    >>> X.shape, int(y.sum())
    ((576, 4), 288)
    """
    return _load(_BALANCE_SCALE, return_X_y=return_X_y, as_frame=as_frame)


def load_breast_cancer(*, return_X_y: bool = False, as_frame: bool = False) -> Dataset:
    """Load Breast Cancer (Ljubljana) without the nine incomplete patients, as the paper does.

    Parameters
    ----------
    return_X_y : bool
        Return the pair (data, target) instead of a Bunch.
    as_frame : bool
        Give data as a pandas DataFrame of categories and target as a Series.

    Returns
    -------
    Bunch or tuple
        data has shape (277, 9), each category as its position in `categories`; target is 1 for recurrence.

    Examples
    --------
    >>> cancer = load_breast_cancer()
    >>> cancer.categories["age"][int(cancer.data[0, 0])]
    '30-39'
    """
    return _load(_BREAST_CANCER, return_X_y=return_X_y, as_frame=as_frame)


def load_liver_disorders(*, return_X_y: bool = False, as_frame: bool = False) -> Dataset:
    """Load Liver Disorders (BUPA): five blood tests against the number of drinks a day.

    Parameters
    ----------
    return_X_y : bool
        Return the pair (data, target) instead of a Bunch.
    as_frame : bool
        Give data as a pandas DataFrame and target as a Series.

    Returns
    -------
    Bunch or tuple
        data has shape (345, 5), whole numbers; target is 1 for three drinks or more.

    Examples
    --------
    >>> load_liver_disorders().feature_names
    ['mcv', 'alkphos', 'sgpt', 'sgot', 'gammagt']
    """
    return _load(_LIVER_DISORDERS, return_X_y=return_X_y, as_frame=as_frame)


def load_heart(*, return_X_y: bool = False, as_frame: bool = False) -> Dataset:
    """Load Statlog Heart: 270 patients, thirteen findings, heart disease absent or present.

    Parameters
    ----------
    return_X_y : bool
        Return the pair (data, target) instead of a Bunch.
    as_frame : bool
        Give data as a pandas DataFrame and target as a Series.

    Returns
    -------
    Bunch or tuple
        data has shape (270, 13); target is 1 where heart disease is present.

    Examples
    --------
    >>> heart = load_heart()
    >>> heart.data.shape, heart.positive_class
    ((270, 13), 'presence')
    """
    return _load(_HEART, return_X_y=return_X_y, as_frame=as_frame)


def _load(table: _Table, *, return_X_y: bool, as_frame: bool) -> Dataset:
    lines = (DATA / f"{table.name}.csv").read_text(encoding="utf-8").splitlines()
    rows = [row for row in csv.DictReader(lines) if table.keep(row)]
    names = [name for name in rows[0] if name != table.target and name not in table.dropped]
    data: Any = np.array([[_number(table, name, row[name]) for name in names] for row in rows], dtype=table.dtype)
    target: Any = np.array([table.is_positive(row[table.target]) for row in rows], dtype=np.int64)
    frame = None
    if as_frame:
        data, target, frame = _frames(table, names, data, target)
    return bundled(
        table.name,
        data,
        target,
        return_X_y=return_X_y,
        frame=frame,
        feature_names=names,
        target_names=list(table.target_names),
        positive_class=table.target_names[1],
        categories={name: list(values) for name, values in table.categories.items()},
    )


def bundled(name: str, data: Any, target: Any, *, return_X_y: bool, **others: Any) -> Dataset:
    """The pair (data, target), or a Bunch of all there is, with the description in ``data/NAME.md``."""
    if return_X_y:
        return data, target
    return Bunch(data=data, target=target, **others, DESCR=(DATA / f"{name}.md").read_text(encoding="utf-8"))


def _number(table: _Table, name: str, value: str) -> float:
    return table.categories[name].index(value) if name in table.categories else float(value)


def _frames(table: _Table, names: list[str], data: Any, target: Any) -> tuple[Any, Any, Any]:
    """Frame of the features, series of the target, and both in one frame."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("as_frame=True needs pandas, which is not installed: pip install pandas") from error
    columns = {
        name: pd.Categorical.from_codes(data[:, j], table.categories[name], ordered=name in table.ordered)
        if name in table.categories
        else data[:, j]
        for j, name in enumerate(names)
    }
    features, labels = pd.DataFrame(columns), pd.Series(target, name="target")
    return features, labels, pd.concat([features, labels], axis=1)
