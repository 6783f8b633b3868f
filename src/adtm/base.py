"""What every estimator shares, whatever its y means: parameters, reading X, learning, the learned machine.

A call is prepared on a draft of the estimator, so that what is refused never touches the estimator itself. What was
fitted is then replaced in one assignment: whoever asks, from whichever thread, meets one machine or the other, never a
part of each. Epochs are in ``fitting``; y and its answers are a subclass's.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from joblib import cpu_count, effective_n_jobs
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils import _safe_indexing, check_array
from sklearn.utils.validation import _check_sample_weight, _num_samples, check_is_fitted

from adtm import advice
from adtm.backends import get_backend
from adtm.booleanizer import Booleanizer
from adtm.csr import sound_sparse
from adtm.fitting import Course, Fitting, Taker
from adtm.heads import Head, Targets
from adtm.images import View, pack_images, read_images
from adtm.ledger import Ledger
from adtm.literals import Literals
from adtm.machine import Settings, auto_target
from adtm.model import EpochRecord, Model, new_model
from adtm.patches import Patches
from adtm.rules import RuleSet, rules_of
from adtm.samples import Samples, at_least_once
from adtm.schedule import OtherClass, Schedule, Shuffle
from adtm.stopping import ROWS_FOR_EARLY_STOPPING
from adtm.table import Frame, is_plain, labels_of, note_columns
from adtm.validation import check_choice, check_flag, check_fraction, check_seed, check_verbosity, check_whole

__all__ = ["Callback", "TsetlinEstimator"]

Callback = Callable[[Any, EpochRecord], bool | None]
#: With ``epochs="auto"``: epochs at most and at least, and samples to be shown in all.
MOST_EPOCHS, LEAST_EPOCHS, SHOWN = 60, 10, 3_000_000

#: Thresholds for each channel of an image where nobody chose them.
_THRESHOLDS_OF_A_PIXEL = 4


class TsetlinEstimator(BaseEstimator):  # type: ignore[misc]
    """A machine with scikit-learn's interface. A subclass names its parameters, describes its automata and reads y."""

    n_clauses: int
    T: int | Literal["auto"]
    n_states: int
    epochs: int | Literal["auto"]
    early_stopping: bool | Literal["auto"] = False  # for machines without such a parameter, as the next ones
    validation_fraction: float = 0.1
    n_iter_no_change: int = 10
    booleanizer: Literal["auto"] | Booleanizer | None
    shuffle: Shuffle
    selection: Literal["random", "weyl"]
    other_class: OtherClass
    start: Literal["random", "empty"]
    weights: Literal["fixed", "integer"]
    tolerance: int
    max_literals: int | None
    n_other_classes: int
    patch: int | tuple[int, int] | None
    stride: int | tuple[int, int]
    image_shape: int | tuple[int, ...] | None
    n_jobs: int | None
    backend: str
    random_state: Any
    verbose: int

    model_: Model
    history_: list[EpochRecord]
    booleanizer_: Booleanizer | None
    patches_: Patches | None

    #: Attributes that fitting sets, and replaces together.
    _FITTED: ClassVar[tuple[str, ...]] = (
        "model_",
        "history_",
        "booleanizer_",
        "patches_",
        "n_features_in_",
        "feature_names_in_",
    )

    # ---- what a subclass says ------------------------------------------------------------------------------------

    def _automata(self, n_states: int) -> dict[str, Any]:
        """The fields of ``Settings`` that say how the automata move: step, d, weak, s and boost."""
        raise NotImplementedError

    def _votes(self) -> dict[str, Any]:
        """The fields of ``Settings`` that say what votes are for: n_clauses, goal and weights."""
        raise NotImplementedError

    def _learn_targets(self, y: Any, n_samples: int, known: Any) -> Targets:
        """y of data that start a new model, for the head; sets what is known about y from then on."""
        raise NotImplementedError

    def _known_targets(self, y: Any, n_samples: int) -> Targets:
        """y of other data, for the head."""
        raise NotImplementedError

    def _head(self) -> Head:
        """The head that follows from what is known about y."""
        raise NotImplementedError

    def _known_head(self) -> Head:
        """The head of the model there is, under the parameters as they are now."""
        raise NotImplementedError

    # ---- learning ------------------------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        eval_set: tuple[Any, Any] | None = None,
        callback: Callback | None = None,
        train_accuracy: bool = True,
    ) -> Self:
        """Learn from scratch.

        If anything about the call is refused, the estimator is left as it was.

        Parameters
        ----------
        X : array, frame, sparse matrix or Literals, shape (n_samples, n_features)
            Numbers, Booleans, or columns with categories; see ``Booleanizer``. ``Literals`` are taken as they are.
            With ``patch``: images (n_samples, height, width) or (n_samples, height, width, channels), sequences
            (n_samples, length) or (n_samples, length, channels), or flat rows of ``image_shape``.
        y : array-like, shape (n_samples,)
            Labels of any type that sorts; of a regressor, numbers. For several labels (n_samples, n_labels): 1 where a
            label is there, 0 where it is not.
        sample_weight : array-like, shape (n_samples,), optional
            How often each sample is shown in an epoch: 2 is the same as the row twice, 0 as no such row, and fractions
            are spread evenly over the epochs. Weights with a mean below 1 are raised to a mean of 1.
        eval_set : (X, y), optional
            Data whose accuracy and share of silent rows (of a regressor: error) are recorded after every epoch. Early
            stopping watches them; otherwise it holds out some of the training data, and the records are about those.
        callback : callable, optional
            Called as ``callback(estimator, record)`` after every epoch with its ``EpochRecord``; the estimator is
            fitted and usable at that point. Returning True stops the training. An exception or Ctrl-C leaves the
            estimator as it was after the last whole epoch, or with early stopping after the best one.
        train_accuracy : bool, default True
            Record accuracy and silence (of a regressor: the error) on the training data after every epoch, too. False
            saves the time that it takes.

        Returns
        -------
        self
        """
        settings = self.check_parameters()
        _check_callback(callback)
        course = self._course(
            show=int(self.verbose) > 0,
            train_accuracy=check_flag("train_accuracy", train_accuracy),
            callback=None if callback is None else partial(callback, self),
        )
        draft = self._draft()
        data = draft._read_first(X, y, sample_weight=sample_weight)
        course = replace(course, epochs=self._n_epochs(len(data)))
        evaluation = draft._read_eval_set(eval_set)
        if self._stops_early(len(data)):
            course = replace(course, patience=int(self.n_iter_no_change))
            if evaluation is None:
                data, evaluation = data.split(float(self.validation_fraction))
        fitting = self._new_fitting(draft, settings, course, data, recorded=True)
        fitting.run(data, evaluation)
        del fitting  # and with it the memory that only learning needs
        self._complete(draft, course, data, evaluation if course.patience else None)
        return self

    def _complete(self, draft: Self, course: Course, data: Samples, held: Samples | None) -> None:
        """What ``fit`` adds to a machine that has learned; ``held`` are rows it has not learned from, if there are."""

    def _first_partial_fit(self, X: Any, y: Any, sample_weight: Any = None, known: Any = None) -> Self:
        """The first epoch of a new model; ``known`` is all that y will ever hold, where it must be known before."""
        course, settings = self._course(), self._settings(0)
        draft = self._draft()
        draft.history_ = []
        data = draft._read_first(X, y, known, sample_weight=sample_weight)
        self._new_fitting(draft, settings, course, data, recorded=False).run(data)
        return self

    def _next_partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """One more epoch of the model there is."""
        course, draft = self._course(), self._now()
        settings = draft._seen(self._settings(draft.model_.settings.seed))
        draft._check_same_memory(settings)
        X, y, sample_weight = _present(X, y, sample_weight)
        literals = draft._read(X)
        data = draft._samples(literals, draft._known_targets(y, len(literals)), sample_weight)
        take = self._taker(draft, recorded=False)
        Fitting(replace(draft.model_, settings=settings, head=draft._known_head()), course, take).run(data)
        return self

    def _new_fitting(
        self, draft: Self, settings: Settings, course: Course, data: Samples, *, recorded: bool
    ) -> Fitting:
        """Learning from scratch, all being checked: the last thing that can fail is the memory for the machine."""
        seed = check_seed(copy.deepcopy(self.random_state))  # a generator itself moves on only when the machine stands
        take = self._taker(draft, recorded=recorded)
        settings = draft._seen(replace(settings, seed=seed))
        n_features = data.literals.n_features
        model = new_model(settings, draft._head(), n_features=n_features, n_jobs=course.n_jobs)
        fitting = Fitting(model, course, take)
        check_seed(self.random_state)
        self._advise(settings)
        return fitting

    def _advise(self, settings: Settings) -> None:
        """Say what can hardly work about the parameters."""
        if not isinstance(self.T, str) and (settings.goal, settings.weights) == ("class", "fixed"):
            advice.unreachable_target(settings.T, settings.n_clauses, settings.most_votes)

    def _taker(self, draft: Self, *, recorded: bool) -> Taker:
        """Who takes what was learned: the draft, and from it this estimator; ``history_`` is about fit alone."""

        def take(model: Model, records: list[EpochRecord]) -> None:
            draft.model_ = model
            if recorded:
                draft.history_ = records
            self._become(draft)

        return take

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
        model = self.model_
        return model.memory.states >= model.settings.n_states

    @property
    def n_epochs_(self) -> int:
        """Epochs that the machine has learned; with early stopping those up to the best one, ``history_`` has all."""
        check_is_fitted(self, "model_")
        return self.model_.epochs

    @property
    def ledger_(self) -> Ledger:
        """Updates and draws since the start, the start's own draws among them."""
        check_is_fitted(self, "model_")
        return self.model_.ledger

    def rules(self) -> RuleSet:
        """The clauses as rules that people can read: simplified, with the same votes. ``print`` shows them.

        Returns
        -------
        RuleSet
            See ``adtm.rules``.
        """
        return rules_of(self)

    def save(self, path: str | Path) -> None:
        """Write the fitted estimator to one safetensors file; ``adtm.load`` reads it.

        The file holds parameters, thresholds, labels, states and counters. A loaded model predicts identically and
        goes on learning exactly where this one stands.
        """
        from adtm.modelfile import save

        check_is_fitted(self, "model_")
        save(self._now(), path)

    # ---- parameters ----------------------------------------------------------------------------------------------

    def check_parameters(self, seed: int = 0) -> Settings:
        """Refuse parameters that ``fit`` would refuse; returns the machine's settings under a seed.

        Nothing is drawn from ``random_state``.

        Examples
        --------
        >>> from adtm import ADTMClassifier
        >>> ADTMClassifier(n_clauses=20).check_parameters(seed=3).n_clauses
        20
        """
        self._course()
        self._new_booleanizer()
        if not (isinstance(self.epochs, str) and self.epochs == "auto"):
            check_whole("epochs", self.epochs, low=1, high=2**31 - 1)
        check_choice("early_stopping", self.early_stopping, ("auto", True, False))
        check_fraction("validation_fraction", self.validation_fraction)
        check_whole("n_iter_no_change", self.n_iter_no_change, low=1, high=2**31 - 1)
        self._view()
        check_verbosity(self.verbose)
        if not isinstance(self.random_state, (np.random.Generator, np.random.RandomState)):
            check_seed(self.random_state)
        return self._settings(seed)

    def _settings(self, seed: int) -> Settings:
        n_states = check_whole("n_states", self.n_states, low=1, high=32768)
        votes = self._votes()
        tolerance = check_whole("tolerance", self.tolerance, low=0, high=254)
        auto = isinstance(self.T, str) and self.T == "auto"
        return Settings(
            **votes,
            T=auto_target(votes["n_clauses"], tolerance + 1) if auto else check_whole("T", self.T, low=1, high=2**30),
            n_states=n_states,
            seed=seed,
            selection=check_choice("selection", self.selection, ("random", "weyl")),
            start=check_choice("start", self.start, ("random", "empty")),
            tolerance=tolerance,
            max_literals=None
            if self.max_literals is None
            else check_whole("max_literals", self.max_literals, low=1, high=2**31 - 1),
            **self._automata(n_states),
        )

    def _course(self, **asked: Any) -> Course:
        """How this estimator learns; ``asked`` is what a call asks for besides."""
        schedule = Schedule(
            self._check_shuffle(),
            check_choice("other_class", self.other_class, ("random", "rotate")),
            check_whole("n_other_classes", self.n_other_classes, low=1, high=65535),
        )
        return Course(get_backend(self.backend), self._threads(), schedule, **asked)

    def _check_shuffle(self) -> Shuffle:
        shuffle: Shuffle = check_choice("shuffle", self.shuffle, (True, False, "weyl", "sorted"))
        return shuffle

    def _n_epochs(self, n_samples: int) -> int:
        if isinstance(self.epochs, str):
            return max(LEAST_EPOCHS, min(MOST_EPOCHS, SHOWN // n_samples))
        return int(self.epochs)

    def _stops_early(self, n_samples: int) -> bool:
        """A number of epochs that was named is learned whole, unless early stopping was named too."""
        if isinstance(self.early_stopping, str):
            return isinstance(self.epochs, str) and n_samples > ROWS_FOR_EARLY_STOPPING
        return bool(self.early_stopping)

    def _threads(self) -> int:
        if self.n_jobs is not None:
            check_whole("n_jobs", self.n_jobs, low=-(2**15), high=2**15)
            if self.n_jobs == 0:
                raise ValueError("n_jobs must be None, a whole number >= 1, or negative to count from all cores, got 0")
        if self.n_jobs == 1:
            return 1
        n_jobs = int(effective_n_jobs(self.n_jobs))
        # More threads than cores would wait for each other; the result is the same.
        return n_jobs if n_jobs == 1 else min(n_jobs, int(cpu_count()))

    def _new_booleanizer(self) -> Booleanizer | None:
        if self.booleanizer is None:
            return None
        if isinstance(self.booleanizer, Booleanizer):
            return clone(self.booleanizer)  # type: ignore[no-any-return]
        if isinstance(self.booleanizer, str) and self.booleanizer == "auto":
            if self.patch is not None:
                return Booleanizer(max_bits=_THRESHOLDS_OF_A_PIXEL)
            return Booleanizer(missing="indicator")
        raise ValueError(f"booleanizer must be 'auto', None or a Booleanizer, got {self.booleanizer!r}")

    def _view(self) -> View | None:
        """How the machine looks at images, if it does."""
        return None if self.patch is None else View.of(self.patch, self.stride, self.image_shape)

    def _seen(self, settings: Settings) -> Settings:
        """The settings under the images that were seen: a parameter says how large a patch is, images how many."""
        view, fitted = self._view(), getattr(self, "patches_", None)
        if view is None and fitted is None:
            return settings
        if view is None or fitted is None:
            raise ValueError(f"patch must stay {None if fitted is None else fitted.size}, got {self.patch!r}")
        return replace(settings, patches=view.patches(fitted.image))

    def _check_same_memory(self, settings: Settings) -> None:
        old, new = self.model_.settings.patches, settings.patches
        if old is not None and new is not None and old != new:
            raise ValueError(
                f"patch and stride must stay {old.size} and {old.stride} while learning goes on, got {new.size} and "
                f"{new.stride}"
            )
        for name in ("n_clauses", "n_states"):
            fitted, asked = getattr(self.model_.settings, name), getattr(settings, name)
            if fitted != asked:
                raise ValueError(f"{name} must stay {fitted} while learning goes on, got {asked}")
        if self.model_.settings.weights != settings.weights:
            raise ValueError("weights and shared must stay as they were while learning goes on, got others")

    # ---- data ----------------------------------------------------------------------------------------------------

    def _read_first(self, X: Any, y: Any, known: Any = None, *, sample_weight: Any = None) -> Samples:
        """Data that start a new model; sets what is known about X and y."""
        X, y, sample_weight = _present(X, y, sample_weight)
        literals = self._read(X, reset=True)
        targets = self._learn_targets(y, len(literals), known)
        if literals.n_features == 0:
            raise ValueError(
                "X gives no Boolean feature: every column is constant. At least one column must take two values "
                f"(n_samples={len(literals)}, n_features_in_={self.n_features_in_})"
            )
        return self._samples(literals, targets, sample_weight)

    def _samples(self, literals: Literals, targets: NDArray[Any], sample_weight: NDArray[np.float64] | None) -> Samples:
        """What is learned from, in the order asked for."""
        samples = Samples(literals, targets, weights=self._weights(targets, sample_weight))
        return samples.sorted() if self._check_shuffle() == "sorted" else samples

    def _weights(self, targets: NDArray[Any], sample_weight: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
        """How often each sample is shown in an epoch, on average; None is once each."""
        del targets
        return None if sample_weight is None else at_least_once(sample_weight)

    def _read(self, X: Any, *, reset: bool = False) -> Literals:
        """X as literals; with ``reset`` a Booleanizer is fitted where one is wanted."""
        if isinstance(X, Literals):
            return self._take_literals(X, reset=reset)
        view = self._view() if reset else self._fitted_view()
        if view is not None:
            return self._read_images(X, view, reset=reset)
        if reset:
            self.patches_ = None
            self.booleanizer_ = self._new_booleanizer()
            if self.booleanizer_ is not None:
                self.booleanizer_.fit(X)
        # Names and width are scikit-learn's to compare; the values are the booleanizer's.
        table = X if hasattr(X, "shape") else np.asarray(X)
        if len(table.shape) == 2:
            note_columns(self, table, reset=reset)
        if self.booleanizer_ is not None:
            return self.booleanizer_.literals(X, n_jobs=self._threads())
        if is_plain(X) and X.dtype.kind == "b":
            return Literals.from_boolean(X, n_jobs=self._threads())
        table = sound_sparse(X) if issparse(X) else X  # before SciPy follows its indices
        checked = check_array(table, accept_sparse=("csr", "csc"), dtype=None, estimator=self, input_name="X")
        try:
            return Literals.from_boolean(checked, n_jobs=self._threads())
        except ValueError as error:
            raise ValueError(f"{error}{_where_not_boolean(X, checked)}") from error

    def _read_images(self, X: Any, view: View, *, reset: bool) -> Literals:
        """Images as literals, the pixels of a channel by the same thresholds."""
        images = read_images(X, view)
        _, height, width, channels = images.shape
        if reset:
            self.booleanizer_, self.n_features_in_ = self._new_booleanizer(), height * width * channels
            if self.booleanizer_ is not None:
                self.booleanizer_.fit(images.reshape(-1, channels))
        literals = pack_images(images, self.booleanizer_, n_jobs=self._threads())
        if reset and literals.n_features > 0:
            self.patches_ = view.patches((height, width, literals.n_features // (height * width)))
        return literals

    def _fitted_view(self) -> View | None:
        """The same, from what was fitted: images have the shape of those that were seen."""
        patches: Patches | None = getattr(self, "patches_", None)
        if patches is None:
            return None
        height, width, _ = patches.image
        shape = (height, width, self.n_features_in_ // (height * width))
        return View(patches.size, patches.stride, shape, line=height == 1)

    def _take_literals(self, X: Literals, *, reset: bool) -> Literals:
        if reset:
            self.booleanizer_, self.n_features_in_, self.patches_ = None, X.n_features, self._literal_patches()
        n_features = self.n_features_in_ if self.booleanizer_ is None else self.booleanizer_.n_bits_
        patches: Patches | None = getattr(self, "patches_", None)
        if patches is not None:
            n_features = patches.n_image_features
        if X.n_features != n_features:
            raise ValueError(f"X has {X.n_features} Boolean features, but the machine was fitted with {n_features}")
        if len(X) == 0:
            raise ValueError("X must hold at least 1 sample, got 0 sample(s)")
        return X

    def _literal_patches(self) -> Patches | None:
        """The patches of images that come as literals, whose shape only a parameter can tell."""
        view = self._view()
        if view is not None and view.shape is None:
            raise ValueError("image_shape must be given where X is Literals, got None")
        return None if view is None or view.shape is None else view.patches(view.shape)

    def _read_eval_set(self, eval_set: Any) -> Samples | None:
        if eval_set is None:
            return None
        if not isinstance(eval_set, tuple) or len(eval_set) != 2:
            got = f"a {type(eval_set).__name__}" + (f" of {len(eval_set)}" if hasattr(eval_set, "__len__") else "")
            raise ValueError(f"eval_set must be a tuple (X, y), got {got}")
        try:
            literals = self._read(eval_set[0])
            return Samples(literals, self._known_targets(eval_set[1], len(literals)))
        except ValueError as error:
            raise ValueError(f"eval_set must be data like that of fit: {error}") from error

    # ---- one estimator in place of another -----------------------------------------------------------------------

    def _now(self) -> Self:
        """This estimator as it is now, whatever another thread learns meanwhile."""
        seen = object.__new__(type(self))
        seen.__dict__ = dict(self.__dict__)
        return seen

    def _fitted_now(self) -> Self:
        """The same of an estimator that must be fitted."""
        if "model_" not in self.__dict__:  # scikit-learn's own check takes as long as many votes
            check_is_fitted(self, "model_")
        return self._now()

    def _draft(self) -> Self:
        """An estimator with the same parameters that has seen nothing."""
        draft = self._now()
        for name in self._FITTED:
            draft.__dict__.pop(name, None)
        return draft

    def _become(self, draft: Self) -> None:
        """Take all that was fitted from a draft, in one assignment."""
        fitted = {name: draft.__dict__[name] for name in self._FITTED if name in draft.__dict__}
        self.__dict__ = self._draft().__dict__ | fitted

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        booleanizer = self.booleanizer
        tags.input_tags.allow_nan = booleanizer == "auto" or getattr(booleanizer, "missing", "error") == "indicator"
        return tags


def _check_callback(callback: Any) -> None:
    if callback is None:
        return
    if not callable(callback):
        raise ValueError(f"callback must be a function of (estimator, record) or None, got {callback!r}")
    try:
        inspect.signature(callback).bind(None, None)
    except TypeError as error:
        raise ValueError(f"callback must be a function of (estimator, record), got {callback!r}: {error}") from error
    except ValueError:  # a callable that cannot be asked for its signature: it will be called
        pass


def _where_not_boolean(X: Any, table: Any) -> str:
    """Which column holds something else than 0 and 1, and the cure."""
    columns = table.tocsc() if issparse(table) else table
    for j, name in enumerate(labels_of(X, table.shape[1])):
        values = columns.data[slice(*columns.indptr[j : j + 2])] if issparse(table) else columns[:, j]
        if not np.isin(values, (0, 1)).all():
            return f" in column {name!r}. booleanizer='auto' makes Booleans of any table; None takes them as they are"
    return ""


def _present(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, NDArray[np.float64] | None]:
    """The samples whose weight is not 0, which is as good as absent, and their weights."""
    if sample_weight is None:
        return X, y, None
    if not isinstance(X, Literals) and not hasattr(X, "shape"):
        X = np.asarray(X)
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    present = np.flatnonzero(weights)
    if len(present) == 0:
        raise ValueError("sample_weight must hold at least one weight above 0, got only zeros")
    if len(present) == len(weights) or y is None or _num_samples(y) != len(weights):
        return X, y, weights  # lengths that differ are refused with the labels
    taken = X.take(present) if isinstance(X, (Literals, Frame)) else _safe_indexing(X, present)
    return taken, _safe_indexing(y, present), weights[present]
