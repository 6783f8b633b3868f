"""Model files: one safetensors file holds a fitted estimator. Loading executes nothing and trusts nothing.

The tensors are the machine's memory and the booleanizer's thresholds; everything else is one JSON text under the
metadata key ``adtm``, with a format version and a SHA-256 of the tensors. A size is compared with the others, and with
the file's own length, before anything is allocated from it.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from adtm.booleanizer import Booleanizer
from adtm.estimators import ADTMClassifier, TMClassifier
from adtm.ledger import Ledger
from adtm.machine import Memory
from adtm.model import EpochRecord, Model

__all__ = ["FORMAT_VERSION", "load", "save"]

FORMAT_VERSION = 1
_KEY = "adtm"
_ESTIMATORS = {"ADTMClassifier": ADTMClassifier, "TMClassifier": TMClassifier}
_LABEL_KINDS = {"b": bool, "i": int, "u": int, "f": float, "U": str}


# ---- writing ---------------------------------------------------------------------------------------------------------


def save(estimator: Any, path: str | Path) -> None:
    """Write a fitted estimator; the same model gives the same bytes."""
    model: Model = estimator.model_
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
        "sha256": _digest(tensors),
    }
    # One key with sorted JSON: safetensors does not keep the order of several.
    text = json.dumps(head, sort_keys=True, allow_nan=False)
    target = Path(path)
    partial = target.with_name(target.name + ".partial")
    try:
        save_file(tensors, partial, metadata={_KEY: text})
        os.replace(partial, target)  # a reader never meets half a file
    finally:
        partial.unlink(missing_ok=True)


def _plain_parameters(estimator: Any) -> dict[str, Any]:
    """Constructor parameters as JSON; what is not needed to go on (a generator, a booleanizer) becomes its default."""
    plain = {}
    for name, value in estimator.get_params(deep=False).items():
        if name == "booleanizer" and isinstance(value, Booleanizer):
            value = {"max_bits": value.max_bits, "missing": value.missing}
        elif name == "random_state" and not (value is None or isinstance(value, (int, np.integer))):
            value = None  # the seed itself is kept apart
        elif isinstance(value, np.generic):
            value = value.item()
        plain[name] = "inf" if value == math.inf else value
    return plain


def _plain_labels(classes: NDArray[Any]) -> dict[str, Any]:
    if classes.dtype.kind == "O" and all(type(label) is str for label in classes):
        return {"dtype": "object", "values": classes.tolist()}
    if classes.dtype.kind not in _LABEL_KINDS:
        raise ValueError(f"labels must be numbers, Booleans or strings to be saved, got dtype {classes.dtype}")
    return {"dtype": classes.dtype.str, "values": classes.tolist()}


def _plain_names(estimator: Any) -> list[str] | None:
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def _digest(tensors: dict[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name} {tensor.dtype.str} {tensor.shape}\n".encode())
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
        head, tensors = _read_file(path)
        return _restore(head, tensors)
    except (KeyError, TypeError, IndexError, AttributeError, OverflowError, RecursionError, ValueError) as error:
        if isinstance(error, _FileError):
            raise
        raise _FileError(path, f"its contents do not fit together ({error})") from error


class _FileError(ValueError):
    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{str(path)!r} is not a model file that can be read: {why}")


def _read_file(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    try:
        with safe_open(path, framework="numpy") as file:  # checks every offset against the file's length
            metadata = file.metadata() or {}
            if _KEY not in metadata:
                raise _FileError(path, "it was not written by adtm")
            head = json.loads(metadata[_KEY], parse_constant=_refuse_constant)
            if not isinstance(head, dict) or head.get("format") != FORMAT_VERSION:
                found = head.get("format") if isinstance(head, dict) else None
                raise _FileError(path, f"format version must be {FORMAT_VERSION}, got {found!r}")
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, json.JSONDecodeError, OSError) as error:
        raise _FileError(path, f"it is damaged or foreign ({error})") from error
    if _digest(tensors) != head["sha256"]:
        raise _FileError(path, "its contents do not match its checksum")
    return head, tensors


def _refuse_constant(text: str) -> None:
    raise ValueError(f"number {text} is not allowed")


def _restore(head: dict[str, Any], tensors: dict[str, NDArray[Any]]) -> Any:
    estimator = _ESTIMATORS[head["estimator"]](**_parameters(head["parameters"]))
    settings = estimator._settings(_whole(head["seed"], "seed"))
    classes = _labels(head["classes"])
    memory = Memory(tensors["states"], tensors["updates"], tensors["steps"])
    n_banks = 1 if len(classes) == 2 else len(classes)
    _check_memory(memory, n_banks=n_banks, n_clauses=settings.n_clauses, dtype=settings.state_dtype)
    if memory.states.size and int(memory.states.max()) >= 2 * settings.n_states:
        raise ValueError("a state lies outside 1..2N")

    booleanizer = None
    if head["booleanizer"] is not None:
        booleanizer = Booleanizer.from_state({**head["booleanizer"], "thresholds": tensors["thresholds"]})
    n_bits = memory.states.shape[2] // 2
    n_features_in = _whole(head["n_features_in"], "n_features_in")
    expected = n_features_in if booleanizer is None else booleanizer.n_bits_
    if n_bits != expected or (booleanizer is not None and booleanizer.n_features_in_ != n_features_in):
        raise ValueError(f"states are for {n_bits} Boolean features, the rest of the file for {expected}")

    estimator.model_ = Model(
        settings,
        len(classes),
        memory,
        epochs=_whole(head["epochs"], "epochs"),
        samples=_whole(head["samples"], "samples"),
        ledger=_ledger(head["ledger"]),
    )
    estimator.classes_ = classes
    estimator.booleanizer_ = booleanizer
    estimator.n_features_in_ = n_features_in
    if head["feature_names_in"] is not None:
        names = [str(name) for name in head["feature_names_in"]]
        if len(names) != n_features_in:
            raise ValueError(f"feature_names_in must have {n_features_in} names, got {len(names)}")
        estimator.feature_names_in_ = np.array(names, dtype=object)
    estimator.history_ = [
        EpochRecord(**{**record, "ledger": _ledger(record["ledger"])}) for record in head["history"]
    ]
    return estimator


def _parameters(plain: dict[str, Any]) -> dict[str, Any]:
    parameters = dict(plain)
    if isinstance(parameters["booleanizer"], dict):
        parameters["booleanizer"] = Booleanizer(**parameters["booleanizer"])
    if parameters.get("d") == "inf":
        parameters["d"] = math.inf
    return parameters


def _labels(plain: dict[str, Any]) -> NDArray[Any]:
    values = plain["values"]
    dtype = np.dtype(object) if plain["dtype"] == "object" else np.dtype(str(plain["dtype"]))
    kind: type = str if dtype.kind == "O" else _LABEL_KINDS[dtype.kind]
    if not isinstance(values, list) or not all(type(value) is kind for value in values):
        raise ValueError(f"labels must be a list of {kind.__name__}")
    if not 2 <= len(values) <= 65536 or (dtype.kind == "U" and dtype.itemsize > 4 * max(map(len, values))):
        raise ValueError("labels have an impossible size")
    classes = np.array(values, dtype=dtype)
    if not np.array_equal(np.unique(classes), classes):
        raise ValueError("labels must be sorted and distinct")
    return classes


def _check_memory(memory: Memory, *, n_banks: int, n_clauses: int, dtype: Any) -> None:
    states = memory.states
    if states.dtype != dtype or states.ndim != 3 or states.shape[:2] != (n_banks, n_clauses):
        raise ValueError(f"states must be {np.dtype(dtype)} ({n_banks}, {n_clauses}, ...), got {states.dtype} {states.shape}")
    if states.shape[2] < 2 or states.shape[2] % 2:
        raise ValueError(f"states must have an even number of literals, got {states.shape[2]}")
    for name, tensor, shape in (("updates", memory.updates, (n_banks, n_clauses)), ("steps", memory.steps, (n_banks,))):
        if tensor.dtype != np.uint64 or tensor.shape != shape:
            raise ValueError(f"{name} must be uint64 {shape}, got {tensor.dtype} {tensor.shape}")


def _whole(value: Any, name: str) -> int:
    if type(value) is not int or not 0 <= value < 2**64:
        raise ValueError(f"{name} must be a whole number in 0..2**64-1, got {value!r}")
    return value


def _ledger(plain: dict[str, Any]) -> Ledger:
    return Ledger(**{name: _whole(value, name) for name, value in plain.items()})
