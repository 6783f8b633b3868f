"""The parameters of an estimator as JSON, and back.

What a running program chooses for itself is not stored. What a parameter may be, the estimator checks itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from adtm.tables.booleanizer import Booleanizer
from adtm.validation import check_keys

__all__ = ["plain_parameters", "read_parameters"]

#: Parameters that a running program chooses for itself: not stored, and not asked of a file that has them.
_OF_THE_PROGRAM = frozenset({"backend", "n_jobs", "verbose"})
#: What a parameter meant before it existed: files that lack it are read so, whatever its default has become since.
_BEFORE = {
    "weak": "every",
    "selection": "random",
    "other_class": "random",
    "start": "random",
    "silence": "paper",
    "tolerance": 0,
    "max_literals": None,
    "n_other_classes": 1,
    "early_stopping": False,
    "validation_fraction": 0.1,
    "n_iter_no_change": 10,
    "class_weight": None,
    "probability": "shares",
    "weights": "fixed",
    "shared": False,
    "patch": None,
    "stride": 1,
    "image_shape": None,
}
#: Parameters that may be several numbers.
_SEVERAL = frozenset({"s", "patch", "stride", "image_shape"})


def plain_parameters(estimator: Any) -> dict[str, Any]:
    """Constructor parameters as JSON, but for those of the program; a generator becomes None, its seed is kept."""
    parameters = {k: v for k, v in estimator.get_params(deep=False).items() if k not in _OF_THE_PROGRAM}
    if isinstance(parameters["random_state"], (np.random.Generator, np.random.RandomState)):
        parameters["random_state"] = None
    return {name: _plain(value) for name, value in parameters.items()}


def _plain(value: Any) -> Any:
    """A checked parameter as JSON: any number that passed its check as int or float."""
    if isinstance(value, Booleanizer):
        return {name: _plain(inner) for name, inner in value.get_params().items()}
    if isinstance(value, Mapping):  # JSON has only texts as keys, labels may be numbers
        return [[_plain(key), _plain(inner)] for key, inner in value.items()]
    if isinstance(value, (tuple, list)):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, str):
        return None if value is None else str(value)
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return "inf" if value == math.inf else float(value)
    raise ValueError(f"parameters must be numbers, strings, Booleans or None to be saved, got {value!r:.80}")


def read_parameters(plain: Any, estimator: type[Any]) -> dict[str, Any]:
    """What to construct such an estimator with."""
    known = set(estimator().get_params(deep=False)) - _OF_THE_PROGRAM
    check_keys(plain, known - set(_BEFORE), "parameters", maybe=known | _OF_THE_PROGRAM)
    before = {key: value for key, value in _BEFORE.items() if key in known}
    found = {**before, **{key: value for key, value in plain.items() if key not in _OF_THE_PROGRAM}}
    if isinstance(found.get("class_weight"), list):
        found["class_weight"] = _class_weight(found["class_weight"])
    for key, value in found.items():
        if isinstance(value, list) and key in _SEVERAL:
            found[key] = tuple(value)
        elif isinstance(value, (dict, list)) and key not in ("booleanizer", "class_weight"):
            raise ValueError(f"parameter {key} must be a number, string, true, false or null, got {value!r:.80}")
    if isinstance(found["booleanizer"], dict):
        check_keys(found["booleanizer"], {"max_bits", "missing"}, "parameter booleanizer")
        found["booleanizer"] = Booleanizer(**found["booleanizer"])
    return {key: math.inf if isinstance(value, str) and value == "inf" else value for key, value in found.items()}


def _class_weight(plain: list[Any]) -> dict[Any, Any]:
    if not all(isinstance(pair, list) and len(pair) == 2 and not isinstance(pair[0], (dict, list)) for pair in plain):
        raise ValueError(f"parameter class_weight must be a list of pairs, got {plain!r:.80}")
    return dict(plain)
