"""Machines that differ in some rules, for the studies: other names in the reference's tables of rules.

Where learning itself differs (``jump``, ``tape``, the naive rules) the reference learns; where only predicting does
(``empty``) any trained machine is asked again by the reference's voter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm import PAPER, ADTMClassifier, TMClassifier
from adtm.machine.backends import get_backend
from adtm.machine.backends.reference import ReferenceBackend
from adtm.machine.model import Model
from adtm.machine.settings import Settings
from adtm.paper.running.naive import NaiveBackend
from adtm.tables.literals import Literals

__all__ = ["LEARNING", "VariantClassifier", "build", "predict", "votes"]

LEARNING = frozenset({"jump", "selection", "tape", "weak"})  # fields of Settings that a variant may name


class VariantClassifier(ADTMClassifier):
    """An ADTM with other rules, which only the reference knows."""

    other_rules: Mapping[str, str] = MappingProxyType({})  # fields of Settings

    def _settings(self, seed: int) -> Settings:
        return replace(super()._settings(seed), **self.other_rules)  # type: ignore[arg-type]


def build(model: str, params: dict[str, Any], variant: dict[str, Any]) -> Any:
    """The estimator of a model, "ADTM" or "TM"; an ADTM with the rules of learning that the variant names.

    What a task does not name is the paper's rule, never a default of the library.
    """
    rules = {name: variant[name] for name in sorted(LEARNING & variant.keys())}
    if rules:
        machine = VariantClassifier(**{**PAPER, **params, "backend": NaiveBackend()})
        machine.other_rules = rules
        return machine
    kind = ADTMClassifier if model == "ADTM" else TMClassifier
    known = kind().get_params(deep=False)
    return kind(**{name: rule for name, rule in PAPER.items() if name in known} | params)


def predict(machine: Any, literals: Literals, variant: dict[str, Any]) -> NDArray[Any]:
    """Class indices."""
    model: Model = machine.model_
    return model.head.answer(votes(machine, literals, variant))


def votes(machine: Any, literals: Literals, variant: dict[str, Any]) -> NDArray[np.int32]:
    """The votes; with ``{"empty": "vote"}`` clauses without literals vote as they do while learning."""
    model: Model = machine.model_
    if variant.get("empty") != "vote":
        return model.voter(get_backend(machine.backend)).votes(literals)
    return ReferenceBackend().voter(replace(model.settings, empty="votes"), model.memory).votes(literals)
