"""Composites: classifiers with features of their own, whose votes are added (Granmo, arXiv 2309.04801).

Each part is a machine, or a pipeline that ends with one; all read the same X. A part's votes are divided by their range
on training rows, so that no part speaks louder for having more clauses. Committees of one machine's own, which share
their features, are ``n_members`` of a machine. Equal sums are decided as the first part decides equal votes.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from adtm.learning.classifier import TsetlinClassifier, preference_of
from adtm.learning.targets import ClassTarget, accuracy
from adtm.machine.calibration import largest_at
from adtm.machine.heads.protocol import LEAST
from adtm.rules import RuleSet
from adtm.tables.answers import is_indicator
from adtm.validation import check_jobs


class Composite(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier made of classifiers: their votes, each divided by its range on training rows, are added.

    Where the sums are equal, the answer is the class that the first part prefers: see ``silence`` of the classifiers.

    Parameters
    ----------
    parts : list of (str, estimator)
        Names, and machines or pipelines that end with one.
    n_jobs : int or None, default None
        Parts that learn and answer at the same time, in threads; None is one after the other. Each part also has the
        threads of its own ``n_jobs``. The result is the same.

    Attributes
    ----------
    parts_ : list of (str, estimator)
        The fitted parts.
    ranges_ : dict of str to float
        The range of each part's votes on training rows.
    classes_ : ndarray
        The labels.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from adtm import ADTMClassifier, Composite, ImageBooleanizer
    >>> images = np.zeros((20, 4, 4), np.uint8)
    >>> images[::2, :, 2:], images[1::2, 2:] = 200, 200
    >>> levels = make_pipeline(ImageBooleanizer(gradients=(), lines=()), ADTMClassifier(n_clauses=10, epochs=5))
    >>> edges = make_pipeline(ImageBooleanizer((), gradients=(3,)), ADTMClassifier(n_clauses=10, epochs=5))
    >>> composite = Composite([("levels", levels), ("edges", edges)]).fit(images, [0, 1] * 10)
    >>> composite.predict(images[:4])
    array([0, 1, 0, 1])
    """

    parts_: list[tuple[str, Any]]
    ranges_: dict[str, float]
    classes_: NDArray[Any]

    def __init__(self, parts: Sequence[tuple[str, Any]], *, n_jobs: int | None = None) -> None:
        self.parts = parts
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from scratch, every part by itself.

        Parameters
        ----------
        X
            What all parts can read.
        y : array of shape (n_samples,)
            Labels.

        Returns
        -------
        self
        """
        names = self._names()
        _require_classes(y)
        parts = [clone(part) for _, part in self.parts]
        return self._take(names, parts, self._each(parts, lambda part: _taught(part, X, y, "fit", first=True)))

    def partial_fit(self, X: Any, y: Any, classes: ArrayLike | None = None) -> Self:
        """Go on learning: one epoch of every part. Features are fitted, and ``classes`` needed, on the first call only.

        Parameters
        ----------
        X, y
            As in ``fit``. The ranges of votes are those on these rows from now on.
        classes : array, optional
            All labels that will ever come.

        Returns
        -------
        self
        """
        _require_classes(y)
        first = not hasattr(self, "parts_")
        names = self._names() if first else [name for name, _ in self.parts_]
        parts = [clone(part) for _, part in self.parts] if first else [_apart(part) for _, part in self.parts_]
        learn = partial(_taught, X=X, y=y, method="partial_fit", first=first, classes=classes)
        return self._take(names, parts, self._each(parts, learn))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The sum of the parts' votes over their ranges: (n_samples,) for two classes, else (n_samples, n_classes).

        The answer among equal sums has the smallest number more than the others, as in ``decision_function`` of the
        classifiers.
        """
        check_is_fitted(self)
        votes = self._each([part for _, part in self.parts_], lambda part: _votes(part, X))
        return _decided(votes, [self.ranges_[name] for name, _ in self.parts_], np.array(self._preference()))

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each sample."""
        votes = self.decision_function(X)
        answers = votes > 0 if votes.ndim == 1 else votes.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[answers.astype(np.intp)]
        return labels

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy, as of the classifiers: y is read as in ``fit``, and a label that is not known is a wrong answer."""
        answers = self.predict(X)
        return accuracy(ClassTarget(self.classes_), y, answers, sample_weight)

    def rules(self) -> dict[str, RuleSet]:
        """The rules of each part, by its name."""
        check_is_fitted(self)
        return {name: machine_of(part).rules() for name, part in self.parts_}

    def save(self, path: str | Path) -> None:
        """Write the fitted composite to one safetensors file; ``adtm.load`` reads it.

        Its parts must be machines, or pipelines of a machine behind an ``ImageBooleanizer``, a union of some, or
        scikit-learn's ``CountVectorizer``, also with ``SelectKBest`` after it.
        """
        from adtm.files.modelfile import save

        check_is_fitted(self)
        save(self, path)

    def _preference(self) -> tuple[int, ...]:
        """The classes in the order in which the first part prefers them."""
        first = machine_of(self.parts_[0][1])
        if isinstance(first, Composite):
            return first._preference()
        return preference_of(first) if isinstance(first, TsetlinClassifier) else tuple(range(len(self.classes_)))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "parts_")

    def _names(self) -> list[str]:
        parts = self.parts
        if not isinstance(parts, (list, tuple)) or not parts or not all(_is_part(part) for part in parts):
            raise ValueError(f"parts must be a list of at least one (name, estimator), got {parts!r:.80}")
        names = [name for name, _ in parts]
        if len(set(names)) < len(names):
            raise ValueError(f"the names of the parts must be different, got {names}")
        for name, part in parts:
            if not hasattr(machine_of(part), "decision_function"):
                raise ValueError(f"part {name!r} must be a classifier with votes, got {machine_of(part)!r:.80}")
        return names

    def _each(self, parts: list[Any], work: Callable[[Any], Any]) -> list[Any]:
        # Parts learn in place: in another process, which joblib may have been told to use, they would learn for nobody.
        done: list[Any] = Parallel(check_jobs(self.n_jobs), require="sharedmem")(delayed(work)(part) for part in parts)
        return done

    def _take(self, names: list[str], parts: list[Any], ranges: list[float]) -> Self:
        self.classes_ = machine_of(parts[0]).classes_
        self.ranges_ = dict(zip(names, ranges, strict=True))
        self.parts_ = list(zip(names, parts, strict=True))
        return self


