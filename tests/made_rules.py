"""Machines whose rules are looked at: the bundled tables, small machines, and clauses made tolerant afterwards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

import adtm.datasets
from adtm import ADTMClassifier
from adtm.rules import RuleSet
from made_machines import changed

TABLES = ("balance_scale", "bankruptcy", "breast_cancer", "heart", "liver_disorders")


def table(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    data = getattr(adtm.datasets, f"load_{name}")(as_frame=True)
    return data.data, np.asarray(data.target)


def fitted(X: Any, y: Any, **parameters: Any) -> ADTMClassifier:
    return ADTMClassifier(**{"n_clauses": 30, "epochs": 10, "random_state": 0} | parameters).fit(X, y)


def tolerant(machine: ADTMClassifier, tolerance: int, weights: np.ndarray | None = None) -> ADTMClassifier:
    """The same clauses, but they forgive so many failed literals, and have other weights."""
    model = machine.model_
    memory = model.memory if weights is None else replace(model.memory, weights=weights)
    return changed(machine, model=replace(model, settings=replace(model.settings, tolerance=tolerance), memory=memory))


def forgiving(rules: RuleSet) -> RuleSet:
    """The same rules, but they forgive up to two failed literals, and have large weights for two outputs."""
    other = tuple(
        replace(rule, limit=min(len(rule.literals), 3), weights=(rule.weights[0] * 300, i % 5 - 2))
        for i, rule in enumerate(rules.rules)
    )
    return RuleSet(rules.columns, replace(rules.outputs, kind="classes", n_outputs=2, preference=(1, 0)), other)


def check_answers(machine: ADTMClassifier, X: Any, said: tuple[np.ndarray, np.ndarray]) -> None:
    """What was said elsewhere are the machine's votes and the indices of its answers."""
    votes, answers = said
    assert (votes == machine.rules().votes(X)).all()
    assert (machine.classes_[answers] == machine.predict(X)).all()
