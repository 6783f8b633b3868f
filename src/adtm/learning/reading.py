"""The data of a call, read by its plan: X, y and weights as samples to learn from.

X alone is in ``columns``, y in ``targets``, which rows count and how often in ``samples``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from adtm.learning.columns import Columns, Taught, learn_columns, learn_pieces, taught_by
from adtm.learning.plan import FitPlan
from adtm.learning.samples import MOST_SHOWN, Samples, at_least_once
from adtm.learning.targets import Target, class_weights
from adtm.machine.heads import Targets
from adtm.tables.arrays import as_array
from adtm.tables.literals import Literals, joined_literals
from adtm.tables.packed import Packed
from adtm.tables.pieces import Pieces, as_pieces, checked_weights, joined, present_pieces
from adtm.tables.table import take_rows


class LearnTarget(Protocol):
    """Reads y of data that start a new machine."""

    def __call__(self, y: Any, n_samples: int) -> tuple[Target, Targets]: ...


def first_y(X: Any, y: Any, sample_weight: Any) -> Any:
    """y as it is read: that of a packed file, or of the first piece, where y is not given apart."""
    pieces = as_pieces(X, y, sample_weight)
    if pieces is not None:
        return next(present_pieces(pieces)).y
    return brought(X, y, sample_weight)[0]


def brought(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any]:
    """y and weights: those given, or those that a packed file brings."""
    if not isinstance(X, Packed):
        return y, sample_weight
    return (X.y if y is None else y), (X.weight if sample_weight is None else sample_weight)


def read_first(
    plan: FitPlan, X: Any, y: Any, sample_weight: Any, *, owner: str, learn_target: LearnTarget
) -> tuple[Columns, Target, Samples]:
    """Data that start a new machine: what is known about X and y from now on, and the samples."""
    pieces = as_pieces(X, y, sample_weight)
    if pieces is not None:
        columns = learn_pieces(pieces, plan, owner)
        literals, y, weights = _read_pieces(pieces, columns, plan)
    else:
        X, y, weights = _present(X, y, sample_weight)
        columns, literals = learn_columns(X, plan, owner, y)
    target, targets = learn_target(y, len(literals))
    taught = None if pieces is not None else taught_by(X, y, plan, columns)
    return columns, target, _samples(plan, literals, target, targets, weights, taught)


def read_next(plan: FitPlan, columns: Columns, target: Target, X: Any, y: Any, sample_weight: Any) -> Samples:
    """More data for a machine that knows X and y."""
    literals, y, weights = _read_known(plan, columns, X, y, sample_weight)
    return _samples(plan, literals, target, target.targets(y, len(literals)), weights)


def read_eval_set(plan: FitPlan, columns: Columns, target: Target, eval_set: Any) -> Samples | None:
    """Data to evaluate on, which must have the form of the training data."""
    if eval_set is None:
        return None
    if not isinstance(eval_set, tuple) or len(eval_set) != 2:
        got = f"a {type(eval_set).__name__}" + (f" of {len(eval_set)}" if hasattr(eval_set, "__len__") else "")
        raise ValueError(f"eval_set must be a tuple (X, y), got {got}")
    try:
        literals, y, weights = _read_known(plan, columns, *eval_set)
        shown = None if weights is None else at_least_once(weights)
        return Samples(literals, target.targets(y, len(literals)), weights=shown)
    except ValueError as error:
        raise ValueError(f"eval_set must be data like that of fit: {error}") from error


def _read_known(
    plan: FitPlan, columns: Columns, X: Any, y: Any, sample_weight: Any = None
) -> tuple[Literals, Any, NDArray[np.float64] | None]:
    """Data of known columns as literals, y and weights: those given, or those that X brings."""
    pieces = as_pieces(X, y, sample_weight)
    if pieces is not None:
        return _read_pieces(columns.pieces(pieces), columns, plan)
    X, y, weights = _present(X, y, sample_weight)
    return columns.read(X, n_jobs=plan.n_jobs), y, weights


def _read_pieces(pieces: Pieces, columns: Columns, plan: FitPlan) -> tuple[Literals, Any, NDArray[np.float64] | None]:
    """Pieces as literals, y and weights of all of them."""
    ys, weights = [], []

    def parts() -> Iterator[Literals]:
        for piece in present_pieces(pieces):
            literals = columns.read(piece.X, n_jobs=plan.n_jobs)
            if piece.y is None:
                raise ValueError("y must come with every piece, or be the name of a column: target='...', got None")
            ys.append(piece.y)
            weights.append(piece.weight)
            yield literals

    literals = joined_literals(parts())
    return literals, joined(ys, "y"), joined(weights, "weights")


def _samples(
    plan: FitPlan,
    literals: Literals,
    target: Target,
    targets: Targets,
    weights: NDArray[np.float64] | None,
    taught: Taught | None = None,
) -> Samples:
    """What is learned from, in the order asked for."""
    is_sorted, counts = plan.schedule.shuffle == "sorted", None
    if is_sorted and weights is not None and (weights % 1 == 0).all() and weights.sum() <= MOST_SHOWN:
        counts = weights.astype(np.int64)  # repetitions of a row
    if plan.class_weight is not None:
        weights = np.ones(len(targets)) if weights is None else weights
        weights = class_weights(target, targets, plan.class_weight, weights)
    samples = Samples(literals, targets, taught=taught)
    if weights is not None:
        rows = np.flatnonzero(weights)  # a class of weight 0 is known, and none of its rows is learned
        shown = np.zeros(len(weights))
        shown[rows] = at_least_once(weights[rows])
        samples = replace(samples, rows=None if len(rows) == len(weights) else rows, weights=shown, counts=counts)
    return samples.sorted() if is_sorted else samples


def _present(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, NDArray[np.float64] | None]:
    """The samples whose weight is not 0, which is as good as absent, and their weights."""
    y, sample_weight = brought(X, y, sample_weight)
    if isinstance(X, Packed) and sample_weight is not None and not np.all(sample_weight):
        raise ValueError("sample_weight must be above 0 where X is packed: leave rows out before packing")
    if sample_weight is None:
        return X, y, None
    y = y if hasattr(y, "__len__") or not hasattr(y, "__array__") else np.asarray(y)
    rows = X if isinstance(X, Literals) or hasattr(X, "shape") else as_array(X)
    if rows.shape == ():
        return X, y, None  # no table: whoever reads it says so
    X = rows
    weights = checked_weights(sample_weight, len(X) if isinstance(X, (Literals, Packed)) else X.shape[0])
    present = np.flatnonzero(weights)
    if len(present) == 0:
        raise ValueError("sample_weight must hold at least one weight above 0, got only zeros")
    if len(present) == len(weights) or _n_targets(y) != len(weights):
        return X, y, weights  # lengths that differ are refused with y
    return take_rows(X, present), take_rows(y, present), weights[present]


def _n_targets(y: Any) -> int | None:
    """For how many samples y has something to say; None where it is nothing of the kind."""
    if shape := getattr(y, "shape", ()):
        return int(shape[0])
    return len(y) if hasattr(y, "__len__") and hasattr(y, "__getitem__") and not isinstance(y, (str, Mapping)) else None
