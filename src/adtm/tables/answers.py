"""y in any form as a plain array: a label for each sample, 0 and 1 for each of several labels, or a number.

Whoever reads y reads it here, and so takes the same forms and refuses the same. Which labels are known is left to
those who ask.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.validation import column_or_1d

from adtm.tables.arrays import as_array, as_dense_array, listed_labels
from adtm.tables.table import text_names

_LABEL_KINDS = "biufUMm"  # of arrays


def is_indicator(y: Any) -> bool:
    """Whether y has columns, so that it can only be about several labels."""
    shape = y.shape if hasattr(y, "shape") else _array(y).shape
    return len(shape) == 2 and shape[1] > 1


def plain_labels(y: Any, n_samples: int | None = None, *, name: str = "y") -> NDArray[Any]:
    """One label of one type for each sample, (n_samples,); of so many samples, where that is known."""
    labels = _label_array(_present(y, "labels"), name)
    if n_samples is not None:
        _check_length(labels, n_samples, "labels")
    return labels


def distinct_labels(classes: Any, name: str) -> NDArray[Any]:
    """The classes themselves, sorted."""
    if np.ndim(classes) != 1:
        raise ValueError(f"{name} must be a list of labels, got {classes!r:.80}")
    return np.unique(_label_array(classes, name))


def _label_array(y: Any, name: str) -> NDArray[Any]:
    """Labels as they came, except that objects must be of one type, and become numbers if they are numbers."""
    if np.ma.is_masked(y):
        raise ValueError(f"{name} must hold a label for every sample, got masked values")
    given = _array(y)
    if given.dtype.kind == "T":  # NumPy's strings of any length, which scikit-learn does not know
        given = given.astype(object)
    _require_labels(given, _LABEL_KINDS + "O", name)
    labels = np.asarray(column_or_1d(given, warn=True))
    if labels.dtype.kind == "O":
        kinds = sorted({type(label).__name__ for label in labels})
        if len(kinds) > 1:
            raise ValueError(f"{name} must hold labels of one type and none missing, got {' and '.join(kinds)}")
        labels = _plain_objects(labels, name)
    if labels.dtype.kind in "Mm" and np.isnat(labels).any():
        raise ValueError(f"{name} must hold labels of one type and none missing, got NaT")
    assert_all_finite(labels, input_name=name)
    if labels.dtype.kind == "f" and len(parts := labels[labels % 1 != 0]):
        raise ValueError(
            f"Unknown label type: continuous. {name} must hold classes, got numbers with fractions such as "
            f"{parts[0]}: a regressor learns these"
        )
    return labels + 0.0 if labels.dtype.kind == "f" else labels  # 0 has no sign


def _plain_objects(labels: NDArray[Any], name: str) -> NDArray[Any]:
    """Objects of one type as an array of numbers, or as objects if they are texts."""
    if all(isinstance(label, str) for label in labels):
        return np.array(listed_labels(labels), dtype=object)
    numbers = as_array(labels.tolist())
    if numbers.dtype.kind == "O" and all(
        isinstance(each, Integral) and -(2**63) <= int(each) < 2**64 for each in labels
    ):
        got = f"{min(labels)} and {max(labels)}"
        raise ValueError(f"{name} must hold whole numbers that share a type of at most 64 bits, got {got}")
    _require_labels(numbers if numbers.shape == labels.shape else labels, "biuf", name)
    return numbers


def _require_labels(labels: NDArray[Any], kinds: str, name: str) -> None:
    """Refuse what neither a model file nor scikit-learn takes for classes."""
    dtype = labels.dtype
    if dtype.kind not in kinds or (dtype.kind == "f" and dtype.itemsize > 8):
        got = labels.ravel()[0] if labels.size else dtype
        what = "texts, Booleans, whole numbers of at most 64 bits or NumPy's dates"
        raise ValueError(f"{name} must hold labels that are {what}, got {got!r:.80}")


def _array(y: Any, read: Callable[[Any], NDArray[Any]] = as_array) -> NDArray[Any]:
    try:
        return read(y)
    except ValueError as error:
        raise ValueError(
            "y must hold one value for each sample, or be an indicator matrix of 0 and 1, got lists of different "
            "lengths: scikit-learn's MultiLabelBinarizer makes a matrix of labels"
        ) from error


def indicator(y: Any, n_samples: int, labels: Sequence[Any] | None = None) -> NDArray[np.uint8]:
    """1 where a label is there and 0 where it is not, (n_samples, n_labels); of these labels, where they are known."""
    names = text_names(y)
    table = _array(y, as_dense_array)
    if table.ndim != 2 or (table.shape[1] < 2 and labels is None):
        raise ValueError(f"y must be an indicator matrix (n_samples, n_labels), got shape {table.shape}")
    _check_length(table, n_samples, "rows of labels")
    if table.dtype.kind == "f":
        assert_all_finite(table, input_name="y")
    if np.ma.is_masked(y):
        raise ValueError("y with several columns must be an indicator matrix of 0 and 1, got masked values")
    # One by one where they are objects: a missing value of pandas is neither equal to 0 nor different from it.
    known = np.vectorize(_is_flag, otypes=[np.bool_])(table) if table.dtype.kind == "O" else np.isin(table, (0, 1))
    if others := table[~known].tolist():
        raise ValueError(f"y with several columns must be an indicator matrix of 0 and 1, got {others[0]!r:.80}")
    if labels is not None and table.shape[1] != len(labels):
        raise ValueError(f"y must have {len(labels)} labels, got {table.shape[1]}")
    if labels is not None and names is not None and isinstance(labels[0], str) and names != list(labels):
        raise ValueError(f"y must have the labels of fit, {', '.join(labels)}, got {', '.join(names)}")
    there: NDArray[np.uint8] = table.astype(np.uint8)
    return there


def _is_flag(value: Any) -> bool:
    return isinstance(value, (Real, np.bool_)) and value in (0, 1)


def numbers(y: Any, n_samples: int) -> NDArray[np.float64]:
    """One finite number for each sample, (n_samples,)."""
    if np.ma.is_masked(_present(y, "numbers")):
        raise ValueError("y must hold a number for every sample, got masked values")
    column = column_or_1d(_array(y, as_dense_array), warn=True)
    if column.dtype.kind not in "biufO":
        raise ValueError(f"y must hold real numbers, got {column.dtype}")
    with np.errstate(invalid="ignore", over="ignore"):  # what overflows is infinite, or a sum that looks for infinities
        values = check_array(_floats(column), ensure_2d=False, ensure_min_samples=1, input_name="y")
    _check_length(values, n_samples, "numbers")
    return np.asarray(values + 0.0)  # 0 has no sign


def _floats(column: NDArray[Any]) -> NDArray[np.float64]:
    try:
        return column.astype(np.float64)
    except OverflowError as error:
        raise ValueError(f"y must hold numbers that fit into 64-bit floats: {error}") from error
    except (TypeError, ValueError) as error:
        raise ValueError(f"y must hold real numbers, and none missing: {error}") from error


def _present(y: Any, what: str) -> Any:
    if y is None:
        raise ValueError(f"y must hold the {what}: this estimator requires y to be passed, but the target y is None")
    return y


def _check_length(y: Any, n_samples: int, what: str) -> None:
    if len(y) != n_samples:
        raise ValueError(f"X and y must have the same length, got {n_samples} samples and {len(y)} {what}")
