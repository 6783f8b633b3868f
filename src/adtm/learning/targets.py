"""y of a call: classes, several labels or numbers, as the head wants them, by what is known about y.

One class for each kind of y. ``learn`` reads data that start a new machine, ``targets`` all later ones; ``answers``
turns a head's answers back into y's own form. What the head makes of them is in ``adtm.machine.heads``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Literal, Protocol, Self, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.validation import column_or_1d

from adtm import advice
from adtm.learning.plan import FitPlan
from adtm.machine.heads import ClassHead, Head, Targets, Value, class_head, label_head
from adtm.tables.arrays import as_array, as_dense_array, listed_labels
from adtm.tables.pieces import checked_weights
from adtm.tables.table import text_names
from adtm.tables.values import EXACT

_MOST_CLASSES = 65536
_LABEL_KINDS = "biufUMm"  # of arrays
ClassWeight: TypeAlias = Mapping[Any, float] | Literal["balanced"]


class Target(Protocol):
    """What a machine knows about y."""

    def targets(self, y: Any, n_samples: int) -> Targets:
        """y of some data, for the head; refused where it does not fit what is known."""

    def head(self, plan: FitPlan) -> Head:
        """The head of a machine that has learned nothing."""

    def head_now(self, head: Head, plan: FitPlan) -> Head:
        """The head of a machine that has learned, under the plan of the moment."""

    def answers(self, found: Targets) -> NDArray[Any]:
        """A head's answers in y's own form."""


@dataclass(frozen=True, eq=False)
class ClassTarget:
    """One label for each sample.

    >>> known, targets = ClassTarget.learn(["b", "a", "b"], 3)
    >>> known.classes.tolist(), targets.tolist()
    (['a', 'b'], [1, 0, 1])
    """

    classes: NDArray[Any]

    @classmethod
    def learn(cls, y: Any, n_samples: int, known: ArrayLike | None = None) -> tuple[Self, Targets]:
        """``known`` are all labels that will ever come, where these are not all of them."""
        labels = _labels(y, n_samples)
        name = "y" if known is None else "classes"
        classes = np.unique(labels) if known is None else distinct_labels(known, name)
        n = len(classes)
        if n < 2:
            got = f"{n} class" if n else "none"
            raise ValueError(f"{name} must hold at least 2 classes, got {got}: {classes.tolist()}")
        if n > _MOST_CLASSES:
            raise ValueError(f"{name} must hold at most {_MOST_CLASSES} classes, got {n} classes")
        self = cls(classes)
        if known is None:
            advice.many_classes(n, len(labels))
        return self, self.indices(labels)

    def targets(self, y: Any, n_samples: int) -> Targets:
        return self.indices(_labels(y, n_samples))

    def head(self, plan: FitPlan) -> Head:
        return class_head(len(self.classes), plan.silence, shared=plan.shared)

    def head_now(self, head: Head, plan: FitPlan) -> Head:
        return cast(ClassHead, head).with_silence(plan.silence)

    def answers(self, found: Targets) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes[found]
        return labels

    def right(self, y: Any, answers: NDArray[Any]) -> NDArray[np.bool_]:
        """Where answers in y's own form are right; a label of y that is not known has no right answer."""
        labels = _labels(y, len(answers))
        if _family(labels) != _family(self.classes):
            raise ValueError(
                f"y must hold labels like those of fit, {self.classes[:2].tolist()}, got {labels[:1].tolist()[0]!r:.80}"
            )
        return np.asarray(np.equal(*_comparable(labels, answers)))

    def indices(self, labels: NDArray[Any], must: str = "y must hold only the") -> NDArray[np.intp]:
        """Class indices of labels, all of which must be known."""
        alike = _family(labels) == _family(self.classes)
        labels, classes = _comparable(labels, self.classes)
        unknown = np.setdiff1d(labels, classes) if alike else np.unique(labels)
        if len(unknown):
            raise ValueError(f"{must} known classes {self.classes.tolist()}, got {unknown[:5].tolist()}")
        return np.searchsorted(classes, labels)


