"""What is stored of columns, read without trust and without NumPy: booleanizers and predictors are made of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

#: What is stored of a column of each kind, besides the kind and whether missing values have a bit.
_STORED = {"numeric": {"n_thresholds"}, "boolean": set(), "category": {"categories"}}


def fields_of(states: Any, thresholds: Sequence[float], names: Sequence[str] | None) -> Iterator[dict[str, Any]]:
    """The fields of one column after the other, by the names that ``Column`` has for them.

    ``thresholds`` are those of all columns, which must use them up. Without names they are x0, x1, ...
    """
    if not isinstance(states, (list, tuple)) or not states:
        raise ValueError(f"columns must be a list of at least one column, got {states!r:.80}")
    if names is not None and len(names) != len(states):
        raise ValueError(f"feature_names_in must have {len(states)} names, got {len(names)}")
    used = 0
    for j, state in enumerate(states):
        _check_state(state, f"column {j}")
        fields = {"name": f"x{j}" if names is None else names[j], "kind": state["kind"], "missing": state["missing"]}
        if state["kind"] == "numeric":
            fields["thresholds"] = _thresholds(state["n_thresholds"], thresholds, used, f"column {j}")
            used += len(fields["thresholds"])
        if state["kind"] == "category":
            fields["categories"] = _categories(state["categories"], f"column {j}")
        yield fields
    if used != len(thresholds):
        raise ValueError(f"the columns must use all {len(thresholds)} thresholds, they use {used}")


def _check_state(state: Any, where: str) -> None:
    if not isinstance(state, Mapping) or state.get("kind") not in tuple(_STORED):
        raise ValueError(f"{where} must be a mapping with a kind out of {tuple(_STORED)}, got {state!r:.80}")
    extra = _STORED[state["kind"]]
    if set(state) != {"kind", "missing"} | extra:
        raise ValueError(f"{where} must have the keys kind, missing {' '.join(extra)}, got {sorted(map(str, state))}")
    if type(state["missing"]) is not bool:
        raise ValueError(f"{where}: missing must be true or false, got {state['missing']!r:.80}")


def _thresholds(count: Any, thresholds: Sequence[float], used: int, where: str) -> tuple[float, ...]:
    """So many thresholds of a column, the first that no column before it has."""
    n_left = len(thresholds) - used
    if type(count) is not int or not 0 <= count <= n_left:
        raise ValueError(f"{where}: n_thresholds must be 0 to {n_left}, got {count!r:.80}")
    own = tuple(thresholds[used : used + count])
    if not all(map(math.isfinite, own)) or not all(low < high for low, high in pairwise(own)):
        raise ValueError(f"{where}: thresholds must be finite and ascending")
    return own


def _categories(categories: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(categories, (list, tuple)):
        raise ValueError(f"{where}: categories must be a list, got {type(categories).__name__}")
    for category in categories:
        if type(category) not in (str, bool, int, float) or (type(category) is float and not math.isfinite(category)):
            raise ValueError(f"{where}: a category must be a string, Boolean or finite number, got {category!r:.80}")
    if len(set(categories)) != len(categories) or len(categories) == 1:
        raise ValueError(f"{where}: categories must be none or at least 2 and all different, got {categories!r:.80}")
    return tuple(categories)
