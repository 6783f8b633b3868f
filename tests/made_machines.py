"""Small machines and tables for tests of the estimators, and the comparison of all that an estimator holds."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np

from adtm import ADTMClassifier, Booleanizer
from adtm.learning.estimator import fitted_of, restored
from pinned import named

NUMBERS = np.random.default_rng(0).integers(0, 4, (60, 3))
LABELS = (NUMBERS[:, 0] > NUMBERS[:, 1]).astype(int)
SECONDS = 60  # no test of threads waits longer


def small(machine: type = ADTMClassifier, **parameters: Any) -> Any:
    return named(machine, **{"n_clauses": 20, "epochs": 4, "random_state": 5, **parameters})


def changed(machine: Any, **parts: Any) -> Any:
    """A fitted machine with other parts of all that it has learned: its model, its history, ..."""
    return restored(machine, replace(fitted_of(machine), **parts))


def with_states(machine: Any, states: np.ndarray) -> Any:
    """A fitted machine with other states."""
    model = machine.model_
    return changed(machine, model=replace(model, memory=replace(model.memory, states=states)))


def whole(machine: Any) -> tuple:
    """What must fit together: states, clocks, steps, epochs, samples and counts of the model."""
    model = machine.model_
    parts = (model.memory.states, model.memory.updates, model.memory.steps)
    return (*(part.tobytes() for part in parts), model.epochs, model.samples, model.ledger)


FITTED = (
    "model_",
    "history_",
    "chosen_",
    "booleanizer_",
    "patches_",
    "n_features_in_",
    "feature_names_in_",
    "classes_",
    "multilabel_",
    "label_names_",
    "y_range_",
)


def snapshot(machine: Any) -> dict[str, Any]:
    """All that an estimator holds, by value: its parameters, and what it has learned."""
    learned = {name: getattr(machine, name) for name in FITTED if hasattr(machine, name)}
    held = {name: value for name, value in vars(machine).items() if name != "_fitted"}
    return copy.deepcopy({**held, **learned})


def assert_same(machine: Any, before: dict[str, Any]) -> None:
    now = snapshot(machine)
    assert now.keys() == before.keys()
    for name, value in before.items():
        if name == "model_":
            assert_same_model(now[name], value)
        elif isinstance(value, np.ndarray):
            np.testing.assert_array_equal(now[name], value)
        elif name == "booleanizer_" and value is not None:
            np.testing.assert_equal(now[name].to_state(), value.to_state())
        elif isinstance(value, Booleanizer):
            np.testing.assert_equal(now[name].get_params(), value.get_params())
        elif isinstance(value, np.random.Generator):
            assert now[name].bit_generator.state == value.bit_generator.state
        else:
            np.testing.assert_equal(now[name], value, name)


def assert_same_model(a: Any, b: Any) -> None:
    for name in ("states", "updates", "steps", "weights", "banks"):
        np.testing.assert_array_equal(getattr(a.memory, name), getattr(b.memory, name))
    assert (a.settings, a.head, a.epochs, a.samples, a.ledger) == (b.settings, b.head, b.epochs, b.samples, b.ledger)
