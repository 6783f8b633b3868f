"""Small machines and tables for tests of the estimators, and the comparison of all that an estimator holds."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from adtm import ADTMClassifier, Booleanizer
from pinned import named

NUMBERS = np.random.default_rng(0).integers(0, 4, (60, 3))
LABELS = (NUMBERS[:, 0] > NUMBERS[:, 1]).astype(int)
SECONDS = 60  # no test of threads waits longer


def small(machine: type = ADTMClassifier, **parameters: Any) -> Any:
    return named(machine, **{"n_clauses": 20, "epochs": 4, "random_state": 5, **parameters})


def whole(machine: Any) -> tuple:
    """What must fit together: states, clocks, steps, epochs, samples and counts of the model."""
    model = machine.model_
    parts = (model.memory.states, model.memory.updates, model.memory.steps)
    return (*(part.tobytes() for part in parts), model.epochs, model.samples, model.ledger)


def snapshot(machine: Any) -> dict[str, Any]:
    """All that an estimator holds, by value."""
    return copy.deepcopy(vars(machine))


def assert_same(machine: Any, before: dict[str, Any]) -> None:
    now = snapshot(machine)
    assert now.keys() == before.keys()
    for name, value in before.items():
        if name == "model_":
            assert_same_model(now[name], value)
        elif isinstance(value, np.ndarray):
            np.testing.assert_array_equal(now[name], value)
        elif isinstance(value, Booleanizer):
            ask = (
                Booleanizer.get_params if name == "booleanizer" else Booleanizer.to_state
            )  # the parameter, the fitted one
            np.testing.assert_equal(ask(now[name]), ask(value))
        elif isinstance(value, np.random.Generator):
            assert now[name].bit_generator.state == value.bit_generator.state
        else:
            np.testing.assert_equal(now[name], value, name)


def assert_same_model(a: Any, b: Any) -> None:
    for name in ("states", "updates", "steps", "weights", "banks"):
        np.testing.assert_array_equal(getattr(a.memory, name), getattr(b.memory, name))
    assert (a.settings, a.head, a.epochs, a.samples, a.ledger) == (b.settings, b.head, b.epochs, b.samples, b.ledger)
