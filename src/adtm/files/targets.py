"""What is known about y, the target: labels, counts and temperature of a classifier, the range of a regressor."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from adtm.files.checks import label_kind, read_labels, read_names, read_range, read_temperature, whole
from adtm.learning.calibrating import Calibration
from adtm.learning.targets import ClassTarget, LabelTarget, Target, ValueTarget
from adtm.machine.heads import ClassHead, Head
from adtm.validation import check_keys, check_real


def plain_target(target: Target) -> dict[str, Any]:
    """What is known about y, for the head of the file."""
    if isinstance(target, ValueTarget):
        return {"y_range": [target.low, target.high]}
    assert isinstance(target, ClassTarget | LabelTarget)
    known = {"classes": _plain_labels(target.classes), "multilabel": isinstance(target, LabelTarget)}
    if isinstance(target, LabelTarget) and target.names is not None:
        known["label_names"] = target.names.tolist()
    return known


def read_target(head: dict[str, Any]) -> Target:
    """What is known about y."""
    if "y_range" in head:
        return ValueTarget(*read_range(head["y_range"]))
    classes, multilabel = _labels(head["classes"]), head.get("multilabel", False)
    if type(multilabel) is not bool:
        raise ValueError(f"multilabel must be true or false, got {multilabel!r:.80}")
    n = len(classes)
    names = read_names(head.get("label_names"), n, "label_names")
    if not multilabel:
        if names is not None:
            raise ValueError(f"label_names must be of several labels, got {names!r:.80}")
        return ClassTarget(classes)
    if not np.array_equal(classes, np.arange(n)):
        raise ValueError(f"several labels must be numbered 0..{n - 1}, got {classes.tolist()!r:.80}")
    if names is not None and len(set(names)) < n:
        raise ValueError(f"label_names must be different names of several labels, got {names!r:.80}")
    return LabelTarget(n, None if names is None else np.array(names, dtype=object))


def plain_counts(head: Head, target: Target) -> dict[str, NDArray[np.uint64]]:
    """Samples of each class that were learned from, as a tensor; nothing for a value."""
    if isinstance(target, ValueTarget):
        return {}
    counts = cast(ClassHead, head).counts or (0,) * _n_counts(target)
    return {"class_counts": np.array([whole(count, "class_counts") for count in counts], np.uint64)}


def with_counts(head: Head, target: Target, tensors: dict[str, NDArray[Any]]) -> Head:
    """The head with the samples of each class, which are taken out of the tensors."""
    if isinstance(target, ValueTarget):
        return head
    n, counts = _n_counts(target), tensors.pop("class_counts")
    if (counts.dtype.str, counts.shape) != ("<u8", (n,)):
        raise ValueError(f"class_counts must be uint64 {(n,)}, got {counts.dtype} {counts.shape}")
    return cast(ClassHead, head).with_counts(tuple(counts.tolist()))


def _n_counts(target: Target) -> int:
    """A count for each class, or for each label one of samples without it and one of samples with it."""
    n = len(cast(ClassTarget | LabelTarget, target).classes)
    return 2 * n if isinstance(target, LabelTarget) else n


def _plain_labels(classes: NDArray[Any]) -> dict[str, Any]:
    """The labels and their type."""
    if classes.dtype.kind == "O" and all(isinstance(label, str) for label in classes):
        return {"dtype": "object", "values": [str(label) for label in classes]}
    if label_kind(classes.dtype.str) is None:
        raise ValueError(f"labels must be numbers, Booleans or strings to be saved, got dtype {classes.dtype}")
    return {"dtype": classes.dtype.str, "values": classes.tolist()}


def _labels(plain: Any) -> NDArray[Any]:
    check_keys(plain, {"dtype", "values"}, "classes")
    name, values = plain["dtype"], read_labels(plain["dtype"], plain["values"])
    # An array of strings gives each the room of the longest: beyond reason, each label has its own.
    wide = name[1] == "U" and 4 * int(name[2:]) * len(values) > 2**20 + 32 * sum(map(len, values))
    with np.errstate(over="raise"):
        classes = np.array(values, dtype=object if wide else name)
    if not np.array_equal(np.unique(classes), classes) or classes.tolist() != values:
        raise ValueError(f"labels must be sorted, distinct and of dtype {name}, got {values!r:.80}")
    return classes


def plain_calibration(calibration: Calibration | None, target: Target) -> dict[str, Any]:
    """What makes probabilities of votes, of several labels for each, or intervals; None where there is nothing."""
    found = None if calibration is None else calibration.found
    return {_calibration_key(target): found.tolist() if isinstance(found, np.ndarray) else found}


def read_calibration(head: dict[str, Any], target: Target) -> Calibration | None:
    """One number, of several labels one for each, of a value at most 99 that grow."""
    if (plain := head.get(_calibration_key(target))) is None:
        return None
    if isinstance(target, ValueTarget):
        errors = [check_real("errors", each, low=0) for each in plain]
        if len(errors) > 99 or sorted(errors) != errors:
            raise ValueError(f"errors must be at most 99 numbers that grow, got {plain!r:.80}")
        return Calibration(known=np.array(errors))
    if isinstance(target, LabelTarget):
        return Calibration(known=np.array(read_temperature(plain, target.n_labels)))
    return Calibration(known=read_temperature(plain, None))


def _calibration_key(target: Target) -> str:
    return "errors" if isinstance(target, ValueTarget) else "temperature"
