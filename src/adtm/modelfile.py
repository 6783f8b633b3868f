"""Model files: one safetensors file holds a fitted estimator. Loading executes nothing and trusts nothing.

The tensors are the machine's memory and the booleanizer's thresholds; everything else is one JSON text, the head, under
the metadata key ``adtm``, with a format version and a SHA-256 of all the rest. Sizes and types are compared with each
other, and with the file's own length, before anything is allocated from them.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as serialize

from adtm.booleanizer import Booleanizer
from adtm.estimators import ADTMClassifier, TMClassifier
from adtm.heads import Head, class_head
from adtm.ledger import Ledger
from adtm.machine import Memory, Settings
from adtm.model import EpochRecord, Model

__all__ = ["FORMAT_VERSION", "load", "save"]

FORMAT_VERSION = 2
_ADDED = {2: {"weak", "selection", "other_class", "start"}}  # parameters that files of older formats do not have
_KEY = "adtm"
_ESTIMATORS: dict[str, type[Any]] = {"ADTMClassifier": ADTMClassifier, "TMClassifier": TMClassifier}
_LABEL_KINDS = {"b": bool, "i": int, "u": int, "f": float, "U": str}
_LABEL_DTYPE = re.compile(r"[<>|](b1|[iu][1248]|f[248]|U\d{1,9})")
_HEAD_KEYS = {
    "format",
    "estimator",
    "parameters",
    "seed",
    "epochs",
    "samples",
    "ledger",
    "history",
    "classes",
    "n_features_in",
    "feature_names_in",
    "booleanizer",
    "sha256",
}


# ---- writing ---------------------------------------------------------------------------------------------------------


def save(estimator: Any, path: str | Path) -> None:
    """Write a fitted estimator; the same model gives the same bytes."""
    if _ESTIMATORS.get(type(estimator).__name__) is not type(estimator):
        raise ValueError(f"only {' and '.join(_ESTIMATORS)} can be saved, got {type(estimator).__name__}")
    target = Path(path)
    if target.is_dir() or not target.parent.is_dir():
        raise FileNotFoundError(f"path must name a file in a directory that exists, got {str(path)!r}")
    model: Model = estimator.model_
    if estimator.check_parameters(model.settings.seed) != model.settings:
        raise ValueError(
            f"parameters must be those of the last fit or partial_fit to be saved, got {estimator!r} after a fit with "
            f"{model.settings!r}"
        )
    tensors: dict[str, NDArray[Any]] = {
        "states": model.memory.states,
        "updates": model.memory.updates,
        "steps": model.memory.steps,
    }
    booleanizer = None
    if estimator.booleanizer_ is not None:
        booleanizer = estimator.booleanizer_.to_state()
        tensors["thresholds"] = booleanizer.pop("thresholds")
    tensors = {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}
    head = {
        "format": FORMAT_VERSION,
        "estimator": type(estimator).__name__,
        "parameters": _plain_parameters(estimator),
        "seed": model.settings.seed,
        "epochs": model.epochs,
        "samples": model.samples,
        "ledger": model.ledger.as_dict(),
        "history": [asdict(record) for record in estimator.history_],
        "classes": _plain_labels(estimator.classes_),
        "n_features_in": estimator.n_features_in_,
        "feature_names_in": _plain_names(estimator),
        "booleanizer": booleanizer,
    }
    text = _json({**head, "sha256": _digest(head, tensors)})
    partial = target.with_name(target.name + ".partial")
    try:
        # One metadata key: safetensors does not keep the order of several. Its own save_file hides files from others.
        partial.write_bytes(serialize(tensors, metadata={_KEY: text}))
        partial.replace(target)  # a reader never meets half a file
    finally:
        partial.unlink(missing_ok=True)


def _plain_parameters(estimator: Any) -> dict[str, Any]:
    """Constructor parameters as JSON; what is not needed to go on (a generator, a backend) becomes its default."""
    plain: dict[str, Any] = {}
    for name, value in estimator.get_params(deep=False).items():
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, Booleanizer):
            state = value.get_params()
            plain[name] = {key: v.item() if isinstance(v, np.generic) else v for key, v in state.items()}
        elif isinstance(value, float) and value == math.inf:
            plain[name] = "inf"
        elif value is None or isinstance(value, (bool, int, float, str)):
            plain[name] = value
        else:
            plain[name] = {"random_state": None, "backend": "auto"}[name]  # the seed itself is kept apart
    return plain


def _plain_labels(classes: NDArray[Any]) -> dict[str, Any]:
    if classes.dtype.kind == "O" and all(type(label) is str for label in classes):
        return {"dtype": "object", "values": classes.tolist()}
    if not _LABEL_DTYPE.fullmatch(classes.dtype.str):
        raise ValueError(f"labels must be numbers, Booleans or strings to be saved, got dtype {classes.dtype}")
    return {"dtype": classes.dtype.str, "values": classes.tolist()}


def _plain_names(estimator: Any) -> list[str] | None:
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def _json(head: dict[str, Any]) -> str:
    return json.dumps(head, sort_keys=True, allow_nan=False)


def _digest(head: dict[str, Any], tensors: dict[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256(_json(head).encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"\n{name} {tensor.dtype.str} {tensor.shape}\n".encode())
        digest.update(tensor.data)
    return digest.hexdigest()


# ---- reading ---------------------------------------------------------------------------------------------------------


def load(path: str | Path) -> Any:
    """Read an estimator that ``save`` wrote.

    Nothing in the file is executed. A truncated, altered or foreign file is refused with a ``ValueError``.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    ADTMClassifier or TMClassifier
        Fitted; predicts as the saved one did and goes on learning where it stopped.

    Examples
    --------
    >>> import adtm, tempfile, pathlib
    >>> machine = adtm.ADTMClassifier(epochs=2, random_state=0).fit([[0], [1], [2], [3]], list("aabb"))
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "machine.safetensors"
    >>> machine.save(path)
    >>> adtm.load(path).predict([[0], [3]]).tolist() == machine.predict([[0], [3]]).tolist()
    True
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no model file at {str(path)!r}")
    try:
        with safe_open(path, framework="numpy") as file:  # checks every offset against the file's length
            return _read(file)
    except (SafetensorError, OSError) as error:
        raise ValueError(f"{str(path)!r} is damaged, or no model file at all: {error}") from error
    except (LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, ValueError) as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"{str(path)!r} is not a model file that can be read: {why}") from error


