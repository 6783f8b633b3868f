"""Machines that differ from the paper's in one rule, for the sensitivity study: other names in the reference's tables.

Where learning itself differs (``jump``) the reference learns; where only predicting does (``empty``) any trained
machine is asked again by the reference's voter.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm import PAPER, ADTMClassifier, TMClassifier
from adtm.backends import get_backend
from adtm.backends.reference import ReferenceBackend
from adtm.literals import Literals
from adtm.model import Model

__all__ = ["RefusingClassifier", "build", "predict", "votes"]


class RefusingClassifier(ADTMClassifier):
    """Refuses a strong move that would pass 2N, as the authors' program does."""

    def _automata(self, n_states: int) -> dict[str, Any]:
        return {**super()._automata(n_states), "jump": "refused"}


def build(model: str, params: dict[str, Any], variant: dict[str, Any]) -> Any:
    """The estimator of a model, "ADTM" or "TM"; with ``{"jump": "refused"}`` one that refuses jumps past 2N.

    What a task does not name is the paper's rule, never a default of the library.
    """
    if variant.get("jump") == "refused":
        return RefusingClassifier(**{**PAPER, **params}, backend="reference")
    machine = ADTMClassifier if model == "ADTM" else TMClassifier
    known = machine().get_params(deep=False)
    return machine(**{name: rule for name, rule in PAPER.items() if name in known} | params)


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
