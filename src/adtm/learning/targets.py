"""y of a call: classes, several labels or numbers, as the head wants them, by what is known about y.

One class for each kind of y. ``learn`` reads data that start a new machine, ``targets`` all later ones; ``answers``
turns a head's answers back into y's own form. Reading y itself is ``adtm.tables.answers``; what the head makes of it is
in ``adtm.machine.heads``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, Self, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from adtm import advice
from adtm.learning.plan import FitPlan
from adtm.machine.heads import ClassHead, Head, Targets, Value, class_head, label_head
from adtm.tables.answers import distinct_labels, indicator, numbers, plain_labels
from adtm.tables.arrays import as_array
from adtm.tables.pieces import checked_weights
from adtm.tables.table import text_names
from adtm.tables.values import EXACT

_MOST_CLASSES = 65536
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
        labels = plain_labels(y, n_samples)
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
        return self.indices(plain_labels(y, n_samples))

    def head(self, plan: FitPlan) -> Head:
        return class_head(len(self.classes), plan.silence, shared=plan.shared)

    def head_now(self, head: Head, plan: FitPlan) -> Head:
        return cast(ClassHead, head).with_silence(plan.silence)

    def answers(self, found: Targets) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes[found]
        return labels

    def right(self, y: Any, answers: NDArray[Any]) -> NDArray[np.bool_]:
        """Where answers in y's own form are right; a label of y that is not known has no right answer."""
        labels = plain_labels(y, len(answers))
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
        there = indicator(y, n_samples)
        n = there.shape[1]
        if n > _MOST_CLASSES:
            raise ValueError(f"y must hold at most {_MOST_CLASSES} labels, got {n} labels")
        if known is not None and not np.array_equal(known, np.arange(n)):
            raise ValueError(f"classes must be the numbers 0..{n - 1} of the columns of y, got {known!r:.80}")
        names = text_names(y)
        named = names is not None and len(set(names)) == n
        return cls(n, np.array(names, dtype=object) if named else None), there

    @property
    def classes(self) -> NDArray[np.intp]:
        return np.arange(self.n_labels)

    def targets(self, y: Any, n_samples: int) -> Targets:
        return indicator(y, n_samples, range(self.n_labels) if self.names is None else self.names.tolist())

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
        values = numbers(y, n_samples)
        low, high = float(values.min()), float(values.max())
        if not math.isfinite(high - low):
            raise ValueError(f"y must have a range that is a finite number, got values from {low:g} to {high:g}")
        if high > low:
            advice.far_values(low, high, float(np.ptp(np.quantile(values, (0.1, 0.9)))) / (high - low))
        return cls(low, high), values

    def targets(self, y: Any, n_samples: int) -> Targets:
        return numbers(y, n_samples)

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
    return plain_labels(
        names.astype(f"{kind}8") if names.dtype == object and kind in "Mm" else names, name="class_weight"
    )


def _sums(targets: Targets, weights: NDArray[Any], n: int) -> NDArray[np.float64]:
    """The weights of each class, exact, so that the order of the rows does not matter."""
    ends = np.cumsum(np.bincount(targets, minlength=n))[:-1]
    by_class = np.split(weights[np.argsort(targets, kind="stable")], ends)
    return np.array([math.fsum(own.tolist()) for own in by_class])


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