def _read(file: Any) -> Any:
    head = _read_head(file)
    sha256 = head.pop("sha256")
    estimator = _ESTIMATORS[head["estimator"]](**_parameters(head["parameters"], head["estimator"], head["format"]))
    settings = estimator.check_parameters(_whole(head["seed"], "seed", high=2**64))
    classes = _labels(head["classes"])
    machine_head = class_head(len(classes))
    shape = _check_tensors(file, settings, machine_head, thresholds=head["booleanizer"] is not None)
    n_features_in = _whole(head["n_features_in"], "n_features_in")
    names = _names(head["feature_names_in"], n_features_in)
    if head["booleanizer"] is None and shape[2] != 2 * n_features_in:
        raise ValueError(f"states are for {shape[2]} literals, but {n_features_in} features have {2 * n_features_in}")

    tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    if _digest(head, tensors) != sha256:
        raise ValueError("its contents do not match its checksum")
    memory = Memory.whole(tensors["states"], tensors["updates"], tensors["steps"], n_outputs=machine_head.n_outputs)
    _check_memory(memory, n_states=settings.n_states)
    booleanizer = None
    if head["booleanizer"] is not None:
        booleanizer = Booleanizer.from_state({**head["booleanizer"], "thresholds": tensors["thresholds"]})
        if (booleanizer.n_features_in_, 2 * booleanizer.n_bits_) != (n_features_in, shape[2]):
            raise ValueError(f"states are for {shape[2]} literals, the booleanizer makes {2 * booleanizer.n_bits_}")
        if head["booleanizer"]["feature_names_in"] != head["feature_names_in"]:
            raise ValueError("feature_names_in must be the booleanizer's, got others")

    estimator.model_ = Model(
        settings,
        machine_head,
        memory,
        epochs=_whole(head["epochs"], "epochs"),
        samples=_whole(head["samples"], "samples"),
        ledger=_ledger(head["ledger"]),
    )
    estimator.classes_ = classes
    estimator.booleanizer_ = booleanizer
    estimator.n_features_in_ = n_features_in
    if names is not None:
        estimator.feature_names_in_ = names
    estimator.history_ = [_record(plain) for plain in head["history"]]
    return estimator


def _read_head(file: Any) -> dict[str, Any]:
    metadata = file.metadata() or {}
    if _KEY not in metadata:
        raise ValueError("it was not written by adtm")
    head = json.loads(metadata[_KEY])
    if not isinstance(head, dict) or type(head.get("format")) is not int or not 1 <= head["format"] <= FORMAT_VERSION:
        found = head.get("format") if isinstance(head, dict) else head
        raise ValueError(f"format version must be in 1..{FORMAT_VERSION}, got {found!r:.80}")
    _check_keys(head, _HEAD_KEYS, "the head")
    return head


def _check_keys(plain: Any, expected: set[str], what: str) -> None:
    if not isinstance(plain, dict) or set(plain) != expected:
        found = sorted(plain) if isinstance(plain, dict) else plain
        raise ValueError(f"{what} must have the keys {sorted(expected)}, got {found!r:.200}")