def _is_part(part: Any) -> bool:
    return isinstance(part, tuple) and len(part) == 2 and isinstance(part[0], str) and hasattr(part[1], "fit")


def machine_of(part: Any) -> Any:
    """The machine of a part: the last step of a pipeline."""
    return part[-1] if isinstance(part, Pipeline) else part


def _apart(part: Any) -> Any:
    """A part whose machine goes on learning without this one's; their features stay, and are the same."""
    if isinstance(part, (TsetlinClassifier, Composite)):  # a composite takes its own parts apart
        return copy.copy(part)
    if not isinstance(part, Pipeline):
        return copy.deepcopy(part)
    apart = copy.copy(part)
    apart.steps = [*part.steps[:-1], (part.steps[-1][0], _apart(part[-1]))]
    return apart


def _require_classes(y: Any) -> None:
    if is_indicator(y):
        raise ValueError("y must hold one label for each sample of a composite, got several: make one for each label")


def _taught(part: Any, X: Any, y: Any, method: str, *, first: bool, **more: Any) -> float:
    """Teach a part by a method of its machine; the range of its votes."""
    features = X
    if isinstance(part, Pipeline) and len(part) > 1:
        features = part[:-1].fit_transform(X, y) if first else part[:-1].transform(X)
    return _range(_votes(getattr(machine_of(part), method)(features, y, **more), features))


def _votes(part: Any, X: Any) -> NDArray[np.float64]:
    """A part's votes; those of a machine without what tells the answer among equal ones."""
    votes = np.asarray(part.decision_function(X), np.float64)
    return np.rint(votes) if isinstance(machine_of(part), TsetlinClassifier) else votes


def _decided(
    votes: list[NDArray[np.float64]], ranges: list[float], preference: NDArray[np.intp]
) -> NDArray[np.float64]:
    """The sums of votes over their ranges, those of equal sums told apart by the preference.

    Rounded sums decide, except where they lie so near that exact ones could be equal or in the other order.
    """
    shares = [own / width for own, width in zip(votes, ranges, strict=True)]
    sums = np.asarray(np.sum(shares, axis=0), np.float64)
    slack = 4 * len(shares) * np.finfo(np.float64).eps * np.sum(np.abs(shares), axis=0)  # rounding takes less
    if sums.ndim == 1:
        apart = np.abs(sums)
    else:
        apart, slack = np.diff(np.partition(-sums, 1, axis=1)[:, :2])[:, 0], 2 * slack.max(axis=1)
    near = np.flatnonzero((apart <= slack) & np.isfinite(slack))
    exact = _exact_sums([own[near] for own in votes], ranges)
    if sums.ndim == 1:
        sums[near] = _sided(sums[near], exact, preference)
        return sums
    winners = preference[sums[:, preference].argmax(axis=1)]
    winners[near] = preference[exact[:, preference].argmax(axis=1)]
    equal = exact == exact[np.arange(len(near)), winners[near], None]
    sums[near] = np.where(equal, sums[near].max(axis=1, keepdims=True), sums[near])
    return largest_at(winners, sums)


def _sided(sums: NDArray[np.float64], exact: NDArray[np.object_], preference: NDArray[np.intp]) -> NDArray[np.float64]:
    """Sums of two classes on the side of the exact ones; those of 0 and of the other side are as small as can be."""
    side = np.where(exact == 0, 2 * preference[0] - 1, np.where(exact > 0, 1, -1))
    return np.where((exact != 0) & (sums * side > 0), sums, side * LEAST)


def _exact_sums(votes: list[NDArray[np.float64]], ranges: list[float]) -> NDArray[np.object_]:
    """The same sums as exact numbers of Python, all times the common denominator of the ranges."""
    shares = [1 / Fraction(width) for width in ranges]
    common = math.lcm(*(share.denominator for share in shares))
    exact = np.frompyfunc(lambda vote: int(vote) if vote.is_integer() else Fraction(vote), 1, 1)
    sums: NDArray[np.object_] = sum(exact(own) * int(share * common) for own, share in zip(votes, shares, strict=True))
    return sums


def _range(votes: NDArray[np.float64]) -> float:
    """From the least vote to the largest; 1 where all are the same."""
    return float(np.ptp(votes)) or 1.0
