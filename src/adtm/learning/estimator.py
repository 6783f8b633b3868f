"""What every estimator shares: fitting by a plan, what was fitted, and one machine in place of another.

All that fitting leaves is one object, which is replaced in one assignment: every thread sees one machine or the other,
never a part of each, and a call that is refused changes nothing. The parameters of each machine are in ``estimators``,
the answers of classifiers in ``classifier``.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from adtm import advice
from adtm.explain.model import column_shares
from adtm.learning.calibrating import Calibration, calibrate
from adtm.learning.checking import checked
from adtm.learning.choosing import LEAST_ROWS, SMOOTHING, Choice, choose, ladder
from adtm.learning.columns import Columns
from adtm.learning.fitting import Fitting
from adtm.learning.leading import Lead, Leading, leading
from adtm.learning.parameters import Machine, rows_of
from adtm.learning.plan import DECIDED, LEAST_EPOCHS, FitPlan, make_plan
from adtm.learning.reading import LearnTarget, brought, read_eval_set, read_first, read_next
from adtm.learning.samples import Samples
from adtm.learning.targets import Target
from adtm.machine.backends import Placed, Voter, get_backend
from adtm.machine.faults import has_faults
from adtm.machine.heads import Head, LargestVote, Targets
from adtm.machine.ledger import Ledger
from adtm.machine.model import EpochRecord, Model, new_model
from adtm.machine.schedule import Schedule, Shuffle
from adtm.machine.settings import Settings, draws_nothing
from adtm.markdown import counted, html_table
from adtm.rules import RuleSet, Small, small
from adtm.rules.build import rules_under
from adtm.rules.measures import measured_frame
from adtm.rules.ruleset import FEW_CONDITIONS, FEW_RULES
from adtm.tables.booleanizer import Booleanizer
from adtm.tables.patches import Patches
from adtm.tables.pieces import are_names, as_pieces, joined, present_pieces
from adtm.validation import check_flag, check_machine, check_seed, is_auto, threads_of

if TYPE_CHECKING:
    from adtm.predictor import Predictor

Callback = Callable[[Any, EpochRecord], bool | None]
#: Epochs of a history that a notebook shows.
_SHOWN_EPOCHS = 10


@dataclass(frozen=True, eq=False)
class Fitted:
    """All that fitting leaves: what is known about X and y, the model, its records, and what was decided for it."""

    columns: Columns
    target: Target
    model: Model
    history: list[EpochRecord] = field(default_factory=list)
    calibration: Calibration | None = None
    chosen: Mapping[str, Any] = field(default_factory=dict)
    lead: Leading | None = None
    choice: Choice = field(default_factory=Choice)


class History(list[EpochRecord]):
    """Records of epochs; a list that notebooks show as a table."""

    def _repr_html_(self) -> str:
        names = ("train_accuracy", "eval_accuracy", "train_error", "eval_error", "seconds")
        shown = [name for name in names if any(getattr(record, name) is not None for record in self)]
        kept = self if len(self) <= _SHOWN_EPOCHS else [*self[: _SHOWN_EPOCHS // 2], *self[-_SHOWN_EPOCHS // 2 :]]
        values = ((record.epoch, *(getattr(record, name) for name in shown)) for record in kept)
        rows = [(epoch, *("–" if value is None else f"{value:.4g}" for value in rest)) for epoch, *rest in values]
        left_out = len(self) - len(kept)
        head = ("epoch", *(name.replace("_", " ") for name in shown))
        title, note = counted(len(self), "epoch"), f"{left_out} between" if left_out else ""
        return html_table(head, rows, title=title, note=note)


class TsetlinEstimator(BaseEstimator):  # type: ignore[misc]
    """A machine with scikit-learn's interface. A subclass names its parameters and reads y."""

    #: Whose parameters a machine has; subclasses of users inherit it.
    _machine: ClassVar[Machine]

    booleanizer: Literal["auto"] | Booleanizer | None
    T: int | Literal["auto"]
    n_jobs: int | None
    backend: Any
    random_state: Any
    patch: int | tuple[int, int] | None
    shuffle: Shuffle
    member_rows: float
    _fitted: Fitted

    # ---- what a subclass says ------------------------------------------------------------------------------------

    def _learn_target(self, y: Any, n_samples: int) -> tuple[Target, Targets]:
        """Read y of data that start a new machine."""
        raise NotImplementedError

    # ---- parameters ----------------------------------------------------------------------------------------------

    def _keep(self, given: Mapping[str, Any]) -> None:
        """Set what a constructor was given, unchecked, as scikit-learn wants it."""
        for name in rows_of(self._machine):
            setattr(self, name, given[name])

    def set_params(self, **params: Any) -> Self:
        """Set parameters; those of the Booleanizer, such as ``booleanizer__max_bits``, also where it is ``"auto"``.

        Examples
        --------
        >>> from adtm import ADTMClassifier
        >>> ADTMClassifier().set_params(booleanizer__max_bits=5)
        ADTMClassifier(booleanizer=Booleanizer(max_bits=5, missing='indicator'))
        """
        nested = [name for name in params if name.startswith("booleanizer__")]
        if nested:
            super().set_params(**{name: params.pop(name) for name in list(params) if name not in nested})
            if not isinstance(self.booleanizer, Booleanizer):
                self.booleanizer = self._plan().booleanizer
            if self.booleanizer is None:
                raise ValueError(f"{nested[0]} must come with a Booleanizer or 'auto', got booleanizer=None")
        super().set_params(**params)
        return self

    def check_parameters(self, seed: int = 0) -> Settings:
        """Refuse parameters that ``fit`` would refuse; returns the machine's settings under a seed.

        Nothing is drawn from ``random_state``.

        Examples
        --------
        >>> from adtm import ADTMClassifier
        >>> ADTMClassifier(n_clauses=20).check_parameters(seed=3).n_clauses
        20
        """
        return replace(self._plan().settings, seed=seed)

    def _checked(self, name: str) -> Any:
        return checked(rows_of(self._machine)[name], getattr(self, name))

    def _given(self) -> dict[str, Any]:
        """The parameters of the machine; the constructor of a subclass may have others."""
        return {name: getattr(self, name) for name in rows_of(self._machine)}

    def _plan(self, chosen: Mapping[str, Any] | None = None, /, **counts: int) -> FitPlan:
        return make_plan(self._machine, self._given(), chosen=chosen, **counts)

    # ---- learning ------------------------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any = None,
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
            Data larger than memory: ``Pieces``, or what they are made of (a folder or pattern of Parquet or CSV files,
            a polars LazyFrame, a pyarrow dataset, a Dask frame or array), with the names of columns as y and
            ``sample_weight``. The model is that of the whole array.
        y : array of shape (n_samples,)
            Labels: texts, Booleans or whole numbers of at most 64 bits; also NumPy's dates, which files cannot hold. Of
            a regressor, numbers. For several labels (n_samples, n_labels): 1 where one is there, 0 where it is not.
        sample_weight : array of shape (n_samples,), optional
            How often each sample is shown in an epoch: 2 is the same as the row twice, 0 as no such row, and fractions
            are spread evenly over the epochs. Weights with a mean below 1 are raised to a mean of 1. Thresholds of a
            Booleanizer, the shares of ``member_rows`` and ``held_out_score_`` count each row once.
        eval_set : (X, y), optional
            Data whose accuracy and share of silent rows (of a regressor: error) are recorded after every epoch, in any
            form that ``fit`` takes; y is None where X brings its own. Early stopping watches them; otherwise it holds
            out some of the training data, and the records are about those.
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
        asked: dict[str, Any] = {
            "train_accuracy": check_flag("train_accuracy", train_accuracy),
            "callback": None if _checked_callback(callback) is None else partial(cast(Callback, callback), self),
        }
        plan = self._plan()
        columns, target, data = self._read_first(plan, X, y, sample_weight)
        evaluation = read_eval_set(plan, columns, target, eval_set)
        choice = self._choose(plan, columns, target, data)
        asked |= {"smoothing": SMOOTHING[plan.settings.goal]} if choice.compared else {}
        plan = replace(self._plan(choice.values, **columns.counts), **asked).for_samples(data.n_samples)
        whole = data
        if plan.early_stopping and evaluation is None:
            data, evaluation = whole.split(plan.validation_fraction)
            columns = data.columns or columns
            if not len(evaluation):
                raise ValueError("early_stopping must be False where there is one sample: none can be held out")
        learned: list[Fitted] = []  # here: a callback or another thread may put another machine in its place
        try:
            self._learn_from_scratch(plan, columns, target, data, evaluation, learned=learned)
        finally:  # also where learning is interrupted: what it has learned by then is a machine like any other
            if learned:
                held = evaluation if plan.early_stopping else None
                self._become(_judged(plan, learned[0], choice, whole=whole, data=data, held=held))
        if plan.settings.goal == "value" and learned[0].model.epochs >= LEAST_EPOCHS:
            _advise_error(learned[0], data)
        return self

    def _choose(self, plan: FitPlan, columns: Columns, target: Target, data: Samples) -> Choice:
        """What is left open, chosen on rows held out, if the plan says so."""
        if not plan.chooses or data.n_shown < LEAST_ROWS:
            return Choice()
        rungs = ladder(self._machine, self._given(), n_rows=round(data.n_shown), **columns.counts)
        if len(rungs) < 2:
            return Choice()
        plans = [self._plan(rung, **columns.counts).quiet() for rung in rungs]
        seed = check_seed(copy.deepcopy(self.random_state))
        return choose(list(zip(rungs, plans, strict=True)), columns, target, data, seed=seed)

    def _partial_fit(self, X: Any, y: Any, sample_weight: Any, learn_target: LearnTarget) -> Self:
        """One epoch: the first of a new machine, or one more of the machine there is."""
        if not self.__sklearn_is_fitted__():
            plan = self._plan().one_epoch()
            columns, target, data = self._read_first(plan, X, y, sample_weight, learn_target)
            plan = self._plan(**columns.counts).one_epoch()
            self._learn_from_scratch(plan, columns, target, data, learned=[])
            return self
        before = self._fitted
        plan = self._plan(before.chosen, **before.columns.counts).one_epoch()
        settings = replace(before.columns.settings_of(plan), seed=before.model.settings.seed)
        _check_same_memory(before.model, settings)
        data = read_next(plan, before.columns, before.target, X, y, sample_weight)
        model = replace(before.model, settings=settings, head=before.target.head_now(before.model.head, plan))
        # The few rules that lead, and their score, were those of the machine before.
        after = replace(before, chosen=plan.chosen, lead=None)
        Fitting(model, plan, lambda model, _: self._become(replace(after, model=model))).run(data)
        return self

    def _read_first(
        self, plan: FitPlan, X: Any, y: Any, sample_weight: Any, learn_target: LearnTarget | None = None
    ) -> tuple[Columns, Target, Samples]:
        """Data that start a new machine."""
        owner, learn = type(self).__name__, learn_target or self._learn_target
        return read_first(plan, X, y, sample_weight, owner=owner, learn_target=learn)

    def _learn_from_scratch(
        self,
        plan: FitPlan,
        columns: Columns,
        target: Target,
        data: Samples,
        evaluation: Samples | None = None,
        *,
        learned: list[Fitted],
    ) -> None:
        """Learn, all being checked: the last thing that can fail is the memory for the machine.

        ``learned`` always holds the last that was learned.
        """
        settings = columns.settings_of(plan)
        if self.random_state is not None or not (draws_nothing(settings) and plan.schedule.draws_nothing):
            # A generator itself moves on only when the machine stands.
            settings = replace(settings, seed=check_seed(copy.deepcopy(self.random_state)))
        n_features = data.literals.n_features
        model = new_model(settings, target.head(plan), n_features=n_features, n_jobs=plan.n_jobs)

        def on_model(model: Model, records: list[EpochRecord]) -> None:
            learned[:] = [Fitted(columns, target, model, records if plan.recorded else [], chosen=plan.chosen)]
            self._become(learned[0])

        fitting = Fitting(model, plan, on_model)
        del model  # the backend has a copy
        check_seed(self.random_state)
        self._advise(settings, columns.n_clause_features, target.head(plan), plan.schedule)
        fitting.run(data, evaluation)

    def _become(self, fitted: Fitted) -> None:
        """Take all that was fitted, in one assignment."""
        self._fitted = fitted

    def _advise(self, settings: Settings, n_features: int, head: Head, schedule: Schedule) -> None:
        """Say what can hardly work about the parameters."""
        if not is_auto(self._checked("tolerance")):
            advice.counting_clauses(settings.tolerance, n_features)
        if not isinstance(self.T, str) and settings.weights == "fixed":
            unreachable = advice.unreachable_value if settings.goal == "value" else advice.unreachable_target
            unreachable(settings.T, settings.n_clauses, settings.most_votes)
        turns = isinstance(head, LargestVote) and head.n_classes - 1 > schedule.n_other_classes  # of other classes
        alike = self.shuffle is False and self.member_rows == 1 and draws_nothing(settings) and not turns
        if settings.n_members > 1 and alike:
            advice.equal_members()

    # ---- what was learned ----------------------------------------------------------------------------------------

    @property
    def model_(self) -> Model:
        """The trained machine."""
        return self._now().model

    @property
    def history_(self) -> list[EpochRecord]:
        """The record of every epoch of the last ``fit``; a notebook shows it as a table."""
        return History(self._now().history)

    @property
    def chosen_(self) -> dict[str, Any]:
        """What was decided for the parameters that were left ``"auto"``."""
        return dict(self._now().chosen)

    @property
    def choice_(self) -> Choice:
        """How ``chosen_`` was found on rows held out by the last ``fit``; a model file does not keep it."""
        return self._now().choice

    @property
    def booleanizer_(self) -> Booleanizer | None:
        """The fitted Booleanizer."""
        return self._now().columns.booleanizer

    @property
    def patches_(self) -> Patches | None:
        """Where the patches of the images lie."""
        return self._now().columns.patches

    @property
    def n_features_in_(self) -> int:
        """Columns of X."""
        return self._now().columns.n_features_in

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """Names of the columns, where X had names."""
        names = self._now().columns.names
        if names is None:
            raise AttributeError("feature_names_in_")
        return names

    @property
    def states_(self) -> NDArray[np.uint16]:
        """State of every automaton, 1..2N: (bank, clause, literal). Literals are the features, then their negations."""
        states = self._now().model.memory.states.astype(np.uint16)
        states += np.uint16(1)
        return states

    @property
    def includes_(self) -> NDArray[np.bool_]:
        """Which literals each clause includes: (bank, clause, literal)."""
        model = self._now().model
        return model.memory.states >= model.settings.n_states

    @property
    def n_epochs_(self) -> int:
        """Epochs that the machine has learned; with early stopping those up to the best one, ``history_`` has all."""
        return self._now().model.epochs

    @property
    def ledger_(self) -> Ledger:
        """Updates and draws since the start, the start's own draws among them."""
        return self._now().model.ledger

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of all votes that hangs on each column of X, were every rule to hold once.

        ``adtm.explain.importance`` gives it by name, and on rows of yours.
        """
        if self._now().columns.patches is not None or has_faults(self.backend):
            raise AttributeError(
                "feature_importances_ are of a table: a machine with patches, or with faults, has none"
            )
        return column_shares(self.rules())

    def get_rules(self, X: Any = None, y: Any = None) -> Any:
        """The rules as a pandas frame, a row each: rule, prediction, strength, conditions.

        With rows X also ``support``, the share of them where a rule fires; with their y ``precision``, ``recall`` and
        ``lift``. Of a value the prediction is "more".

        Examples
        --------
        >>> from adtm import READABLE, ADTMClassifier
        >>> X, y = [[20], [30], [50], [60]] * 5, ["young", "young", "old", "old"] * 5
        >>> list(ADTMClassifier(**READABLE).fit(X, y).get_rules(X).columns)
        ['rule', 'prediction', 'strength', 'conditions', 'support']
        """
        return measured_frame(self.rules(), X, y)

    @property
    def held_out_score_(self) -> float | None:
        """Accuracy on rows held out (R² of a value, of several labels the share that is right), found on first use.

        With early stopping the rows that it held out; else a second machine learns from four fifths of the rows (at
        most 10,000) and answers for the others. None after ``load`` or ``partial_fit``, of copies and pickles, of
        machines with patches or with faults, and where there are fewer than ten rows or they would take more than
        16 MiB.
        """
        lead = self._lead()
        return lead.score if lead else None

    def _lead(self) -> Lead | None:
        """The few rules of the machine, and its score, on rows held out, under the parameters as they are now."""
        seen = self._snapshot()
        fitted = seen._fitted
        return fitted.lead.under(seen._head(fitted), seen._rules_of) if fitted.lead else None

    def rules(self) -> RuleSet:
        """The clauses as rules that people can read: simplified, with the same votes.

        ``print`` shows the few that matter and what they cost on rows held out; ``to_text`` has all. After ``load`` or
        ``partial_fit`` there are no rows to find these few with: ``small_rules`` makes them from yours.

        Returns
        -------
        RuleSet
            See ``adtm.rules``.
        """
        seen = self._snapshot()
        return replace(seen._rules_of(seen._fitted.model), lead=seen._lead())

    def _rules_of(self, model: Model, columns: Columns | None = None) -> RuleSet:
        """The rules of this machine, or of another model of it, which may have learned by columns of its own."""
        seen = self._snapshot()
        seen._fitted = replace(seen._fitted, model=model, columns=columns or seen._fitted.columns)
        return rules_under(seen._head(seen._fitted), seen)

    def small_rules(
        self, X: Any, y: Any, *, n_rules: int = FEW_RULES, n_conditions: int = FEW_CONDITIONS, loss: float | None = None
    ) -> Small:
        """A few short rules that answer nearly as well as all, and their cost on rows held out.

        The rules are this machine's. The cost is that of machines with the same parameters, which learn without the
        rows that judge them (``held_out_score_`` says which); where there are none, the cost is that on these rows.

        Parameters
        ----------
        X, y
            The training data.
        n_rules, n_conditions : int
            The most rules, and the most conditions of a rule.
        loss : float, optional
            Accuracy, or R² of a value, that may be lost: fewer than ``n_rules`` where these are enough.

        Returns
        -------
        Small
            See ``adtm.rules.small``; it prints as text.

        Examples
        --------
        >>> from adtm import ADTMClassifier
        >>> from adtm.datasets import load_bankruptcy
        >>> X, y = load_bankruptcy(return_X_y=True)
        >>> few = ADTMClassifier(epochs=5).fit(X, y).small_rules(X, y, n_rules=3, n_conditions=2)
        >>> len(few.rules), few.judged_on
        (3, 'rows held out')
        """
        sizes: dict[str, Any] = {"n_rules": n_rules, "n_conditions": n_conditions, "loss": loss}
        mine = small(self.rules(), X, y, **sizes)
        lead = clone(self).fit(X, y)._lead()
        return replace(lead.judged(**sizes), rules=mine.rules) if lead else mine

    def save(self, path: str | Path) -> None:
        """Write the fitted estimator to one safetensors file; ``adtm.load`` reads it.

        The file holds parameters, thresholds, labels, states and counters. A loaded model predicts identically and
        goes on learning exactly where this one stands.
        """
        from adtm.files.modelfile import save

        save(self._snapshot(), path)

    def predictor(self) -> Predictor:
        """A frozen copy that answers one row in some microseconds; threads may share it, and learning goes on apart.

        It answers as ``predict`` does, without the checks of tables: see ``adtm.predictor``. Probabilities are
        calibrated now, if they were not before.

        Returns
        -------
        Predictor
        """
        from adtm.files.modelfile import contents
        from adtm.predictor import Predictor

        return Predictor(*contents(self._snapshot()))

    # ---- answering -----------------------------------------------------------------------------------------------

    def _now(self) -> Fitted:
        """What was fitted, as it is now, even if another thread trains it at the same time."""
        fitted: Fitted | None = self.__dict__.get("_fitted")
        if fitted is None:
            check_is_fitted(self)  # in scikit-learn's words
            raise AssertionError
        return fitted

    def _snapshot(self) -> Self:
        """This estimator as it is now."""
        self._now()
        seen = object.__new__(type(self))
        seen.__dict__ = dict(self.__dict__)
        return seen

    def _head(self, fitted: Fitted) -> Head:
        """The head of what was fitted, under the parameters as they are now."""
        return fitted.model.head

    def _ask(self, X: Any) -> tuple[Fitted, Voter, Placed, int]:
        """What every answer is made of: what was fitted, its voter, X as it reads it, and threads."""
        fitted, backend, n_jobs = self._now(), get_backend(self.backend), threads_of(self._checked("n_jobs"))
        literals = fitted.columns.read(X, n_jobs=n_jobs)
        return fitted, fitted.model.voter(backend), backend.place(literals), n_jobs

    def _answered(self, X: Any, y: Any, sample_weight: Any) -> tuple[NDArray[Any], Any, Any]:
        """The answers about X, and the y and weights to compare them with: those given, or those that X brings."""
        pieces = as_pieces(X, y, sample_weight) if y is None or are_names(y) else None
        if pieces is not None:
            known = present_pieces(self._now().columns.pieces(pieces))
            parts = [(self.predict(piece.X), piece.y, piece.weight) for piece in known]
            answers, ys, weights = zip(*parts, strict=True)
            return np.concatenate(answers), joined(ys, "y"), joined(weights, "weights")
        return self.predict(X), *brought(X, y, sample_weight)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        """As scikit-learn writes it; of a fitted machine with what was decided for it."""
        text: str = super().__repr__(N_CHAR_MAX)
        told = self._decided()
        return f"{text} with {told}" if told else text

    def _html_repr(self) -> str:
        """The diagram that scikit-learn's estimators show in a notebook; of a fitted machine with what it is by now."""
        diagram: str = super()._html_repr()
        if not self.__sklearn_is_fitted__():
            return diagram
        (n_banks, n_clauses, _), drawn = self.model_.memory.states.shape, self.ledger_.draws
        size = f"{n_banks} × {n_clauses}" if n_banks > 1 else str(n_clauses)
        told = (self._decided() or "–", size, self.n_epochs_, f"{drawn:,}" if drawn else "none")
        return diagram + html_table(("decided for it", "clauses", "epochs", "random numbers"), [told])

    def _decided(self) -> str:
        """What was decided for parameters left open, once fitted."""
        chosen = self.chosen_ if self.__sklearn_is_fitted__() else {}
        return ", ".join(f"{name}={chosen[name]!r}" for name in DECIDED if name in chosen)

    def __sklearn_is_fitted__(self) -> bool:
        return "_fitted" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        booleanizer = self.booleanizer
        tags.input_tags.allow_nan = booleanizer == "auto" or getattr(booleanizer, "missing", "error") == "indicator"
        return tags


