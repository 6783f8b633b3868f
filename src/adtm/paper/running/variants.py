"""Machines that differ in some rules, for the studies: other names in the reference's tables of rules.

Where learning itself differs (``jump``, ``tape``, the naive rules) `NaiveBackend` learns; where only predicting does
(``empty``) the votes of empty clauses are added to those of any trained machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm import PAPER, ADTMClassifier, TMClassifier
from adtm.learning.plan import FitPlan
from adtm.machine.backends import Backend, get_backend
from adtm.machine.model import Model
from adtm.paper.plan import Task
from adtm.paper.running.naive import NaiveBackend
from adtm.tables.literals import Literals

LEARNING = frozenset({"jump", "selection", "tape", "weak"})  # fields of Settings that a variant may name


class VariantClassifier(ADTMClassifier):
    """An ADTM with other rules, which the kernels do not know."""

    other_rules: Mapping[str, str] = MappingProxyType({})  # fields of Settings

    def _plan(self, chosen: Mapping[str, Any] | None = None, n_features: int | None = None) -> FitPlan:
        plan = super()._plan(chosen, n_features)
        return replace(plan, settings=replace(plan.settings, **self.other_rules))  # type: ignore[arg-type]


def build(model: str, params: dict[str, Any], variant: dict[str, Any]) -> Any:
    """The estimator of a model, "ADTM" or "TM"; an ADTM with the rules of learning that the variant names.

    What a task does not name is the paper's rule, never a default of the library.
    """
    rules = {name: variant[name] for name in sorted(LEARNING & variant.keys())}
    if rules:
        machine = VariantClassifier(**{**PAPER, **params})
        machine.other_rules = rules
        return machine
    kind = ADTMClassifier if model == "ADTM" else TMClassifier
    known = kind().get_params(deep=False)
    return kind(**{name: rule for name, rule in PAPER.items() if name in known} | params)


def backend_for(task: Task, asked: str) -> str | Backend:
    """Who learns a task of a machine: the backend that was asked for, unless it does not know its rules."""
    return NaiveBackend() if LEARNING & task["variant"].keys() else asked


def predict(machine: Any, literals: Literals, variant: dict[str, Any]) -> NDArray[Any]:
    """Class indices."""
    model: Model = machine.model_
    return model.head.answer(votes(machine, literals, variant))


def votes(machine: Any, literals: Literals, variant: dict[str, Any]) -> NDArray[np.int32]:
    """The votes; with ``{"empty": "vote"}`` clauses without literals vote as they do while learning."""
    model: Model = machine.model_
    cast_votes = model.voter(get_backend(machine.backend)).votes(literals)
    if variant.get("empty") != "vote":
        return cast_votes
    empty = ~np.any(model.memory.states >= model.settings.n_states, axis=2)  # (banks, m)
    cast = np.sum(model.memory.weights * empty[:, None], axis=2, dtype=np.int32)  # (banks, outputs)
    return cast_votes + np.int32(model.settings.most_votes) * cast.ravel()
