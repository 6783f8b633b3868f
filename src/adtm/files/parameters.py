"""The parameters of an estimator as JSON, and back.

What a running program chooses for itself is not stored. What a parameter may be, the estimator checks itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from adtm.learning.checking import checked
from adtm.learning.estimator import parameters_of
from adtm.learning.parameters import ABSENT, Machine, rows_of
from adtm.learning.thresholds import AdaptiveBooleanizer, booleanizer_of
from adtm.tables.booleanizer import Booleanizer
from adtm.tables.values import plain_category
from adtm.validation import check_keys, is_auto

#: Parameters that may be several numbers.
_SEVERAL = frozenset({"s", "patch", "stride", "image_shape"})


def plain_parameters(estimator: Any) -> dict[str, Any]:
    """Constructor parameters as JSON, but for those of the program; a generator becomes None, its seed is kept."""
    machine, given = parameters_of(estimator)
    if isinstance(given["random_state"], (np.random.Generator, np.random.RandomState)):
        given["random_state"] = None
    return plain_values({name: given[name] for name, row in rows_of(machine).items() if row.stored})


def plain_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Checked values of parameters as JSON."""
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: Any) -> Any:
    """A checked parameter as JSON: any number that passed its check as int or float."""
    if type(value) in (Booleanizer, AdaptiveBooleanizer):  # what a subclass adds would be lost
        return {name: _plain(inner) for name, inner in value.get_params().items()}
    if isinstance(value, Mapping):  # JSON has only texts as keys, labels may be numbers
        return [[_plain(key), _plain(inner)] for key, inner in value.items()]
    if isinstance(value, (tuple, list)):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, str):
        return None if value is None else plain_category(value)
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return "inf" if value == math.inf else float(value)
    raise ValueError(
        f"parameters must be numbers, strings, Booleans, None or a Booleanizer of adtm to be saved, got {value!r:.80}"
    )


def read_parameters(plain: Any, machine: Machine) -> dict[str, Any]:
    """What to construct such an estimator with. A file from before a parameter existed means the paper's machine."""
    rows = {name: row for name, row in rows_of(machine).items() if row.stored}
    check_keys(plain, set(), "parameters", maybe=set(rows))
    older = {name: row.defaults[machine] if row.paper is ABSENT else row.paper for name, row in rows.items()}
    return {**older, **{name: _value(name, value) for name, value in plain.items()}}


def read_chosen(plain: Any, given: Mapping[str, Any], machine: Machine) -> dict[str, Any]:
    """What was decided for parameters that are ``"auto"``; each must be a value that the parameter may have."""
    rows = rows_of(machine)
    check_keys(plain, set(), "chosen", maybe={name for name, value in given.items() if is_auto(value)})
    values = {name: _value(name, value) for name, value in plain.items()}
    for name, value in values.items():
        if is_auto(checked(rows[name], value)):
            raise ValueError(f"chosen must say what {name} is, got 'auto'")
    return values


def _value(name: str, plain: Any) -> Any:
    """One parameter from JSON; what it may be, the estimator checks itself."""
    if name == "class_weight" and isinstance(plain, list):
        return _class_weight(plain)
    if name == "booleanizer" and isinstance(plain, dict):
        check_keys(plain, {"max_bits", "missing"}, "parameter booleanizer", maybe={"rounds", "seed"})
        return booleanizer_of(plain)
    if name in _SEVERAL and isinstance(plain, list):
        return tuple(plain)
    if isinstance(plain, (dict, list)):
        raise ValueError(f"parameter {name} must be a number, string, true, false or null, got {plain!r:.80}")
    return math.inf if isinstance(plain, str) and plain == "inf" else plain


def _class_weight(plain: list[Any]) -> dict[Any, Any]:
    if not all(isinstance(pair, list) and len(pair) == 2 and not isinstance(pair[0], (dict, list)) for pair in plain):
        raise ValueError(f"parameter class_weight must be a list of pairs, got {plain!r:.80}")
    return dict(plain)
