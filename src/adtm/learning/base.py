"""What every estimator shares, whatever its y means: fitting, the learned machine, one machine in place of another.

A call is prepared on a draft of the estimator, so that what is refused never touches the estimator itself. What was
fitted is then replaced in one assignment: whoever asks, from whichever thread, meets one machine or the other, never a
part of each. Parameters are in ``parameters``, data in ``reading``, epochs in ``fitting``; y and its answers are a
subclass's.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from adtm import advice
from adtm.learning.fitting import Course, Fitting, Taker
from adtm.learning.reading import Reader
from adtm.learning.samples import Samples
from adtm.machine.backends import Voter, get_backend
from adtm.machine.heads import Head
from adtm.machine.ledger import Ledger
from adtm.machine.model import EpochRecord, Model, new_model
from adtm.machine.settings import Settings
from adtm.rules import RuleSet
from adtm.rules.build import rules_under
from adtm.tables.literals import Literals
from adtm.validation import check_flag, check_seed

__all__ = ["Callback", "TsetlinEstimator"]

Callback = Callable[[Any, EpochRecord], bool | None]


class TsetlinEstimator(Reader):
    """A machine with scikit-learn's interface. A subclass names its parameters, describes its automata and reads y."""

    model_: Model
    history_: list[EpochRecord]

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
        y : array of shape (n_samples,)
            Labels of any type that sorts; of a regressor, numbers. For several labels (n_samples, n_labels): 1 where a
            label is there, 0 where it is not.
        sample_weight : array of shape (n_samples,), optional
            How often each sample is shown in an epoch: 2 is the same as the row twice, 0 as no such row, and fractions
            are spread evenly over the epochs. Weights with a mean below 1 are raised to a mean of 1. Thresholds of a
            Booleanizer are quantiles of the rows, each counted once.
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
        data = draft._read_next(X, y, sample_weight)
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
        if not isinstance(self.T, str) and settings.weights == "fixed":
            unreachable = advice.unreachable_value if settings.goal == "value" else advice.unreachable_target
            unreachable(settings.T, settings.n_clauses, settings.most_votes)

    def _taker(self, draft: Self, *, recorded: bool) -> Taker:
        """Who takes what was learned: the draft, and from it this estimator; ``history_`` is about fit alone."""

        def take(model: Model, records: list[EpochRecord]) -> None:
            draft.model_ = model
            if recorded:
                draft.history_ = records
            self._become(draft)

        return take

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
        now = self._fitted_now()
        return rules_under(now._known_head(), now)

    def save(self, path: str | Path) -> None:
        """Write the fitted estimator to one safetensors file; ``adtm.load`` reads it.

        The file holds parameters, thresholds, labels, states and counters. A loaded model predicts identically and
        goes on learning exactly where this one stands.
        """
        from adtm.files.modelfile import save

        save(self._fitted_now(), path)

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

    def _ready(self, X: Any) -> tuple[Self, Voter, Literals]:
        """What every answer is made of: this estimator as it is now, its voter, and X as it reads it."""
        now = self._fitted_now()
        return now, now.model_.voter(get_backend(now.backend)), now._read(X)

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
