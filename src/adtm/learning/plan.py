"""The plan of a fit: all that the parameters of an estimator say, checked and decided before any data are read.

What a single parameter may be is in ``parameters``. Here parameters that depend on each other follow each other:
whatever is ``"auto"`` is decided from the others. ``reading`` reads data by a plan, ``fitting`` carries it out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self, TypeAlias

from sklearn.base import clone

from adtm.learning.checking import checked_all
from adtm.learning.parameters import Machine
from adtm.machine.backends import Backend
from adtm.machine.heads import Silence
from adtm.machine.model import EpochRecord
from adtm.machine.schedule import Schedule
from adtm.machine.settings import Settings, auto_parts, auto_target
from adtm.tables.booleanizer import Booleanizer
from adtm.tables.images import View
from adtm.validation import check_whole, is_auto, threads_of

#: With ``epochs="auto"``: epochs at most and at least, and samples to be shown in all.
MOST_EPOCHS, LEAST_EPOCHS, SHOWN = 60, 10, 3_000_000
#: With ``early_stopping="auto"``: from how many samples on a tenth of them can be spared.
ROWS_FOR_EARLY_STOPPING = 10_000
#: Thresholds for each channel of an image with ``booleanizer="auto"``.
THRESHOLDS_OF_A_PIXEL = 4
#: What an estimator decides where a parameter is "auto": by tolerant clauses or by ANDs, of classes and of values.
_CLAUSES = {"class": 100, "value": 500}
_TOLERANCE = {"class": 7, "value": 3}
_TOLERANT_S = {"class": 100, "value": 20}
_PLAIN_S, _JUMPING_S = 3, 20
_TOLERANT_BUDGET = {"class": 16, "value": 12}
#: Of values tolerance and s where columns have so few Boolean features on average: those of different columns do not
#: follow from each other, as thresholds of one do, and with larger values clauses vote for all samples alike.
_BITS_OF_COLUMN, _TOLERANCE_OF_FEW_BITS, S_OF_FEW_BITS = 5, 2, 5
#: The parameters that follow from each other, or are chosen.
DECIDED = ("n_clauses", "T", "s", "tolerance", "max_literals")
Goal: TypeAlias = Literal["class", "value"]


@dataclass(frozen=True)
class FitPlan:
    """What a call of ``fit`` or ``partial_fit`` does."""

    settings: Settings  # the seed is drawn, and patches are known, when the data have been read
    schedule: Schedule
    backend: Backend
    n_jobs: int
    booleanizer: Booleanizer | None  # not fitted
    any_booleanizer: bool  # whether a packed file may have been packed by another one
    view: View | None  # how the machine looks at images, if it does
    chosen: Mapping[str, Any]  # the value of each machine parameter that was left ``"auto"``
    chooses: bool  # whether ``fit`` compares several values of them on rows held out
    epochs: int | None  # None until the number of samples decides
    early_stopping: bool | None  # the same
    validation_fraction: float
    patience: int  # epochs without a better score after which early stopping stops
    smoothing: int = 1  # epochs whose mean score it compares
    silence: Silence = "frequent"
    shared: bool = False
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None
    calibrated: bool = False  # whether rows held out say what probabilities or intervals are
    recorded: bool = True  # whether the records of the epochs are kept
    show: bool = False  # a progress bar
    train_accuracy: bool = False
    callback: Callable[[EpochRecord], bool | None] | None = None

    def for_samples(self, n: int) -> Self:
        """The plan with what depends on the number of samples: epochs, and whether to stop early.

        A number of epochs that was named is learned whole, unless early stopping was named too.
        """
        stops = self.epochs is None and n > ROWS_FOR_EARLY_STOPPING
        return replace(
            self,
            epochs=max(LEAST_EPOCHS, min(MOST_EPOCHS, SHOWN // n)) if self.epochs is None else self.epochs,
            early_stopping=stops if self.early_stopping is None else self.early_stopping,
        )

    def one_epoch(self) -> Self:
        """The plan of a ``partial_fit``."""
        return replace(self, epochs=1, early_stopping=False, calibrated=False, recorded=False).quiet()

    def quiet(self) -> Self:
        """The plan without anything that is shown or recorded besides."""
        return replace(self, show=False, train_accuracy=False, callback=None)

    def again(self, settings: Settings, epochs: int) -> FitPlan:
        """The plan of a second machine like the one that was learned: its settings, its epochs, nobody who watches."""
        return replace(self, settings=settings, epochs=epochs, early_stopping=False).quiet()


def make_plan(
    machine: Machine,
    given: Mapping[str, Any],
    *,
    chosen: Mapping[str, Any] | None = None,
    n_features: int | None = None,
    n_columns: int | None = None,
) -> FitPlan:
    """The plan that the constructor's parameters of a machine make.

    Where one is ``"auto"``, the rules here decide, or what a fitted machine has ``chosen``. ``n_features`` are the
    Boolean features that a clause chooses from, once they are known, and ``n_columns`` the columns of a table that they
    come from: few of them bear little tolerance.

    >>> from adtm.learning.parameters import defaults_of
    >>> plan = make_plan("ADTMClassifier", {**defaults_of("ADTMClassifier"), "tolerance": 0})
    >>> dict(plan.chosen)
    {'n_clauses': 100, 'T': 10, 's': 3, 'max_literals': None}
    """
    values = checked_all(machine, given)
    goal: Goal = "value" if machine == "ADTMRegressor" else "class"
    weights = _weights(values)
    asked_for = [name for name in DECIDED if is_auto(values[name])]
    known = {name: value for name, value in (chosen or {}).items() if name in asked_for}
    decided = _decided({**values, **known}, goal, weights, n_features, few=has_few_bits(n_features, n_columns))
    chooses = _chooses(values)
    values |= decided
    if goal == "class" and not values["shared"]:  # half of the clauses vote for and half against
        check_whole("n_clauses", values["n_clauses"], low=2, high=65536, even=True)
    return FitPlan(
        settings=_settings(values, goal, weights),
        schedule=Schedule(
            values["shuffle"],
            values.get("other_class", "rotate"),
            values.get("n_other_classes", 1),
            values["member_rows"],
        ),
        backend=values["backend"],
        n_jobs=threads_of(values["n_jobs"]),
        booleanizer=_booleanizer(values["booleanizer"], goal, images=values["patch"] is not None),
        any_booleanizer=is_auto(values["booleanizer"]),
        view=_view(values),
        chosen={name: decided[name] for name in asked_for},
        chooses=chooses,
        epochs=None if is_auto(values["epochs"]) else values["epochs"],
        early_stopping=None if is_auto(values["early_stopping"]) else values["early_stopping"],
        validation_fraction=values["validation_fraction"],
        patience=values["n_iter_no_change"],
        silence=values.get("silence", "frequent"),
        shared=values.get("shared", False),
        class_weight=values.get("class_weight"),
        calibrated=goal == "value" or values["probability"] == "calibrated",
        show=values["verbose"] > 0,
    )


def _weights(values: Mapping[str, Any]) -> Literal["fixed", "sided", "free"]:
    if values.get("shared"):
        if values["weights"] == "fixed":
            raise ValueError("weights must be 'auto' or 'integer' with shared=True, which learns them, got 'fixed'")
        return "free"
    return "sided" if values["weights"] == "integer" else "fixed"


def _chooses(values: Mapping[str, Any]) -> bool:
    """Whether what is left open is chosen on rows held out; by itself only where also the time is left open.

    The ladder of ``choosing`` was found on tables, with clauses that count once.
    """
    if not is_auto(values.get("choose", False)):
        return bool(values.get("choose", False))
    ordinary = values["patch"] is None and not values.get("shared") and values["weights"] != "integer"
    return is_auto(values["epochs"]) and ordinary and values["weak"] == "rota"


def _decided(
    values: Mapping[str, Any], goal: Goal, weights: str, n_features: int | None, *, few: bool
) -> dict[str, Any]:
    """The parameters of the clauses, each as it was given or as it follows from the others."""

    def decide(name: str, value: Any) -> Any:
        return value if is_auto(values[name]) else values[name]

    n_clauses = decide("n_clauses", _CLAUSES[goal])
    short = goal == "value" and few and weights == "fixed" and is_auto(values["T"])  # which follows from both
    tolerance = decide("tolerance", bearable(_TOLERANCE_OF_FEW_BITS if short else _TOLERANCE[goal], n_features))
    # ANDs want a small s and no budget: with those of tolerant clauses they hardly ever fire.
    tolerant_s = _JUMPING_S if values.get("weak") == "every" else S_OF_FEW_BITS if short else _TOLERANT_S[goal]
    s = decide("s", _PLAIN_S if tolerance == 0 else tolerant_s)
    max_literals = decide("max_literals", None if tolerance == 0 else _TOLERANT_BUDGET[goal])
    if goal == "value":
        T = auto_parts(n_clauses, tolerance + 1, learned_weights=weights != "fixed")
    elif n_features == 1:
        T = n_clauses  # all clauses of a side become the same one: their votes go up and down together
    else:
        T = auto_target(n_clauses, tolerance + 1)
    return {
        "n_clauses": n_clauses,
        "T": decide("T", T),
        "s": s,
        "tolerance": tolerance,
        "max_literals": max_literals,
    }


def has_few_bits(n_features: int | None, n_columns: int | None) -> bool:
    """Whether the columns of a table have few Boolean features.

    >>> has_few_bits(500, 100), has_few_bits(501, 100), has_few_bits(5, None)
    (True, False, False)
    """
    return n_features is not None and n_columns is not None and n_features <= _BITS_OF_COLUMN * n_columns


def bearable(tolerance: int, n_features: int | None) -> int:
    """The tolerance, or half of the features if that is less: a clause that fails on half of them only counts.

    >>> bearable(7, 100), bearable(7, 5), bearable(7, 1), bearable(7, None)
    (7, 2, 0, 7)
    """
    return tolerance if n_features is None else min(tolerance, n_features // 2)


def _settings(values: Mapping[str, Any], goal: Goal, weights: Literal["fixed", "sided", "free"]) -> Settings:
    """The machine's settings: what has the name of a parameter is that parameter."""
    s, weak = values["s"], values.get("weak", "bernoulli")  # the standard machine has no other
    # A longer jump ends at the same clamp; those of a pair are clamped clause by clause.
    jump = s if isinstance(s, tuple) else min(int(s), 2 * values["n_states"] - 1)
    derived = {
        "step": jump if weak == "every" else 1,
        "d": values.get("d", math.inf),
        "weak": weak,
        "s": (float(s[0]), float(s[1])) if isinstance(s, tuple) else float(s),
        "boost": values.get("boost_true_positive", True),
        "seed": 0,
        "goal": goal,
        "weights": weights,
    }
    named = {field.name: values[field.name] for field in fields(Settings) if field.name in values}
    settings = Settings(**{**named, **derived})
    if settings.largest_weight < 1:
        votes = settings.n_members * settings.n_clauses * settings.most_votes
        raise ValueError(
            f"n_members, n_clauses and tolerance must leave votes of at most {2**31 - 1:,} altogether: n_members times "
            f"n_clauses times (tolerance + 1), got {votes:,}"
        )
    return settings


def _booleanizer(given: Any, goal: Goal, *, images: bool) -> Booleanizer | None:
    if isinstance(given, Booleanizer):
        if given.__sklearn_tags__().target_tags.required and (goal == "value" or images):
            learned = "a value is learned" if goal == "value" else "pixels become Boolean"
            raise ValueError(f"booleanizer must be one that needs no classes where {learned}, got {given}")
        return clone(given)  # type: ignore[no-any-return]
    if given is None:
        return None
    return Booleanizer(max_bits=THRESHOLDS_OF_A_PIXEL) if images else Booleanizer(missing="indicator")


def _view(values: Mapping[str, Any]) -> View | None:
    if values["patch"] is not None:
        return View.of(values["patch"], values["stride"], values["image_shape"])
    for name, nothing in (("stride", 1), ("image_shape", None)):
        if values[name] != nothing:
            raise ValueError(f"{name} must come with patch, which says how large patches are, got {values[name]!r}")
    return None
