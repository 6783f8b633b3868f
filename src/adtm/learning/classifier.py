"""What the classifiers share: labels in, labels and probabilities out.

The way of learning is in ``estimator``, the parameters of each machine in ``estimators``.
"""

from __future__ import annotations

from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin

from adtm.learning.estimator import Fitted, TsetlinEstimator, piece_by_piece
from adtm.learning.reading import first_y
from adtm.learning.targets import ClassTarget, LabelTarget, Target, accuracy
from adtm.machine.calibration import Temperature, largest_at
from adtm.machine.heads import ClassHead, Targets
from adtm.machine.model import answers
from adtm.tables.answers import distinct_labels, is_indicator


class TsetlinClassifier(ClassifierMixin, TsetlinEstimator):  # type: ignore[misc]
    """A machine that answers with one of the labels it has seen, or with those of several that are there."""

    def partial_fit(self, X: Any, y: Any = None, classes: ArrayLike | None = None, sample_weight: Any = None) -> Self:
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
        if self.__sklearn_is_fitted__():
            if classes is not None and not np.array_equal(distinct_labels(classes, "classes"), self.classes_):
                raise ValueError(f"classes must stay {self.classes_.tolist()}, got {classes!r}")
        elif classes is None and not is_indicator(first_y(X, y, sample_weight)):
            raise ValueError("classes must be passed on the first call to partial_fit, got None")
        return self._partial_fit(X, y, sample_weight, lambda y, n_samples: _learn(y, n_samples, classes))

    # ---- predicting ----------------------------------------------------------------------------------------------

    @piece_by_piece
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The votes.

        Returns
        -------
        votes : (n_samples,) for two classes, else (n_samples, n_classes) or (n_samples, n_labels)
            Clauses for minus clauses against: whole numbers, except where the votes do not decide and ``silence`` does.
            With two classes a vote of 0 is given as the smallest positive number (2.2e-308) when the second class is
            the answer, as the largest negative one when the first is. With more, the answer's vote is larger by one
            unit in the last place than the others of a tie (not under ``silence="paper"``, where the first of them is
            the answer). Each of several labels is as two classes are.
        """
        votes, head, _ = self._votes(X)
        return head.decision(votes)

    @piece_by_piece
    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each sample; of several labels an indicator matrix (n_samples, n_labels) of 0 and 1."""
        fitted, voter, placed, n_jobs = self._ask(X)
        return fitted.target.answers(answers(voter, self._head(fitted), placed, n_jobs=n_jobs))

    @piece_by_piece
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes; the predicted one always has the largest.

        With ``probability="calibrated"`` and after ``fit``: exp(vote / ``temperature_``) over the sum of all classes';
        for two classes with the vote v, 1 / (1 + exp(-v / ``temperature_``)) of the second. The first call after
        ``fit`` takes longer where the temperature has still to be found (see ``probability``).

        With ``probability="shares"``, or where only ``partial_fit`` was called: vote shares. A vote v, clipped to
        [-T, T], becomes (v + T) / 2T: for two classes that is the share of the second class, for more the shares are
        divided by their sum. Where clipping or a tie makes two equal, the winner's is larger by one unit in the last
        place.

        Of several labels each has the probability, or the share, that the second of two classes has, with a temperature
        of its own: (n_samples, n_labels). More than one half is that of a label that is the answer.
        """
        votes, head, fitted = self._votes(X)
        if self._checked("probability") == "shares" or fitted.calibration is None:
            return head.shares(votes, fitted.model.settings.vote_target)
        return head.probabilities(votes, fitted.calibration.found)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The natural logarithms of ``predict_proba``, in the same shape: minus infinity where a share is 0.

        The predicted class always has the largest, also where rounding makes two logarithms equal: then the winner's is
        larger by one unit in the last place.
        """
        now = self._snapshot()
        probabilities = now.predict_proba(X)
        with np.errstate(divide="ignore"):
            logarithms = np.log(probabilities)
        return logarithms if now.multilabel_ else largest_at(probabilities.argmax(axis=1), logarithms)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Accuracy: the share of samples whose label is right; of several labels those where all of them are.

        Parameters
        ----------
        X, y
            As in ``fit``. A label that the machine does not know counts as a wrong answer.
        sample_weight : array of shape (n_samples,), optional
            How much each sample counts.

        Returns
        -------
        float
        """
        seen = self._snapshot()
        known = cast(ClassTarget | LabelTarget, seen._fitted.target)
        answers, y, sample_weight = seen._answered(X, y, sample_weight)
        return accuracy(known, y, answers, sample_weight)

    def _votes(self, X: Any) -> tuple[NDArray[np.int32], ClassHead, Fitted]:
        """The votes, the head that reads them, and what had been fitted when they were cast."""
        fitted, voter, placed, n_jobs = self._ask(X)
        return voter.votes(placed, n_jobs=n_jobs), self._head(fitted), fitted

    # ---- what was learned ----------------------------------------------------------------------------------------

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels; of an indicator matrix the numbers of its columns."""
        return cast(ClassTarget | LabelTarget, self._now().target).classes

    @property
    def multilabel_(self) -> bool:
        """Whether y was an indicator matrix: several labels for each sample."""
        return isinstance(self._now().target, LabelTarget)

    @property
    def label_names_(self) -> NDArray[np.object_]:
        """Names of the labels, where y was a frame of several columns with names."""
        names = getattr(self._now().target, "names", None)
        if names is None:
            raise AttributeError("label_names_")
        return cast(NDArray[np.object_], names)

    @property
    def temperature_(self) -> Temperature:
        """Votes that make a class e times as probable, where probabilities are calibrated; one for each label."""
        calibration = self._now().calibration
        if calibration is None:
            raise AttributeError("temperature_")
        return calibration.found

    @property
    def class_counts_(self) -> NDArray[np.uint64]:
        """Samples of each class learned from so far, every epoch counted.

        With several labels, the samples that have each of them.
        """
        fitted = self._now()
        n = len(cast(ClassTarget | LabelTarget, fitted.target).classes)
        return np.array(cast(ClassHead, fitted.model.head).counts[-n:] or [0] * n, np.uint64)

    def _learn_target(self, y: Any, n_samples: int) -> tuple[Target, Targets]:
        return _learn(y, n_samples, None)

    def _head(self, fitted: Fitted) -> ClassHead:
        return cast(ClassHead, fitted.model.head).with_silence(self._checked("silence"))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def preference_of(machine: TsetlinClassifier) -> tuple[int, ...]:
    """The numbers of the classes in the order in which the machine prefers them where their votes are equal."""
    return machine._head(machine._now()).outputs().preference


def _learn(y: Any, n_samples: int, known: ArrayLike | None) -> tuple[Target, Targets]:
    """Read y of data that start a new machine; ``known`` are all labels that will ever come."""
    return (LabelTarget if is_indicator(y) else ClassTarget).learn(y, n_samples, known)