def piece_by_piece(answer: Callable[[Any, Any], NDArray[Any]]) -> Callable[[Any, Any], NDArray[Any]]:
    """A method that answers about X, also where X comes in pieces: the answers of all of them."""

    @wraps(answer)
    def answered(self: Any, X: Any) -> NDArray[Any]:
        pieces = as_pieces(X)
        if pieces is None:
            return answer(self, X)
        seen = self._snapshot()
        alike = seen._now().columns.pieces(pieces)
        return np.concatenate([answer(seen, piece.X) for piece in alike])

    return answered


def fitted_of(estimator: TsetlinEstimator) -> Fitted:
    """All that fitting left in an estimator."""
    return estimator._now()


def head_of(estimator: TsetlinEstimator, fitted: Fitted) -> Head:
    """The head of what was fitted, which answers under the parameters of the estimator as they are now."""
    return estimator._head(fitted)


def restored(estimator: TsetlinEstimator, fitted: Fitted) -> TsetlinEstimator:
    """The estimator with what was fitted elsewhere, read from a file say."""
    estimator._become(fitted)
    return estimator


def _judged(
    plan: FitPlan, fitted: Fitted, choice: Choice, *, whole: Samples, data: Samples, held: Samples | None
) -> Fitted:
    """What was fitted, with what rows held out say about it, or will say once they are asked.

    ``data`` are the rows that it learned: the whole, without those that early stopping ``held`` out.
    """
    calibration = None
    if plan.calibrated and choice.calibrated is not None and held is None and fitted.model.epochs == plan.epochs:
        calibration = Calibration(known=choice.calibrated)
    elif plan.calibrated:
        calibration = calibrate(plan, fitted.model, fitted.target.head(plan), whole, held)
    lead = leading(plan, fitted.target, fitted.model, data=data, held=held)
    return replace(fitted, calibration=calibration, choice=choice, lead=lead)


