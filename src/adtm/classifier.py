"""What the classifiers share: scikit-learn's interface to a machine.

Checks what comes in, fits a Booleanizer where one is wanted, runs the epochs and answers questions about the result.
The learning is in ``model`` and the backends, the parameters of each machine in ``estimators``, the file format in
``modelfile``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from adtm.backends import Voter, get_backend
from adtm.booleanizer import Booleanizer
from adtm.heads import class_head
from adtm.interrupt import finish_first
from adtm.ledger import Ledger
from adtm.literals import Literals
from adtm.machine import Settings
from adtm.model import EpochRecord, Learning, new_model
from adtm.progress import epoch_progress
from adtm.schedule import OtherClass, Schedule, Shuffle
from adtm.validation import check_choice, check_seed, check_verbosity, check_whole

__all__ = ["TsetlinClassifier"]

Callback = Callable[[Any, EpochRecord], bool | None]


class TsetlinClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A machine with scikit-learn's interface. A subclass names its parameters and describes its automata."""

    n_clauses: int
    T: int
    n_states: int
    epochs: int
    booleanizer: Literal["auto"] | Booleanizer | None
    shuffle: Shuffle
    selection: Literal["random", "weyl"]
    other_class: OtherClass
    start: Literal["random", "empty"]
    n_jobs: int | None
    backend: str
    random_state: Any
    verbose: int

    def _automata(self, n_states: int) -> dict[str, Any]:
        """The fields of ``Settings`` that say how the automata move: step, d, weak, s and boost."""
        raise NotImplementedError

    def _settings(self, seed: int) -> Settings:
        n_states = check_whole("n_states", self.n_states, low=1, high=32768)
        return Settings(
            n_clauses=check_whole("n_clauses", self.n_clauses, low=2, high=65536, even=True),
            T=check_whole("T", self.T, low=1, high=2**30),
            n_states=n_states,
            seed=seed,
            selection=check_choice("selection", self.selection, ("random", "weyl")),
            start=check_choice("start", self.start, ("random", "empty")),
            **self._automata(n_states),
        )

    def _schedule(self) -> Schedule:
        """The order of an epoch, checked."""
        return Schedule(
            check_choice("shuffle", self.shuffle, (True, False, "weyl")),
            check_choice("other_class", self.other_class, ("random", "rotate")),
        )

    # ---- learning ------------------------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        eval_set: tuple[Any, Any] | None = None,
        callback: Callback | None = None,
    ) -> Self:
        """Learn from scratch.

        Parameters
        ----------
        X : array, frame, sparse matrix or Literals, shape (n_samples, n_features)
            Numbers, Booleans, or columns with categories; see ``Booleanizer``. ``Literals`` are taken as they are.
        y : array-like, shape (n_samples,)
            Labels of any type that sorts.
        eval_set : (X, y), optional
            Data whose accuracy is recorded after every epoch.
        callback : callable, optional
            Called as ``callback(estimator, record)`` after every epoch with its ``EpochRecord``; the estimator is
            fitted and usable at that point. Returning True stops the training. An exception leaves the estimator as
            it was after the last whole epoch.

        Returns
        -------
        self
        """
        with self._unchanged_on_error():
            epochs = check_whole("epochs", self.epochs, low=1, high=2**31 - 1)
            if callback is not None and not callable(callback):
                raise ValueError(f"callback must be a function of (estimator, record) or None, got {callback!r}")
            settings = self._settings(0)
            backend = get_backend(self.backend)
            n_jobs = self._threads()
            schedule, verbose = self._schedule(), check_verbosity(self.verbose)
            literals, indices = self._read_training_data(X, y)
            settings = replace(settings, seed=check_seed(self.random_state))
            self.model_ = new_model(settings, class_head(len(self.classes_)), n_features=literals.n_features)
            evaluation = self._read_eval_set(eval_set)
            self.history_: list[EpochRecord] = []
            self._drop_voter()
            learning = Learning(self.model_, backend, n_jobs=n_jobs)
        try:
            del self.model_  # the backend holds the states now: one copy is enough
            with epoch_progress(epochs, show=verbose > 0) as progress:
                for epoch in range(1, epochs + 1):
                    with finish_first():
                        ledger = learning.epoch(literals, indices, schedule)
                        self._voter = learning.voter()
                        record = EpochRecord(
                            epoch=epoch,
                            train_accuracy=self._accuracy(literals, indices, n_jobs),
                            eval_accuracy=None if evaluation is None else self._accuracy(*evaluation, n_jobs),
                            seconds=learning.seconds,
                            ledger=ledger,
                        )
                        self.history_.append(record)
                        progress(record)
                    if callback is not None:
                        self._take_from(learning)
                        if callback(self, record) is True:
                            break
        finally:
            self._take_from(learning)
        del learning
        self._ready_voter()  # here rather than at the first question, since questions change nothing
        return self

    def partial_fit(self, X: Any, y: Any, classes: ArrayLike | None = None) -> Self:
        """Go on learning: one epoch over these samples.

        Calling it with the whole training set once per epoch gives the same model as one ``fit`` with that many epochs.
        If anything about the call is refused, the estimator is left as it was.

        Parameters
        ----------
        X, y
            As in ``fit``. A Booleanizer is fitted, and ``start`` counts, on the first call only.
        classes : array-like, optional
            All labels that will ever come; needed on the first call.

        Returns
        -------
        self
        """
        with self._unchanged_on_error():
            backend = get_backend(self.backend)
            n_jobs = self._threads()
            schedule = self._schedule()
            if hasattr(self, "model_"):
                if classes is not None and not np.array_equal(_distinct(classes, "classes"), self.classes_):
                    raise ValueError(f"classes must stay {self.classes_.tolist()}, got {classes!r}")
                settings = self._settings(self.model_.settings.seed)
                self._check_same_memory(settings)
                literals = self._read(X)
                indices = self._read_known_labels(y, len(literals))
                model = replace(self.model_, settings=settings)
            else:
                if classes is None:
                    raise ValueError("classes must be passed on the first call to partial_fit, got None")
                settings = self._settings(0)
                literals, indices = self._read_training_data(X, y, classes=classes)
                settings = replace(settings, seed=check_seed(self.random_state))
                model = new_model(settings, class_head(len(self.classes_)), n_features=literals.n_features)
                self.history_ = []
            learning = Learning(model, backend, n_jobs=n_jobs)
            del model
            with finish_first():
                learning.epoch(literals, indices, schedule)
        self._take_from(learning)
        return self

    # ---- predicting ----------------------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The votes.

        Returns
        -------
        votes : (n_samples,) for two classes, else (n_samples, n_classes)
            Clauses for minus clauses against, whole numbers. With two classes a vote of 0 is an answer for the second
            one: it is given as the smallest positive number (2.2e-308), since to scikit-learn only a positive decision
            is one.
        """
        votes = self._votes(X)
        return self.model_.head.decision(votes)

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each sample."""
        votes = self._votes(X)
        winners = self.model_.head.answer(votes)
        labels: NDArray[Any] = self.classes_[winners]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Vote shares, not calibrated probabilities.

        A vote v, clipped to [-T, T], becomes (v + T) / 2T: for two classes that is the share of the second class, for
        more the shares are divided by their sum. The predicted class always has the largest share: where clipping or a
        tie makes two shares equal, the winner's is larger by one unit in the last place.
        """
        votes = self._votes(X)
        return self.model_.head.shares(votes, self.model_.settings.T)

    # ---- the learned machine -------------------------------------------------------------------------------------

    @property
    def states_(self) -> NDArray[np.uint16]:
        """State of every automaton, 1..2N: (bank, clause, literal). Literals are the features, then their negations."""
        check_is_fitted(self, "model_")
        states = self.model_.memory.states.astype(np.uint16)
        states += np.uint16(1)
        return states

    @property
    def includes_(self) -> NDArray[np.bool_]:
        """Which literals each clause includes: (bank, clause, literal)."""
        check_is_fitted(self, "model_")
        return self.model_.memory.states >= self.model_.settings.n_states

    @property
    def ledger_(self) -> Ledger:
        """Updates and draws since the start, the start's own draws among them."""
        check_is_fitted(self, "model_")
        return self.model_.ledger

    def save(self, path: str | Path) -> None:
        """Write the fitted estimator to one safetensors file; ``adtm.load`` reads it.

        The file holds parameters, thresholds, labels, states and counters. A loaded model predicts identically and
        goes on learning exactly where this one stands.
        """
        from adtm.modelfile import save

        check_is_fitted(self, "model_")
        save(self, path)

    # ---- inside --------------------------------------------------------------------------------------------------

    def _threads(self) -> int:
        if self.n_jobs is not None:
            check_whole("n_jobs", self.n_jobs, low=-(2**15), high=2**15)
            if self.n_jobs == 0:
                raise ValueError("n_jobs must be None, a whole number >= 1, or negative to count from all cores, got 0")
        return int(effective_n_jobs(self.n_jobs))

    def _check_same_memory(self, settings: Settings) -> None:
        for name in ("n_clauses", "n_states"):
            fitted, asked = getattr(self.model_.settings, name), getattr(settings, name)
            if fitted != asked:
                raise ValueError(f"{name} must stay {fitted} while learning goes on, got {asked}")

    def _read_training_data(
        self, X: Any, y: Any, classes: ArrayLike | None = None
    ) -> tuple[Literals, NDArray[np.intp]]:
        """Literals and class indices of data that starts a new model; sets what is known about X and the classes."""
        literals = self._read(X, reset=True)
        labels = _labels(y, len(literals))
        name = "y" if classes is None else "classes"
        self.classes_ = np.unique(labels) if classes is None else _distinct(classes, name)
        if len(self.classes_) < 2:
            found = f"{len(self.classes_)} class" if len(self.classes_) else "none"
            raise ValueError(f"{name} must hold at least 2 classes, got {found}: {self.classes_.tolist()}")
        if len(self.classes_) > 65536:
            raise ValueError(f"{name} must hold at most 65536 classes, got {len(self.classes_)} classes")
        if literals.n_features == 0:
            raise ValueError(
                "X gives no Boolean feature: every column is constant. At least one column must take two values "
                f"(n_features_in_={self.n_features_in_})"
            )
        return literals, self._indices(labels)

    def _read(self, X: Any, *, reset: bool = False) -> Literals:
        """X as literals; with ``reset`` a Booleanizer is fitted where one is wanted."""
        if isinstance(X, Literals):
            if reset:
                self.booleanizer_ = None
                self.n_features_in_ = X.n_features
                self.__dict__.pop("feature_names_in_", None)
            elif X.n_features != self._n_bits():
                raise ValueError(
                    f"X has {X.n_features} Boolean features, but the machine was fitted with {self._n_bits()}"
                )
            if len(X) == 0:
                raise ValueError("X must hold at least 1 sample, got 0 sample(s)")
            return X
        if reset:
            self.booleanizer_ = self._new_booleanizer()
            if self.booleanizer_ is not None:
                self.booleanizer_.fit(X)
        # Names and width are scikit-learn's to compare; the values are the booleanizer's.
        table = X if hasattr(X, "shape") else np.asarray(X)
        if len(table.shape) == 2:
            validate_data(self, table, skip_check_array=True, reset=reset)
        if self.booleanizer_ is not None:
            return self.booleanizer_.literals(X)
        checked = check_array(X, accept_sparse=("csr", "csc"), dtype=None, estimator=self, input_name="X")
        return Literals.from_boolean(checked)

    def _new_booleanizer(self) -> Booleanizer | None:
        if self.booleanizer is None:
            return None
        if isinstance(self.booleanizer, Booleanizer):
            return clone(self.booleanizer)  # type: ignore[no-any-return]
        if isinstance(self.booleanizer, str) and self.booleanizer == "auto":
            return Booleanizer()
        raise ValueError(f"booleanizer must be 'auto', None or a Booleanizer, got {self.booleanizer!r}")

    def _n_bits(self) -> int:
        return self.model_.n_literals // 2

    def _read_known_labels(self, y: Any, n: int) -> NDArray[np.intp]:
        return self._indices(_labels(y, n))

    def _indices(self, labels: NDArray[Any]) -> NDArray[np.intp]:
        """Class indices of labels, all of which must be known."""
        unknown = np.setdiff1d(labels, self.classes_)
        if len(unknown):
            raise ValueError(f"y must hold only the known classes {self.classes_.tolist()}, got {unknown[:5].tolist()}")
        return np.searchsorted(self.classes_, labels)

    def _read_eval_set(self, eval_set: Any) -> tuple[Literals, NDArray[np.intp]] | None:
        if eval_set is None:
            return None
        if not isinstance(eval_set, tuple) or len(eval_set) != 2:
            raise ValueError(f"eval_set must be a tuple (X, y), got {eval_set!r:.80}")
        try:
            literals = self._read(eval_set[0])
            return literals, self._read_known_labels(eval_set[1], len(literals))
        except ValueError as error:
            raise ValueError(f"eval_set must be data like that of fit: {error}") from error

    def _accuracy(self, literals: Literals, indices: NDArray[np.intp], n_jobs: int) -> float:
        head = class_head(len(self.classes_))
        return float(np.mean(head.answer(self._voter.votes(literals, n_jobs=n_jobs)) == indices))

    def _votes(self, X: Any) -> NDArray[np.int32]:
        check_is_fitted(self, "model_")
        voter = self._ready_voter()
        return voter.votes(self._read(X), n_jobs=self._threads())

    def _ready_voter(self) -> Voter:
        """The compiled form of the model, made once per fitted state."""
        if self.__dict__.get("_voter") is None:
            self._voter = get_backend(self.backend).voter(self.model_.settings, self.model_.memory)
        return self._voter

    def _drop_voter(self) -> None:
        self.__dict__.pop("_voter", None)

    def _take_from(self, learning: Learning) -> None:
        """The model as it is now. What was made of the one before goes first, so that memory never holds both."""
        self.__dict__.pop("model_", None)
        self._drop_voter()
        self.model_ = learning.model()

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_voter", None)  # native memory; made again when needed
        return state

    @contextmanager
    def _unchanged_on_error(self) -> Iterator[None]:
        """A refused call changes nothing: put every attribute back."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


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
        return numbers if numbers.dtype.kind in "biuf" else np.asarray(labels)
    assert_all_finite(labels, input_name=name)
    return np.asarray(labels)