@dataclass(frozen=True, eq=False)
class LabelTarget:
    """Several labels for each sample, each there or not: a column each."""

    n_labels: int
    names: NDArray[np.object_] | None = None

    @classmethod
    def learn(cls, y: Any, n_samples: int, known: ArrayLike | None = None) -> tuple[Self, Targets]:
        indicator = _indicator(y, n_samples)
        n = indicator.shape[1]
        if n > _MOST_CLASSES:
            raise ValueError(f"y must hold at most {_MOST_CLASSES} labels, got {n} labels")
        if known is not None and not np.array_equal(known, np.arange(n)):
            raise ValueError(f"classes must be the numbers 0..{n - 1} of the columns of y, got {known!r:.80}")
        names = text_names(y)
        named = names is not None and len(set(names)) == n
        return cls(n, np.array(names, dtype=object) if named else None), indicator

    @property
    def classes(self) -> NDArray[np.intp]:
        return np.arange(self.n_labels)

    def targets(self, y: Any, n_samples: int) -> Targets:
        indicator = _indicator(y, n_samples)
        if indicator.shape[1] != self.n_labels:
            raise ValueError(f"y must have {self.n_labels} labels, got {indicator.shape[1]}")
        names = text_names(y)
        if self.names is not None and names is not None and names != self.names.tolist():
            raise ValueError(f"y must have the labels of fit, {', '.join(self.names)}, got {', '.join(names)}")
        return indicator

    def head(self, plan: FitPlan) -> Head:
        return label_head(self.n_labels, plan.silence, shared=plan.shared)

    def head_now(self, head: Head, plan: FitPlan) -> Head:
        return cast(ClassHead, head).with_silence(plan.silence)

    def answers(self, found: Targets) -> NDArray[Any]:
        return found.astype(np.int64)

    def right(self, y: Any, answers: NDArray[Any]) -> NDArray[np.bool_]:
        """Where answers in y's own form are right about every label."""
        return np.asarray((self.targets(y, len(answers)) == answers).all(axis=1))


@dataclass(frozen=True, eq=False)
class ValueTarget:
    """A number for each sample: the least and the largest of the data that started the machine."""

    low: float
    high: float

    @classmethod
    def learn(cls, y: Any, n_samples: int) -> tuple[Self, Targets]:
        values = _numbers(y, n_samples)
        low, high = float(values.min()), float(values.max())
        if not math.isfinite(high - low):
            raise ValueError(f"y must have a range that is a finite number, got values from {low:g} to {high:g}")
        if high > low:
            advice.far_values(low, high, float(np.ptp(np.quantile(values, (0.1, 0.9)))) / (high - low))
        return cls(low, high), values

    def targets(self, y: Any, n_samples: int) -> Targets:
        return _numbers(y, n_samples)

    def head(self, plan: FitPlan) -> Head:
        return Value(plan.settings.T, self.low, self.high, n_members=plan.settings.n_members)

    def head_now(self, head: Head, plan: FitPlan) -> Head:
        return replace(cast(Value, head), T=plan.settings.T)

    def answers(self, found: Targets) -> NDArray[Any]:
        return found


def accuracy(known: ClassTarget | LabelTarget, y: Any, answers: NDArray[Any], sample_weight: Any = None) -> float:
    """The share of samples, each with its weight, whose answer is right."""
    right = known.right(y, answers)
    return float(np.average(right, weights=counted_weights(sample_weight, len(right))))


def counted_weights(sample_weight: Any, n_samples: int) -> NDArray[np.float64] | None:
    """How much each sample counts in a score; None is all alike."""
    weights = None if sample_weight is None else checked_weights(sample_weight, n_samples)
    if weights is not None and not weights.any():
        raise ValueError("sample_weight must hold at least one weight above 0, got only zeros")
    return weights


def class_weights(known: Target, targets: Targets, given: ClassWeight, weights: NDArray[Any]) -> NDArray[np.float64]:
    """Weights of samples times those of their classes."""
    if not isinstance(known, ClassTarget):
        raise ValueError("class_weight must be None where y holds several labels: weigh the samples instead")
    of_class = np.ones(len(known.classes))
    if isinstance(given, str):
        counts = _sums(targets, weights, len(of_class))
        of_class = math.fsum(weights.tolist()) / (np.count_nonzero(counts) * np.where(counts > 0, counts, 1))
    elif given:
        of_class[known.indices(_class_names(given, known.classes), "class_weight must name")] = list(given.values())
    weighted: NDArray[np.float64] = weights * of_class[targets]
    if not weighted.any():
        raise ValueError("class_weight must leave at least one sample a weight above 0, got 0 for all classes")
    return weighted


def _class_names(given: Mapping[Any, float], classes: NDArray[Any]) -> NDArray[Any]:
    """The classes that have weights of their own, as labels; dates may be Python's."""
    names, kind = as_array(list(given)), classes.dtype.kind
    return _label_array(names.astype(f"{kind}8") if names.dtype == object and kind in "Mm" else names, "class_weight")


def _sums(targets: Targets, weights: NDArray[Any], n: int) -> NDArray[np.float64]:
    """The weights of each class, exact, so that the order of the rows does not matter."""
    ends = np.cumsum(np.bincount(targets, minlength=n))[:-1]
    by_class = np.split(weights[np.argsort(targets, kind="stable")], ends)
    return np.array([math.fsum(own.tolist()) for own in by_class])