def _advise_error(fitted: Fitted, data: Samples) -> None:
    """Say so where answers about the rows learned are worse than one number for all of them."""
    error, rows = fitted.history[fitted.model.epochs - 1].train_error, data.judging()
    values = data.targets if rows is None else data.targets[rows]
    with np.errstate(over="ignore"):  # at the end of the range both may be infinite
        of_one = float(np.abs(values - np.median(values)).mean())
    if error is not None:
        advice.worse_than_one_number(error, of_one)


def parameters_of(estimator: TsetlinEstimator) -> tuple[Machine, dict[str, Any]]:
    """Whose parameters an estimator has, and their values; that of a user's subclass may be constructed with others."""
    return estimator._machine, estimator._given()


def plan_of(estimator: TsetlinEstimator, chosen: Mapping[str, Any] | None = None, /, **counts: int) -> FitPlan:
    """The plan that an estimator's parameters make, with what was decided for a fitted one, and ``Columns.counts``."""
    check_machine(estimator)
    return estimator._plan(chosen, **counts)


def read_data(estimator: TsetlinEstimator, X: Any, y: Any, sample_weight: Any) -> tuple[Columns, Target, Samples]:
    """What ``fit`` would read: what is known about X and y then, and the samples."""
    return estimator._read_first(estimator._plan(), X, y, sample_weight)