def _parameters(plain: Any, name: str, version: int) -> dict[str, Any]:
    unknown = {parameter for since, added in _ADDED.items() if version < since for parameter in added}
    _check_keys(plain, set(_ESTIMATORS[name]().get_params(deep=False)) - unknown, "parameters")
    parameters = dict(plain)
    if isinstance(plain["booleanizer"], dict):
        _check_keys(plain["booleanizer"], {"max_bits", "missing"}, "parameter booleanizer")
        parameters["booleanizer"] = Booleanizer(**plain["booleanizer"])
    for key, value in plain.items():
        if isinstance(value, (dict, list)) and key != "booleanizer":
            raise ValueError(f"parameter {key} must be a number, string, true, false or null, got {value!r:.80}")
    return {key: math.inf if value == "inf" else value for key, value in parameters.items()}


def _labels(plain: Any) -> NDArray[Any]:
    _check_keys(plain, {"dtype", "values"}, "classes")
    name, values = plain["dtype"], plain["values"]
    if name != "object" and not (isinstance(name, str) and _LABEL_DTYPE.fullmatch(name)):
        raise ValueError(f"labels must be numbers, Booleans or strings, got dtype {name!r:.80}")
    dtype = np.dtype(name)
    kind: type = str if name == "object" else _LABEL_KINDS[dtype.kind]
    if not isinstance(values, list) or not 2 <= len(values) <= 65536 or not all(type(v) is kind for v in values):
        raise ValueError(f"labels must be a list of 2..65536 {kind.__name__}, got {values!r:.80}")
    if dtype.kind == "U" and dtype.itemsize > 4 * max(map(len, values)):
        raise ValueError(f"labels of dtype {name} must be as long as that, got {values!r:.80}")
    with np.errstate(over="raise"):
        classes = np.array(values, dtype=dtype)
    if not np.array_equal(np.unique(classes), classes) or classes.tolist() != values:
        raise ValueError(f"labels must be sorted, distinct and of dtype {name}, got {values!r:.80}")
    return classes


def _check_tensors(file: Any, settings: Settings, machine_head: Head, *, thresholds: bool) -> tuple[int, ...]:
    """Compare names, types and shapes with what the head says, before a byte is read; returns the states' shape."""
    n_banks = machine_head.n_banks
    found = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118
    _check_keys(found, {"states", "updates", "steps"} | ({"thresholds"} if thresholds else set()), "the file")
    shapes = {name: tuple(part.get_shape()) for name, part in found.items()}
    n_literals = shapes["states"][-1] if shapes["states"] else 0
    if n_literals < 2 or n_literals % 2:
        raise ValueError(f"states must have an even number of literals, got shape {shapes['states']}")
    states = "U8" if settings.state_dtype is np.uint8 else "U16"
    expected = {
        "states": (states, (n_banks, settings.n_clauses, n_literals)),
        "updates": ("U64", (n_banks, settings.n_clauses)),
        "steps": ("U64", (n_banks,)),
        "thresholds": ("F64", shapes.get("thresholds", ())[:1]),  # the booleanizer knows how many
    }
    for name, part in found.items():
        if (part.get_dtype(), shapes[name]) != expected[name]:
            raise ValueError(f"{name} must be {expected[name]}, got {(part.get_dtype(), shapes[name])}")
    return shapes["states"]


def _check_memory(memory: Memory, *, n_states: int) -> None:
    if int(memory.states.max()) >= 2 * n_states:
        raise ValueError(f"states must lie in 1..{2 * n_states}, got {int(memory.states.max()) + 1}")
    for name, counts in (("updates", memory.updates), ("steps", memory.steps)):
        _whole(int(counts.max()), name)


def _names(plain: Any, n: int) -> NDArray[np.object_] | None:
    if plain is None:
        return None
    if not isinstance(plain, list) or len(plain) != n or not all(type(name) is str for name in plain):
        raise ValueError(f"feature_names_in must be a list of {n} strings, got {plain!r:.80}")
    return np.array(plain, dtype=object)


def _whole(value: Any, name: str, *, high: int = 2**63) -> int:
    if type(value) is not int or not 0 <= value < high:
        raise ValueError(f"{name} must be a whole number in 0..{high - 1}, got {value!r:.80}")
    return value


def _ledger(plain: Any) -> Ledger:
    _check_keys(plain, {field.name for field in fields(Ledger)}, "a ledger")
    return Ledger(**{name: _whole(value, name) for name, value in plain.items()})


def _record(plain: Any) -> EpochRecord:
    _check_keys(plain, {field.name for field in fields(EpochRecord)}, "a record of history")
    for name in ("train_accuracy", "eval_accuracy", "seconds"):
        value = plain[name]
        if not (type(value) is float and value >= 0) and not (value is None and name != "seconds"):
            raise ValueError(f"{name} must be a number >= 0, got {value!r:.80}")
    return EpochRecord(**{**plain, "epoch": _whole(plain["epoch"], "epoch"), "ledger": _ledger(plain["ledger"])})
