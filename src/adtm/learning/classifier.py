"""What the classifiers share: labels in, labels out.

Reading X is in ``reading``, the way of learning in ``base``, the parameters of each machine in ``estimators``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import ClassifierMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from adtm.learning.base import TsetlinEstimator
from adtm.learning.fitting import Course, Fitting
from adtm.learning.samples import Samples, at_least_once
from adtm.machine.calibration import Temperature, largest_at
from adtm.machine.heads import ClassHead, Silence, Targets, class_head, label_head
from adtm.machine.model import Model, answers, new_model
from adtm.machine.settings import Settings
from adtm.tables.table import text_names
from adtm.validation import check_choice, check_flag, check_real, check_whole

__all__ = ["TsetlinClassifier"]

_MOST_CLASSES = 65536
TWIN_ROWS = 10_000


class TsetlinClassifier(ClassifierMixin, TsetlinEstimator):  # type: ignore[misc]
    """A machine that answers with one of the labels it has seen, or with those of several that are there."""

    silence: Silence
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None
    probability: Literal["calibrated", "shares"] = "shares"
    shared: bool

    classes_: NDArray[Any]
    multilabel_: bool
    label_names_: NDArray[np.object_]
    temperature_: Temperature
    _FITTED: ClassVar[tuple[str, ...]] = (
        *TsetlinEstimator._FITTED,
        "classes_",
        "multilabel_",
        "label_names_",
        "temperature_",
    )

    def partial_fit(self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: Any = None) -> Self:
        """Go on learning: one epoch over these samples.

        Calling it with the whole training set once per epoch gives the same model as one ``fit`` with that many epochs.
        If anything about the call is refused, the estimator is left as it was.

        Parameters
        ----------
        X, y
            As in ``fit``. A Booleanizer is fitted, and ``start`` counts, on the first call only.
        classes : array, optional
            All labels that will ever come; needed on the first call, but for an indicator matrix, whose columns are all
            labels that there are.
        sample_weight : array, optional
            As in ``fit``.

        Returns
        -------
        self
        """
        if hasattr(self, "model_"):
            if classes is not None and not np.array_equal(_distinct(classes, "classes"), self.classes_):
                raise ValueError(f"classes must stay {self.classes_.tolist()}, got {classes!r}")
            return self._next_partial_fit(X, y, sample_weight)
        if classes is None and not _is_indicator(y):
            raise ValueError("classes must be passed on the first call to partial_fit, got None")
        return self._first_partial_fit(X, y, sample_weight, classes)

    # ---- predicting ----------------------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The votes.

        Returns
        -------
        votes : (n_samples,) for two classes, else (n_samples, n_classes) or (n_samples, n_labels)
            Clauses for minus clauses against, whole numbers but where the votes do not decide and ``silence`` does:
            the decision is then the answer's by a hair. With two classes a vote of 0 is given as the smallest positive
            number (2.2e-308) when the second class is the answer, as the largest negative one when the first is. With
            more, the answer's vote is larger by one unit in the last place than the others of a tie (not under
            ``silence="paper"``, where the first of them is the answer). Each of several labels is as two classes are.
        """
        votes, head, _ = self._ask(X)
        return head.decision(votes)

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each sample; of several labels an indicator matrix (n_samples, n_labels) of 0 and 1."""
        now, voter, literals = self._ready(X)
        winners = answers(voter, now._known_head(), literals, n_jobs=now._threads())
        labels: NDArray[Any] = winners.astype(np.int64) if now.multilabel_ else now.classes_[winners]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes; the predicted one always has the largest.

        With ``probability="calibrated"`` and after ``fit``: exp(vote / ``temperature_``) over the sum of all classes';
        for two classes with the vote v, 1 / (1 + exp(-v / ``temperature_``)) of the second.

        With ``probability="shares"``, or where only ``partial_fit`` was called: vote shares. A vote v, clipped to
        [-T, T], becomes (v + T) / 2T: for two classes that is the share of the second class, for more the shares are
        divided by their sum. Where clipping or a tie makes two equal, the winner's is larger by one unit in the last
        place.

        Of several labels each has the probability, or the share, that the second of two classes has, with a temperature
        of its own: (n_samples, n_labels). More than one half is that of a label that is the answer.
        """
        votes, head, now = self._ask(X)
        temperature = getattr(now, "temperature_", None)
        if temperature is None or now._check_probability() == "shares":
            return head.shares(votes, now.model_.settings.T)
        return head.probabilities(votes, temperature)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The natural logarithms of ``predict_proba``, in the same shape: minus infinity where a share is 0.

        The predicted class always has the largest, also where rounding makes two logarithms equal: then the winner's is
        larger by one unit in the last place.
        """
        now = self._fitted_now()
        probabilities = now.predict_proba(X)
        with np.errstate(divide="ignore"):
            logarithms = np.log(probabilities)
        return logarithms if now.multilabel_ else largest_at(probabilities.argmax(axis=1), logarithms)

    def _ask(self, X: Any) -> tuple[NDArray[np.int32], ClassHead, Self]:
        """The votes, the head that reads them, and the estimator as it was when it cast them."""
        now, voter, literals = self._ready(X)
        return voter.votes(literals, n_jobs=now._threads()), now._known_head(), now

    @property
    def class_counts_(self) -> NDArray[np.uint64]:
        """Samples of each class learned from so far, every epoch counted; a file from before it was kept has zeros.

        With several labels, the samples that have each of them.
        """
        now = self._fitted_now()
        n = len(now.classes_)
        return np.array(cast(ClassHead, now.model_.head).counts[-n:] or [0] * n, np.uint64)

    # ---- parameters ----------------------------------------------------------------------------------------------

    def _settings(self, seed: int) -> Settings:
        self._check_silence()
        self._check_class_weight()
        self._check_probability()
        return super()._settings(seed)

    def _votes(self) -> dict[str, Any]:
        shared = check_flag("shared", self.shared)
        weights = check_choice("weights", self.weights, ("fixed", "integer"))
        return {
            # Half of the clauses vote for and half against, unless each has weights of both signs.
            "n_clauses": check_whole("n_clauses", self.n_clauses, low=2, high=65536, even=not shared),
            "goal": "class",
            "weights": "free" if shared else "sided" if weights == "integer" else "fixed",
        }

    def _check_silence(self) -> Silence:
        rule: Silence = check_choice("silence", self.silence, ("frequent", "paper"))
        return rule

    def _check_probability(self) -> str:
        kind: str = check_choice("probability", self.probability, ("calibrated", "shares"))
        return kind

    def _check_class_weight(self) -> None:
        if isinstance(self.class_weight, Mapping):
            for label, weight in self.class_weight.items():
                check_real(f"class_weight of {label!r}", weight, low=0)
        elif self.class_weight is not None and not (
            isinstance(self.class_weight, str) and self.class_weight == "balanced"
        ):
            raise ValueError(f"class_weight must be a dict, 'balanced' or None, got {self.class_weight!r:.80}")

    def _weights(self, targets: NDArray[Any], sample_weight: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
        """Those of the samples times those of their classes."""
        if self.class_weight is None:
            return super()._weights(targets, sample_weight)
        weights = np.ones(len(targets)) if sample_weight is None else sample_weight
        if isinstance(self.class_weight, Mapping):
            unknown = set(self.class_weight) - set(self.classes_.tolist())
            if unknown:
                raise ValueError(f"class_weight must name known classes {self.classes_.tolist()}, got {unknown}")
            of_class = np.array([self.class_weight.get(label, 1.0) for label in self.classes_.tolist()], np.float64)
        else:
            counts = np.bincount(targets, weights, minlength=len(self.classes_))
            of_class = weights.sum() / (np.count_nonzero(counts) * np.where(counts > 0, counts, 1))
        weights = weights * of_class[targets]
        if not weights.any():
            raise ValueError("class_weight must leave at least one sample a weight above 0, got 0 for all classes")
        return at_least_once(weights)

    # ---- probabilities -------------------------------------------------------------------------------------------

    def _complete(self, draft: Self, course: Course, data: Samples, held: Samples | None) -> None:
        """Fit the temperature on rows held out by early stopping, or on those that a twin did not learn from."""
        if self.probability == "shares":
            return
        model = draft.model_
        if held is None:
            model, held = _twin(draft.model_, draft._head(), course, data)
        votes = model.voter(course.backend).votes(held.literals.take(held.where), n_jobs=course.n_jobs)
        weights = None if held.weights is None else held.weights[held.where]
        draft.temperature_ = cast(ClassHead, model.head).temperature(votes, held.targets[held.where], weights)
        self._become(draft)

    # ---- labels --------------------------------------------------------------------------------------------------

    def _learn_targets(self, y: Any, n_samples: int, known: ArrayLike | None) -> Targets:
        self.multilabel_ = _is_indicator(y)
        if self.multilabel_:
            return self._learn_indicator(y, n_samples, known)
        labels = _labels(y, n_samples)
        name = "y" if known is None else "classes"
        self.classes_ = np.unique(labels) if known is None else _distinct(known, name)
        n = len(self.classes_)
        if n < 2:
            got = f"{n} class" if n else "none"
            raise ValueError(f"{name} must hold at least 2 classes, got {got}: {self.classes_.tolist()}")
        if n > _MOST_CLASSES:
            raise ValueError(f"{name} must hold at most {_MOST_CLASSES} classes, got {n} classes")
        return self._indices(labels)

    def _learn_indicator(self, y: Any, n_samples: int, known: ArrayLike | None) -> Targets:
        indicator = _indicator(y, n_samples)
        n = indicator.shape[1]
        if n > _MOST_CLASSES:
            raise ValueError(f"y must hold at most {_MOST_CLASSES} labels, got {n} labels")
        self.classes_ = np.arange(n)
        if known is not None and not np.array_equal(known, self.classes_):
            raise ValueError(f"classes must be the numbers 0..{n - 1} of the columns of y, got {known!r:.80}")
        names = text_names(y)
        if names is not None and len(set(names)) == n:
            self.label_names_ = np.array(names, dtype=object)
        return indicator

    def _known_targets(self, y: Any, n_samples: int) -> Targets:
        if not self.multilabel_:
            return self._indices(_labels(y, n_samples))
        indicator = _indicator(y, n_samples)
        if indicator.shape[1] != len(self.classes_):
            raise ValueError(f"y must have {len(self.classes_)} labels, got {indicator.shape[1]}")
        known, names = getattr(self, "label_names_", None), text_names(y)
        if known is not None and names is not None and names != known.tolist():
            raise ValueError(f"y must have the labels of fit, {', '.join(known)}, got {', '.join(names)}")
        return indicator

    def _head(self) -> ClassHead:
        make = label_head if self.multilabel_ else class_head
        return make(len(self.classes_), self._check_silence(), shared=self.shared)

    def _known_head(self) -> ClassHead:
        return cast(ClassHead, self.model_.head).with_silence(self._check_silence())

    def _indices(self, labels: NDArray[Any]) -> NDArray[np.intp]:
        """Class indices of labels, all of which must be known."""
        unknown = np.setdiff1d(labels, self.classes_)
        if len(unknown):
            raise ValueError(f"y must hold only the known classes {self.classes_.tolist()}, got {unknown[:5].tolist()}")
        return np.searchsorted(self.classes_, labels)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def _is_indicator(y: Any) -> bool:
    """Whether y has columns, so that it can only be about several labels."""
    shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
    return len(shape) == 2 and shape[1] > 1


def _indicator(y: Any, n_samples: int) -> NDArray[np.uint8]:
    """y as 1 where a label is there and 0 where it is not: (n_samples, n_labels)."""
    if not _is_indicator(y):
        raise ValueError(f"y must be an indicator matrix (n_samples, n_labels), got {y!r:.80}")
    table = y.toarray() if issparse(y) else y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y)
    if len(table) != n_samples:
        raise ValueError(f"X and y must have the same length, got {n_samples} samples and {len(table)} rows of labels")
    if table.dtype.kind == "f":
        assert_all_finite(table, input_name="y")
    if np.ma.is_masked(y):
        raise ValueError("y with several columns must be an indicator matrix of 0 and 1, got masked values")
    if (others := table[~np.isin(table, (0, 1))]).size:
        raise ValueError(f"y with several columns must be an indicator matrix of 0 and 1, got {others[0]!r:.80}")
    return table.astype(np.uint8)


def _twin(model: Model, head: ClassHead, course: Course, data: Samples) -> tuple[Model, Samples]:
    """A machine with the same settings that learned as long from four fifths of the rows, and the other fifth.

    Of many rows it takes ``TWIN_ROWS``: it then knows less than the model, and makes it rather too modest.
    """
    if len(data) > TWIN_ROWS:
        data = data.split(TWIN_ROWS / len(data))[1]
    learn, held = data.split(0.2)
    new = new_model(model.settings, head, n_features=data.literals.n_features, n_jobs=course.n_jobs)
    twins: list[Model] = []
    plain = Course(course.backend, course.n_jobs, course.schedule, epochs=model.epochs)
    Fitting(new, plain, lambda twin, _: twins.append(twin)).run(learn)
    return twins[-1], held


def _labels(y: Any, n_samples: int) -> NDArray[Any]:
    """y as a one-dimensional array of n_samples labels of one type."""
    if y is None:
        raise ValueError("y must hold the labels: this estimator requires y to be passed, but the target y is None")
    labels = _label_array(y, "y")
    if len(labels) != n_samples:
        raise ValueError(f"X and y must have the same length, got {n_samples} samples and {len(labels)} labels")
    check_classification_targets(labels)
    return labels


def _distinct(classes: Any, name: str) -> NDArray[Any]:
    """The classes themselves, sorted."""
    if np.ndim(classes) != 1:
        raise ValueError(f"{name} must be a list of labels, got {classes!r:.80}")
    return np.unique(_label_array(classes, name))


def _label_array(y: Any, name: str) -> NDArray[Any]:
    """Labels as they came, except that objects must be of one type, and become numbers if they are numbers."""
    if np.ma.is_masked(y):
        raise ValueError(f"{name} must hold a label for every sample, got masked values")
    labels = column_or_1d(y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y), warn=True)
    if labels.dtype.kind == "T":  # NumPy's strings of any length, which scikit-learn does not know
        labels = labels.astype(object)
    if labels.dtype.kind == "O":
        kinds = sorted({type(label).__name__ for label in labels})
        if len(kinds) > 1:
            raise ValueError(f"{name} must hold labels of one type and none missing, got {' and '.join(kinds)}")
        numbers = np.asarray(labels.tolist())
        return numbers if numbers.ndim == 1 and numbers.dtype.kind in "biuf" else np.asarray(labels)
    assert_all_finite(labels, input_name=name)
    return np.asarray(labels)
