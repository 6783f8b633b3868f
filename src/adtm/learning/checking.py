"""Checks of single parameters, by what their rows in ``parameters`` say that they may be.

An error names the parameter, what was expected and what came.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import singledispatch
from typing import Any

import numpy as np

from adtm.learning.parameters import (
    Choice,
    Flag,
    Fraction,
    Machine,
    Parameter,
    Real,
    Special,
    Spread,
    Values,
    Whole,
    rows_of,
)
from adtm.machine.backends import get_backend
from adtm.tables.booleanizer import Booleanizer
from adtm.validation import (
    check_choice,
    check_determinism,
    check_flag,
    check_fraction,
    check_real,
    check_seed,
    check_spread,
    check_verbosity,
    check_whole,
    is_auto,
)

__all__ = ["checked", "checked_all"]


def checked_all(machine: Machine, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a machine's parameters to work with."""
    return {name: checked(row, given[name]) for name, row in rows_of(machine).items()}


def checked(row: Parameter, value: Any) -> Any:
    """The value to work with, of one parameter."""
    takes = row.takes
    if (takes.none and value is None) or (takes.auto and is_auto(value)):
        return value
    return _check(takes, row.name, value)


@singledispatch
def _check(takes: Values, name: str, value: Any) -> Any:
    raise NotImplementedError(f"{name}, {takes}")


@_check.register
def _(takes: Whole, name: str, value: Any) -> int:
    return check_whole(name, value, low=takes.low, high=takes.high, instead=_instead(takes))


@_check.register
def _(takes: Real, name: str, value: Any) -> float:
    return check_real(name, value, low=takes.low)


@_check.register
def _(takes: Fraction, name: str, value: Any) -> float:
    return check_fraction(name, value, whole=takes.whole)


@_check.register
def _(takes: Flag, name: str, value: Any) -> bool:
    return check_flag(name, value)


@_check.register
def _(takes: Choice, name: str, value: Any) -> Any:
    return check_choice(name, value, takes.choices)


@_check.register
def _(takes: Spread, name: str, value: Any) -> float | tuple[float, float]:
    if isinstance(takes.each, Whole) and isinstance(value, float) and value % 1:
        raise ValueError(f"{name} must be a whole number (TMClassifier takes fractions too), got {value!r}")
    return check_spread(name, value, lambda each: _check(takes.each, name, each))


@_check.register
def _(takes: Special, name: str, value: Any) -> Any:
    return _SPECIAL[name](name, value)


def _instead(takes: Values) -> str:
    return " or ".join(["None"] * takes.none + ["'auto'"] * takes.auto)


def _jobs(name: str, value: Any) -> int | None:
    if value is None:
        return None
    if check_whole(name, value, low=-(2**15), high=2**15) == 0:
        raise ValueError(f"{name} must be None, a whole number >= 1, or negative to count from all cores, got 0")
    return int(value)


def _random_state(name: str, value: Any) -> Any:
    """Nothing is drawn from a generator here."""
    del name
    if not isinstance(value, (np.random.Generator, np.random.RandomState)):
        check_seed(value)
    return value


def _booleanizer(name: str, value: Any) -> Any:
    if isinstance(value, Booleanizer):
        value.check_parameters()
    elif value is not None and not is_auto(value):
        raise ValueError(f"{name} must be 'auto', None or a Booleanizer, got {value!r}")
    return value


def _class_weight(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {label: check_real(f"{name} of {label!r}", weight, low=0) for label, weight in value.items()}
    if value is not None and not (isinstance(value, str) and value == "balanced"):
        raise ValueError(f"{name} must be a dict, 'balanced' or None, got {value!r:.80}")
    return value


def _with_the_view(name: str, value: Any) -> Any:
    """Checked where all of patch, stride and image_shape are known (``View``)."""
    del name
    return value


_SPECIAL: dict[str, Callable[[str, Any], Any]] = {
    "d": lambda _, value: check_determinism(value),
    "booleanizer": _booleanizer,
    "n_jobs": _jobs,
    "backend": lambda _, value: get_backend(value),
    "random_state": _random_state,
    "verbose": lambda _, value: check_verbosity(value),
    "patch": _with_the_view,
    "stride": _with_the_view,
    "image_shape": _with_the_view,
    "class_weight": _class_weight,
}
