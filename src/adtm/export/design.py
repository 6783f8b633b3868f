"""What a machine that learns outside of Python is made of: settings, what it answers, and what it has learned.

This is the one place where exporters look into an estimator.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adtm.learning.estimator import fitted_of, head_of, plan_of
from adtm.learning.plan import FitPlan
from adtm.machine.heads import Head, Outputs, Value, class_head, label_head
from adtm.machine.model import Model
from adtm.machine.schedule import Schedule
from adtm.machine.settings import Settings
from adtm.rules import RuleSet, rules_of
from adtm.tables.answers import indicator, is_indicator, numbers, plain_labels
from adtm.tables.pieces import rows_in
from adtm.validation import check_seed


@dataclass(frozen=True)
class Design:
    """A machine that learns.

    Attributes
    ----------
    settings : Settings
    head : Head
        Of classes, labels or a value, with the rule for silence.
    schedule : Schedule
        The order of samples, and which other classes learn from a sample.
    n_features : int
        Boolean features that a clause reads: those of a sample, or of a patch.
    model : Model or None
        What it has learned, where it goes on from there.
    rules : RuleSet or None
        The table that it reads and the names of its labels, where they are known.
    """

    settings: Settings
    head: Head
    schedule: Schedule
    n_features: int
    model: Model | None = None
    rules: RuleSet | None = None

    def __post_init__(self) -> None:
        settings, n, kind = self.settings, self.n_features, type(self.head).__name__
        if (settings.goal == "value") != (self.outputs.kind == "value"):
            raise ValueError(f"head must be one for the goal {settings.goal!r} of the settings, got {kind}")
        if n < 1:
            raise ValueError(f"n_features must be at least 1, got {n}")
        if settings.patches is not None and n != settings.patches.n_features:
            raise ValueError(f"n_features must be the {settings.patches.n_features} of a patch, got {n}")
        if self.model is not None and (self.model.settings, self.model.n_literals) != (settings, 2 * n):
            raise ValueError("model must be one of these settings and features, got another one")
        if self.rules is not None and self.rules.n_features != n:
            raise ValueError(f"rules must be over the {n} features of the machine, got {self.rules.n_features}")

    @property
    def outputs(self) -> Outputs:
        """How votes are answered; where the more frequent answer decides, as it is before the first sample."""
        return self.head.outputs(T=self.settings.T)

    @property
    def other_class(self) -> str:
        """How the other classes of a sample are chosen: ``"rotate"``, ``"random"`` or ``"all"``."""
        own, n_others = self.schedule, self.outputs.n_votes - 1
        return "all" if own.other_class == "random" and own.n_other_classes >= n_others else own.other_class


def design_of(estimator: Any, *, n_features: int | None = None, y: Any = None, trained: bool = False) -> Design:
    """The design of an estimator: of a fitted one as it learned and answers, of any other for so many features and y.

    ``trained`` says whether it goes on from what the estimator has learned.
    """
    plan = plan_of(estimator, **_counts(n_features))
    model: Model | None = getattr(estimator, "model_", None)
    if plan.settings.n_members > 1:
        raise ValueError(
            f"n_members must be 1 for a machine that learns outside of Python, got {plan.settings.n_members}: "
            "what a committee has learned is exported without learning"
        )
    if model is not None:
        if n_features is not None or y is not None:
            raise ValueError("n_features and y must be None for a fitted estimator, which knows them")
        learned, rules = model if trained else None, estimator.rules()
        head = head_of(estimator, fitted_of(estimator))
        return Design(model.settings, head, plan.schedule, model.n_literals // 2, learned, rules)
    if n_features is None or y is None or trained:
        raise ValueError("an estimator that is not fitted must come with n_features and y, and has learned nothing")
    if plan.view is not None:
        raise ValueError("an estimator with a patch must be fitted, so that the shape of its images is known")
    return Design(settings_of(estimator, n_features), _head(plan, y), plan.schedule, n_features)


def settings_of(estimator: Any, n_features: int) -> Settings:
    """The settings of a fitted machine, or those under which it would be fitted to so many features."""
    if hasattr(estimator, "model_"):
        fitted: Settings = estimator.model_.settings
        return fitted
    return replace(plan_of(estimator, **_counts(n_features)).settings, seed=check_seed(estimator.random_state))


def _counts(n_features: int | None) -> dict[str, int]:
    """What is known of a table of so many Boolean columns."""
    return {} if n_features is None else {"n_features": n_features, "n_columns": n_features}


def _head(plan: FitPlan, y: Any) -> Head:
    """The head for such a y: classes, an indicator matrix of labels, or values that span the range."""
    if plan.settings.goal == "value":
        values = numbers(y, rows_in(y))
        return Value(plan.settings.T, float(values.min()), float(values.max()))
    if is_indicator(y):
        return label_head(indicator(y, rows_in(y)).shape[1], plan.silence, shared=plan.shared)
    return class_head(len(np.unique(plain_labels(y))), plan.silence, shared=plan.shared)


def rules_from(machine: Any) -> RuleSet:
    """The rules of an estimator, or those that are given."""
    return machine if isinstance(machine, RuleSet) else rules_of(machine)