def _check_same_memory(model: Model, new: Settings) -> None:
    old = model.settings
    if old.patches is not None and new.patches is not None and old.patches != new.patches:
        raise ValueError(
            f"patch and stride must stay {old.patches.size} and {old.patches.stride} while learning goes on, got "
            f"{new.patches.size} and {new.patches.stride}"
        )
    for name in ("n_clauses", "n_states", "n_members"):
        if getattr(old, name) != getattr(new, name):
            raise ValueError(f"{name} must stay {getattr(old, name)} while learning goes on, got {getattr(new, name)}")
    if old.weights != new.weights:
        raise ValueError("weights and shared must stay as they were while learning goes on, got others")
    largest = int(np.abs(model.memory.weights).max())
    if largest > new.largest_weight:
        raise ValueError(
            f"tolerance must leave weights up to {largest}, which the machine has, got {new.tolerance}: with it "
            f"weights end at {new.largest_weight}"
        )


def _checked_callback(callback: Any) -> Any:
    if callback is None:
        return None
    if not callable(callback):
        raise ValueError(f"callback must be a function of (estimator, record) or None, got {callback!r}")
    try:
        inspect.signature(callback).bind(None, None)
    except TypeError as error:
        raise ValueError(f"callback must be a function of (estimator, record), got {callback!r}: {error}") from error
    except ValueError:  # a callable that cannot be asked for its signature: it will be called
        pass
    return callback
