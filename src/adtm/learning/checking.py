"""Checks of single parameters, by what their rows in ``parameters`` say that they may be.

An error names the parameter, what was expected and what came.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from adtm import validation
from adtm.learning import parameters
from adtm.learning.parameters import Machine, Parameter, rows_of
from adtm.machine.backends import get_backend
from adtm.tables.booleanizer import Booleanizer


def checked_all(machine: Machine, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a machine's parameters to work with."""
    return {name: checked(row, given[name]) for name, row in rows_of(machine).items()}


def checked(row: Parameter, value: Any) -> Any:
    """The value to work with, of one parameter."""
    takes = row.takes
    if (takes.none and value is None) or (takes.auto and validation.is_auto(value)):
        return value
    return _CHECKS[type(takes)](takes, row.name, value)


def _whole(takes: parameters.Whole, name: str, value: Any) -> int:
    instead = " or ".join(["None"] * takes.none + ["'auto'"] * takes.auto)
    return validation.check_whole(name, value, low=takes.low, high=takes.high, instead=instead)


def _spread(takes: parameters.Spread, name: str, value: Any) -> float | tuple[float, float]:
    if isinstance(takes.each, parameters.Whole) and isinstance(value, float) and value % 1:
        raise ValueError(f"{name} must be a whole number (TMClassifier takes fractions too), got {value!r}")
    return validation.check_spread(name, value, lambda each: _CHECKS[type(takes.each)](takes.each, name, each))


def _random_state(name: str, value: Any) -> Any:
    """Nothing is drawn from a generator here."""
    del name
    if not isinstance(value, (np.random.Generator, np.random.RandomState)):
        validation.check_seed(value)
    return value


def _booleanizer(name: str, value: Any) -> Any:
    if isinstance(value, Booleanizer):
        value.check_parameters()
    elif value is not None and not validation.is_auto(value):
        raise ValueError(f"{name} must be 'auto', None or a Booleanizer, got {value!r}")
    return value


def _class_weight(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {label: validation.check_real(f"{name} of {label!r}", weight, low=0) for label, weight in value.items()}
    if value is not None and not (isinstance(value, str) and value == "balanced"):
        raise ValueError(f"{name} must be a dict, 'balanced' or None, got {value!r:.80}")
    return value


_CHECKS: dict[type, Callable[[Any, str, Any], Any]] = {
    parameters.Whole: _whole,
    parameters.Real: lambda takes, name, value: validation.check_real(name, value, low=takes.low),
    parameters.Fraction: lambda takes, name, value: validation.check_fraction(name, value, whole=takes.whole),
    parameters.Flag: lambda _, name, value: validation.check_flag(name, value),
    parameters.Choice: lambda takes, name, value: validation.check_choice(name, value, takes.choices),
    parameters.Spread: _spread,
    parameters.Special: lambda _, name, value: _SPECIAL[name](name, value),
}
_SPECIAL: dict[str, Callable[[str, Any], Any]] = {
    "d": lambda _, value: validation.check_determinism(value),
    "booleanizer": _booleanizer,
    "n_jobs": lambda _, value: validation.check_jobs(value),
    "backend": lambda _, value: get_backend(value),
    "random_state": _random_state,
    "verbose": lambda _, value: validation.check_verbosity(value),
    "class_weight": _class_weight,
    # Checked where all three are known (``View``).
    **dict.fromkeys(("patch", "stride", "image_shape"), lambda _, value: value),
}