def is_indicator(y: Any) -> bool:
    """Whether y has columns, so that it can only be about several labels."""
    shape = y.shape if hasattr(y, "shape") else _array(y).shape
    return len(shape) == 2 and shape[1] > 1


def plain_labels(y: Any, n_samples: int | None = None) -> NDArray[Any]:
    """One label for each sample, as ``ClassTarget`` reads y; of so many samples, where that is known."""
    return _label_array(y, "y") if n_samples is None else _labels(y, n_samples)


def distinct_labels(classes: Any, name: str) -> NDArray[Any]:
    """The classes themselves, sorted."""
    if np.ndim(classes) != 1:
        raise ValueError(f"{name} must be a list of labels, got {classes!r:.80}")
    return np.unique(_label_array(classes, name))


def _labels(y: Any, n_samples: int) -> NDArray[Any]:
    """y as a one-dimensional array of n_samples labels of one type."""
    labels = _label_array(_present(y, "labels"), "y")
    _check_length(labels, n_samples, "labels")
    return labels


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


def _family(labels: NDArray[Any]) -> str:
    """Labels of one family can be equal: texts, dates, durations, or numbers and Booleans."""
    kind = labels.dtype.kind
    return {"O": "U"}.get(kind, kind if kind in "UMm" else "number")


def _comparable(ours: NDArray[Any], theirs: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Two arrays of labels; as Python's numbers where NumPy would compare large whole numbers as rounded floats."""
    kinds = ours.dtype.kind + theirs.dtype.kind
    rounded = kinds in ("iu", "ui", "if", "fi", "uf", "fu") and np.result_type(ours, theirs) == np.float64
    if rounded and (np.abs(theirs.astype(np.float64)) >= EXACT).any():
        return ours.astype(object), theirs.astype(object)
    return ours, theirs


def _array(y: Any) -> NDArray[Any]:
    try:
        return as_array(y)
    except ValueError as error:
        raise ValueError(
            "y must hold one label for each sample, or be an indicator matrix of 0 and 1, got lists of different "
            "lengths: scikit-learn's MultiLabelBinarizer makes a matrix of them"
        ) from error


def _indicator(y: Any, n_samples: int) -> NDArray[np.uint8]:
    """y as 1 where a label is there and 0 where it is not: (n_samples, n_labels)."""
    if not is_indicator(y):
        raise ValueError(f"y must be an indicator matrix (n_samples, n_labels), got {y!r:.80}")
    table = as_dense_array(y)
    _check_length(table, n_samples, "rows of labels")
    if table.dtype.kind == "f":
        assert_all_finite(table, input_name="y")
    if np.ma.is_masked(y):
        raise ValueError("y with several columns must be an indicator matrix of 0 and 1, got masked values")
    # One by one where they are objects: a missing value of pandas is neither equal to 0 nor different from it.
    known = np.vectorize(_is_flag, otypes=[np.bool_])(table) if table.dtype.kind == "O" else np.isin(table, (0, 1))
    if others := table[~known].tolist():
        raise ValueError(f"y with several columns must be an indicator matrix of 0 and 1, got {others[0]!r:.80}")
    return table.astype(np.uint8)


def _is_flag(value: Any) -> bool:
    return isinstance(value, (Real, np.bool_)) and value in (0, 1)


def _numbers(y: Any, n_samples: int) -> NDArray[np.float64]:
    """y as one finite number for each sample."""
    if np.ma.is_masked(_present(y, "numbers")):
        raise ValueError("y must hold a number for every sample, got masked values")
    column = column_or_1d(as_array(y), warn=True)
    if column.dtype.kind not in "biufO":
        raise ValueError(f"y must hold real numbers, got {column.dtype}")
    try:
        with np.errstate(invalid="ignore"):  # a sum of both signs may overflow while it looks for infinities
            values = check_array(column, ensure_2d=False, dtype=np.float64, ensure_min_samples=1, input_name="y")
    except OverflowError as error:
        raise ValueError(f"y must hold numbers that fit into 64-bit floats: {error}") from error
    _check_length(values, n_samples, "numbers")
    return np.asarray(values + 0.0)  # 0 has no sign


def _present(y: Any, what: str) -> Any:
    if y is None:
        raise ValueError(f"y must hold the {what}: this estimator requires y to be passed, but the target y is None")
    return y


def _check_length(y: Any, n_samples: int, what: str) -> None:
    if len(y) != n_samples:
        raise ValueError(f"X and y must have the same length, got {n_samples} samples and {len(y)} {what}")
