"""What is known about y: the labels of a classifier or the range of a regressor, as JSON and back to a head."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.files.checks import read_names, whole
from adtm.machine.calibration import Temperature
from adtm.machine.heads import ClassHead, Head, Value, class_head, label_head
from adtm.validation import check_keys, check_real

__all__ = ["plain_targets", "plain_temperature", "read_head", "read_temperature"]

_LABEL_KINDS = {"b": bool, "i": int, "u": int, "f": float, "U": str}
_LABEL_DTYPE = re.compile(r"[<>|](b1|[iu][1248]|f[248]|U(\d{1,9}))")


def plain_targets(estimator: Any) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What is known about y, for the head of the file and as tensors."""
    if hasattr(estimator, "y_range_"):
        return {"y_range": list(estimator.y_range_)}, {}
    known = {"classes": _plain_labels(estimator.classes_), "multilabel": estimator.multilabel_}
    if hasattr(estimator, "label_names_"):
        known["label_names"] = estimator.label_names_.tolist()
    return known, {"class_counts": _plain_counts(estimator)}


def read_head(estimator: Any, head: dict[str, Any], tensors: dict[str, NDArray[Any]], *, T: int) -> Head:
    """The machine's head; the estimator gets what is known about y. Tensors that were read are taken out."""
    return _value_head(estimator, head, T) if "y_range" in head else _class_head(estimator, head, tensors)


def _plain_labels(classes: NDArray[Any]) -> dict[str, Any]:
    """The labels and their type."""
    if classes.dtype.kind == "O" and all(type(label) is str for label in classes):
        return {"dtype": "object", "values": classes.tolist()}
    if not _LABEL_DTYPE.fullmatch(classes.dtype.str):
        raise ValueError(f"labels must be numbers, Booleans or strings to be saved, got dtype {classes.dtype}")
    return {"dtype": classes.dtype.str, "values": classes.tolist()}


def _labels(plain: Any) -> NDArray[Any]:
    check_keys(plain, {"dtype", "values"}, "classes")
    name, values = plain["dtype"], plain["values"]
    match = _LABEL_DTYPE.fullmatch(name) if isinstance(name, str) else None
    if name != "object" and match is None:
        raise ValueError(f"labels must be numbers, Booleans or strings, got dtype {name!r:.80}")
    kind: type = str if match is None else _LABEL_KINDS[match[1][0]]
    if not isinstance(values, list) or not 2 <= len(values) <= 65536 or not all(type(v) is kind for v in values):
        raise ValueError(f"labels must be a list of 2..65536 {kind.__name__}, got {values!r:.80}")
    # An array of strings gives each the room of the longest: beyond reason, each label has its own.
    wide = match and match[2] and 4 * int(match[2]) * len(values) > 2**20 + 32 * sum(map(len, values))
    with np.errstate(over="raise"):
        classes = np.array(values, dtype=object if wide else name)
    if not np.array_equal(np.unique(classes), classes) or classes.tolist() != values:
        raise ValueError(f"labels must be sorted, distinct and of dtype {name}, got {values!r:.80}")
    return classes


def _plain_counts(estimator: Any) -> NDArray[np.uint64]:
    """Samples of each class that were learned from."""
    counts = estimator.model_.head.counts or (0,) * _n_counts(estimator)
    return np.array([whole(count, "class_counts") for count in counts], np.uint64)


def _counts(tensors: dict[str, NDArray[Any]], n: int) -> tuple[int, ...]:
    """Take the samples of each class out of the tensors; a file that does not have them counted none."""
    counts = tensors.pop("class_counts", np.zeros(n, np.uint64))
    if (counts.dtype.str, counts.shape) != ("<u8", (n,)):
        raise ValueError(f"class_counts must be uint64 {(n,)}, got {counts.dtype} {counts.shape}")
    return tuple(counts.tolist())


def _n_counts(estimator: Any) -> int:
    """A count for each class, or for each label one of samples without it and one of samples with it."""
    return len(estimator.classes_) * (2 if estimator.multilabel_ else 1)


def _class_head(estimator: Any, head: dict[str, Any], tensors: dict[str, NDArray[Any]]) -> ClassHead:
    """The head of a classifier, which gets its labels; a file from before there were several labels has one."""
    estimator.classes_, estimator.multilabel_ = _labels(head["classes"]), head.get("multilabel", False)
    if type(estimator.multilabel_) is not bool:
        raise ValueError(f"multilabel must be true or false, got {estimator.multilabel_!r:.80}")
    n = len(estimator.classes_)
    if estimator.multilabel_ and not np.array_equal(estimator.classes_, np.arange(n)):
        raise ValueError(f"several labels must be numbered 0..{n - 1}, got {estimator.classes_.tolist()!r:.80}")
    names = read_names(head.get("label_names"), n, "label_names")
    if names is not None:
        if not estimator.multilabel_ or len(set(names)) < n:
            raise ValueError(f"label_names must be different names of several labels, got {names.tolist()!r:.80}")
        estimator.label_names_ = names
    make = label_head if estimator.multilabel_ else class_head
    return make(n, estimator.silence, shared=estimator.shared).with_counts(_counts(tensors, _n_counts(estimator)))


def plain_temperature(estimator: Any) -> float | list[float] | None:
    """What makes probabilities of votes, of several labels for each; None where there is nothing."""
    found = getattr(estimator, "temperature_", None)
    return found.tolist() if isinstance(found, np.ndarray) else found


def read_temperature(estimator: Any, plain: Any) -> Temperature:
    """One number, or of several labels one for each."""
    if not getattr(estimator, "multilabel_", False):
        return check_real("temperature", plain, low=1e-6)
    n = len(estimator.classes_)
    if not isinstance(plain, list) or len(plain) != n:
        raise ValueError(f"temperature must be a list of {n} numbers, one for each label, got {plain!r:.80}")
    return np.array([check_real("temperature", each, low=1e-6) for each in plain])


def _value_head(estimator: Any, head: dict[str, Any], T: int) -> Value:
    """The head of a regressor, which gets the range of its y; in T parts."""
    plain = head["y_range"]
    if not isinstance(plain, list) or len(plain) != 2 or not all(type(end) is float for end in plain):
        raise ValueError(f"y_range must be two numbers, got {plain!r:.80}")
    low, high = plain
    if not 0 <= high - low < math.inf:
        raise ValueError(f"y_range must go from one number up to another, got {plain!r:.80}")
    estimator.y_range_ = low, high
    return Value(T, low, high)
