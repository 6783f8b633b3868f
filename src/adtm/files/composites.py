"""Composites in a model file: one part after the other, each a machine and the features of its own that it reads.

A part is a machine, or a pipeline of a machine behind an ``ImageBooleanizer`` or a union of some, or behind a reader of
text (``texts``). Other steps of scikit-learn's have no form that could be read without trust, so they are refused. What
a machine is in a file is ``modelfile``'s to know.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import FeatureUnion, Pipeline

from adtm.files.texts import is_reader, plain_reader, read_reader
from adtm.learning.composite import Composite, machine_of
from adtm.learning.estimator import fitted_of, restored
from adtm.tables.image_booleanizer import ImageBooleanizer
from adtm.validation import check_keys

Tensors = dict[str, NDArray[Any]]
_PART_KEYS = {"name", "range", "steps", "pictures", "named", "machine"}


def plain_composite(
    composite: Composite, plain_machine: Callable[[Any], tuple[dict[str, Any], Tensors]]
) -> tuple[dict[str, Any], Tensors]:
    """A fitted composite as the head and the arrays of a model file."""
    parts: list[dict[str, Any]] = []
    tensors: Tensors = {}
    for k, (name, part) in enumerate(composite.parts_):
        steps = part.steps if isinstance(part, Pipeline) else [(None, part)]
        before = [step for _, step in steps[:-1]]
        text = plain_reader(before) if is_reader(before) else None
        if text is None and len(before) > 1:
            raise ValueError(f"part {name!r} must have at most one step before its machine to be saved")
        if isinstance(steps[-1][1], Composite):
            raise ValueError(f"part {name!r} must be a machine to be saved, got a composite: list its parts instead")
        head, own = plain_machine(steps[-1][1])
        pictures = _plain_pictures(name, before[0]) if before and text is None else None
        named = head["feature_names_in"] is not None
        if pictures is not None:
            head["feature_names_in"] = None  # those of the pictures' features
        tensors |= {f"{k}.{each}": values for each, values in own.items()}
        said = [step for step, _ in steps[:1] + steps[1:][-1:]] if isinstance(part, Pipeline) else None
        row = {"name": name, "range": composite.ranges_[name], "steps": said, **({"text": text} if text else {})}
        parts.append({**row, "pictures": pictures, "named": named, "machine": head})
    return {"estimator": "Composite", "parts": parts}, tensors


def _plain_pictures(name: str, step: Any) -> list[Any]:
    """The booleanizers of a step: their names in a union, or null for one alone, and their states."""
    union = type(step) is FeatureUnion and not step.transformer_weights
    each = step.transformer_list if union else [(None, step)]
    if not all(type(booleanizer) is ImageBooleanizer for _, booleanizer in each):
        raise ValueError(
            f"part {name!r} must be a machine, or have an ImageBooleanizer, a union of some or a CountVectorizer "
            f"before it to be saved, got {type(step).__name__}"
        )
    return [[label, booleanizer.to_state()] for label, booleanizer in each]


def read_composite(
    head: dict[str, Any], tensors: Tensors, read_machine: Callable[[dict[str, Any], Tensors], Any]
) -> Composite:
    """The composite of a model file; every value is checked."""
    check_keys(head, {"estimator", "parts"}, "the head")
    rows = head["parts"]
    if not isinstance(rows, list) or not rows:
        raise ValueError(f"parts must be a list of at least one part, got {rows!r:.80}")
    parts, ranges = [], {}
    for k, row in enumerate(rows):
        check_keys(row, _PART_KEYS, "a part", maybe={"text"})
        own = {name.partition(".")[2]: tensors.pop(name) for name in list(tensors) if name.startswith(f"{k}.")}
        name, width = row["name"], row["range"]
        if type(name) is not str or name in ranges:
            raise ValueError(f"the names of parts must be different strings, got {name!r:.80}")
        if type(width) is not float or not 0 < width < math.inf:
            raise ValueError(f"range must be a number above 0, got {width!r:.80}")
        ranges[name] = width
        parts.append((name, _read_part(row, own, read_machine)))
    if tensors:
        raise ValueError(f"the file must have no further tensors, got {sorted(tensors)!r:.80}")
    machines = [machine_of(part) for _, part in parts]
    if any(not np.array_equal(machine.classes_, machines[0].classes_) for machine in machines):
        raise ValueError("all parts must know the same classes")
    composite = Composite([(name, clone(part)) for name, part in parts])
    composite.parts_, composite.ranges_, composite.classes_ = parts, ranges, machines[0].classes_
    return composite


def _read_part(row: dict[str, Any], tensors: Tensors, read_machine: Callable[[dict[str, Any], Tensors], Any]) -> Any:
    steps, pictures, text = row["steps"], row["pictures"], row.get("text")
    if not isinstance(row["machine"], dict) or row["machine"].get("estimator") == "Composite":
        raise ValueError("a part must have a machine")
    machine = read_machine(row["machine"], tensors)
    if not hasattr(machine, "classes_"):
        raise ValueError("a part must be a classifier")
    own = [each for each in (pictures, text) if each is not None]
    if steps is None and not own:
        return machine
    if len(own) > 1 or not isinstance(steps, list) or len(steps) != 1 + len(own):
        raise ValueError(f"steps must name a machine, and pictures or text before it if it has any, got {steps!r:.80}")
    n_features = fitted_of(machine).columns.n_features_in
    if text is not None:
        return Pipeline([(steps[0], read_reader(text, n_features)), (steps[1], machine)])
    if pictures is None:
        return Pipeline([(steps[0], machine)])
    step, names = _read_pictures(pictures, n_features)
    if row["named"] is True:
        fitted = fitted_of(machine)
        machine = restored(machine, replace(fitted, columns=replace(fitted.columns, names=names)))
    return Pipeline([(steps[0], step), (steps[1], machine)])


def _read_pictures(plain: Any, n_features: int) -> tuple[Any, NDArray[np.object_]]:
    """The step of a pipeline, which must give so many features, and their names."""
    if not isinstance(plain, list) or not plain or not all(isinstance(row, list) and len(row) == 2 for row in plain):
        raise ValueError(f"pictures must be a list of names and states, got {plain!r:.80}")
    found, left = [], n_features
    for label, state in plain:
        found.append((label, ImageBooleanizer.from_state(state, most_features=left)))
        left -= found[-1][1].n_features_out_
    if left:
        raise ValueError(f"the machine reads {n_features} features, pictures give {n_features - left}")
    names = np.concatenate([booleanizer.get_feature_names_out() for _, booleanizer in found])
    if found[0][0] is None and len(found) == 1:
        return found[0][1], names
    if not all(type(label) is str for label, _ in found):
        raise ValueError("the booleanizers of a union must have names")
    return FeatureUnion(found), names
