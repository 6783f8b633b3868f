"""Model files: a fitted estimator as arrays and a JSON head, and back. Loading executes nothing and trusts nothing.

The arrays are the machine's memory, the booleanizer's thresholds and the history; everything else is the head.
``tensorfile`` turns both into one file. Here sizes and types are compared with each other. What a file does not have
because it is older reads as the value that says nothing; what a running program chooses for itself is not stored.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.booleanizer import Booleanizer
from adtm.estimators import ADTMClassifier, TMClassifier
from adtm.heads import ClassHead, Head, Value, class_head, label_head
from adtm.ledger import Ledger
from adtm.machine import Memory, Settings, start_weights
from adtm.model import EpochRecord, Model
from adtm.patches import Patches
from adtm.regressor import ADTMRegressor
from adtm.tensorfile import FORMAT_VERSION, read, write
from adtm.validation import check_real

__all__ = ["FORMAT_VERSION", "load", "save"]

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
_ESTIMATORS: dict[str, type[Any]] = {
    "ADTMClassifier": ADTMClassifier,
    "ADTMRegressor": ADTMRegressor,
    "TMClassifier": TMClassifier,
}
_LABEL_KINDS = {"b": bool, "i": int, "u": int, "f": float, "U": str}
_LABEL_DTYPE = re.compile(r"[<>|](b1|[iu][1248]|f[248]|U(\d{1,9}))")
_HEAD_KEYS = {
    "estimator",
    "parameters",
    "seed",
    "epochs",
    "samples",
    "ledger",
    "n_features_in",
    "feature_names_in",
    "booleanizer",
}
_RECORD = tuple(field.name for field in fields(EpochRecord) if field.name != "ledger")
_LEDGER = tuple(field.name for field in fields(Ledger))


# ---- writing ---------------------------------------------------------------------------------------------------------


def save(estimator: Any, path: str | Path) -> None:
    """Write a fitted estimator; the same model gives the same bytes."""
    if _ESTIMATORS.get(type(estimator).__name__) is not type(estimator):
        raise ValueError(f"only {', '.join(_ESTIMATORS)} can be saved, got {type(estimator).__name__}")
    target = Path(path)
    if not target.parent.is_dir() or (target.exists() and not target.is_file()):
        raise FileNotFoundError(f"path must name a file in a directory that exists, got {str(path)!r}")
    model: Model = estimator.model_
    if estimator._seen(estimator.check_parameters(model.settings.seed)) != model.settings:
        raise ValueError(
            f"parameters must be those of the last fit or partial_fit to be saved, got {estimator!r} after a fit with "
            f"{model.settings!r}"
        )
    tensors: dict[str, NDArray[Any]] = {
        "states": model.memory.states,
        "updates": model.memory.updates,
        "steps": model.memory.steps,
        **_plain_history(estimator.history_),
    }
    if model.settings.weights != "fixed":
        tensors["weights"] = model.memory.weights
    booleanizer = None
    if estimator.booleanizer_ is not None:
        booleanizer = estimator.booleanizer_.to_state()
        tensors["thresholds"] = booleanizer.pop("thresholds")
        del booleanizer["feature_names_in"]  # those of the estimator
    head = {
        "estimator": type(estimator).__name__,
        "parameters": _plain_parameters(estimator),
        "seed": model.settings.seed,
        "epochs": _whole(model.epochs, "epochs"),
        "samples": _whole(model.samples, "samples"),
        "ledger": {name: _whole(count, name) for name, count in model.ledger.as_dict().items()},
        "history": {"record": _RECORD, "ledger": _LEDGER},
        "n_features_in": estimator.n_features_in_,
        "feature_names_in": _plain_names(estimator),
        "booleanizer": booleanizer,
        "temperature": getattr(estimator, "temperature_", None),
    }
    if isinstance(estimator, ADTMRegressor):
        head["y_range"] = list(estimator.y_range_)
    else:
        head["classes"] = _plain_labels(estimator.classes_)
        head["multilabel"] = estimator.multilabel_
        if hasattr(estimator, "label_names_"):
            head["label_names"] = estimator.label_names_.tolist()
        tensors["class_counts"] = _plain_counts(model.head, _n_counts(estimator))
    if estimator.patches_ is not None:
        head["image"] = list(estimator.patches_.image)
    write(target, head, tensors)


def _plain_parameters(estimator: Any) -> dict[str, Any]:
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
    if isinstance(value, (tuple, list)):
        return [_plain(inner) for inner in value]
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return "inf" if value == math.inf else float(value)
    raise ValueError(f"parameters must be numbers, strings, Booleans or None to be saved, got {value!r:.80}")


def _plain_history(history: list[EpochRecord]) -> dict[str, NDArray[Any]]:
    """Records as a row of numbers each, NaN for None, and their ledgers as a row of counts."""
    numbers = [[np.nan if (v := getattr(record, name)) is None else v for name in _RECORD] for record in history]
    counts = [[_whole(getattr(record.ledger, name), name) for name in _LEDGER] for record in history]
    return {
        "history": np.array(numbers, np.float64).reshape(-1, len(_RECORD)),
        "history_ledger": np.array(counts, np.uint64).reshape(-1, len(_LEDGER)),
    }


def _plain_counts(head: Any, n: int) -> NDArray[np.uint64]:
    return np.array([_whole(count, "class_counts") for count in head.counts or (0,) * n], np.uint64)


def _n_counts(estimator: Any) -> int:
    """A count for each class, or for each label one of samples without it and one of samples with it."""
    return len(estimator.classes_) * (2 if estimator.multilabel_ else 1)


def _plain_labels(classes: NDArray[Any]) -> dict[str, Any]:
    if classes.dtype.kind == "O" and all(type(label) is str for label in classes):
        return {"dtype": "object", "values": classes.tolist()}
    if not _LABEL_DTYPE.fullmatch(classes.dtype.str):
        raise ValueError(f"labels must be numbers, Booleans or strings to be saved, got dtype {classes.dtype}")
    return {"dtype": classes.dtype.str, "values": classes.tolist()}


def _plain_names(estimator: Any) -> list[str] | None:
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


# ---- reading ---------------------------------------------------------------------------------------------------------


def load(path: str | Path) -> Any:
    """Read an estimator that ``save`` wrote.

    Nothing in the file is executed. A truncated, altered or foreign file is refused with a ``ValueError``. ``backend``,
    ``n_jobs`` and ``verbose`` have their defaults, whatever they were when the file was written.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    ADTMClassifier, ADTMRegressor or TMClassifier
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
    try:
        if not path.is_file():
            raise FileNotFoundError(f"no model file at {str(path)!r}")
        return _read(*read(path))
    except PermissionError as error:
        raise PermissionError(f"the model file {str(path)!r} may not be read: {error.strerror}") from error
    except (LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, ValueError) as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"{str(path)!r} is not a model file that can be read: {why}") from error


def _read(version: int, head: dict[str, Any], tensors: dict[str, NDArray[Any]]) -> Any:
    is_value = head.get("estimator") == "ADTMRegressor"
    about_y, maybe = ({"y_range"}, set()) if is_value else ({"classes"}, {"multilabel", "label_names"})
    maybe |= {"history", "image", "temperature"} | ({"format"} if version < 3 else set())
    _check_keys(head, _HEAD_KEYS | about_y, "the head", maybe=maybe)
    estimator = _ESTIMATORS[head["estimator"]](**_parameters(head["parameters"], head["estimator"]))
    estimator.patches_ = _patches(head.get("image"), estimator)
    settings = estimator._seen(estimator.check_parameters(_whole(head["seed"], "seed")))
    machine_head = _value_head(estimator, head) if "y_range" in head else _class_head(estimator, head)
    memory = _memory(tensors, settings, machine_head)
    if not isinstance(machine_head, Value):
        machine_head = machine_head.having(_class_counts(tensors, _n_counts(estimator)))
    n_literals = memory.states.shape[2]
    n_features_in = _whole(head["n_features_in"], "n_features_in")
    names = _names(head["feature_names_in"], n_features_in, "feature_names_in")
    booleanizer, n_bits = None, n_features_in
    n_pixels = 1 if settings.patches is None else settings.patches.image[0] * settings.patches.image[1]
    if head["booleanizer"] is not None:
        state = {"feature_names_in": head["feature_names_in"], **head["booleanizer"]}
        booleanizer = Booleanizer.from_state({**state, "thresholds": tensors.pop("thresholds")})
        n_bits = n_pixels * booleanizer.n_bits_
        if n_pixels * booleanizer.n_features_in_ != n_features_in:
            raise ValueError(f"X has {n_features_in} columns, the booleanizer reads {booleanizer.n_features_in_}")
        if state["feature_names_in"] != head["feature_names_in"]:
            raise ValueError("feature_names_in must be the booleanizer's, got others")
    if settings.patches is not None and n_bits != settings.patches.n_image_features:
        raise ValueError(f"images have {settings.patches.n_image_features} Boolean features, X gives {n_bits}")
    n_features = n_bits if settings.patches is None else settings.patches.n_features
    if n_literals != 2 * n_features:
        raise ValueError(f"states are for {n_literals} literals, but {n_features} features have {2 * n_features}")

    estimator.model_ = Model(
        settings,
        machine_head,
        memory,
        epochs=_whole(head["epochs"], "epochs"),
        samples=_whole(head["samples"], "samples"),
        ledger=_ledger(head["ledger"]),
    )
    if head.get("temperature") is not None:
        estimator.temperature_ = check_real("temperature", head["temperature"], low=1e-6)
    estimator.booleanizer_ = booleanizer
    estimator.n_features_in_ = n_features_in
    if names is not None:
        estimator.feature_names_in_ = names
    history = head["history"] if version < 3 else _rows(head.get("history"), tensors)
    estimator.history_ = [_record(plain) for plain in history]
    if tensors:
        raise ValueError(f"the file must have no further tensors, got {sorted(tensors)!r:.80}")
    return estimator


def _check_keys(plain: Any, expected: set[str], what: str, *, maybe: set[str] | frozenset[str] = frozenset()) -> None:
    if not isinstance(plain, dict) or not expected <= set(plain) <= expected | maybe:
        found = sorted(plain) if isinstance(plain, dict) else plain
        raise ValueError(f"{what} must have the keys {sorted(expected)}, got {found!r:.200}")


def _patches(plain: Any, estimator: Any) -> Patches | None:
    """The patches of images of this height, width and number of channels, under the estimator's parameters."""
    view = estimator._view()
    if plain is None or view is None:
        if plain is not None or view is not None:
            raise ValueError("a machine with a patch must have an image, and no other")
        return None
    if not isinstance(plain, list) or len(plain) != 3:
        raise ValueError(f"image must be height, width and channels, got {plain!r:.80}")
    height, width, channels = (_whole(side, "image") for side in plain)
    return Patches((height, width, channels), view.size, view.stride)


def _parameters(plain: Any, name: str) -> dict[str, Any]:
    known = set(_ESTIMATORS[name]().get_params(deep=False)) - _OF_THE_PROGRAM
    _check_keys(plain, known - set(_BEFORE), "parameters", maybe=known | _OF_THE_PROGRAM)
    before = {key: value for key, value in _BEFORE.items() if key in known}
    parameters = {**before, **{key: value for key, value in plain.items() if key not in _OF_THE_PROGRAM}}
    if isinstance(parameters.get("class_weight"), list):
        parameters["class_weight"] = _class_weight(parameters["class_weight"])
    for key, value in parameters.items():
        if isinstance(value, list) and key in _SEVERAL:
            parameters[key] = tuple(value)
        elif isinstance(value, (dict, list)) and key not in ("booleanizer", "class_weight"):
            raise ValueError(f"parameter {key} must be a number, string, true, false or null, got {value!r:.80}")
    if isinstance(parameters["booleanizer"], dict):
        _check_keys(parameters["booleanizer"], {"max_bits", "missing"}, "parameter booleanizer")
        parameters["booleanizer"] = Booleanizer(**parameters["booleanizer"])
    return {key: math.inf if isinstance(value, str) and value == "inf" else value for key, value in parameters.items()}


def _class_weight(plain: list[Any]) -> dict[Any, Any]:
    if not all(isinstance(pair, list) and len(pair) == 2 and not isinstance(pair[0], (dict, list)) for pair in plain):
        raise ValueError(f"parameter class_weight must be a list of pairs, got {plain!r:.80}")
    return dict(plain)


def _class_head(estimator: Any, head: dict[str, Any]) -> ClassHead:
    """The head of a classifier, which gets its labels; a file from before there were several labels has one."""
    estimator.classes_, estimator.multilabel_ = _labels(head["classes"]), head.get("multilabel", False)
    if type(estimator.multilabel_) is not bool:
        raise ValueError(f"multilabel must be true or false, got {estimator.multilabel_!r:.80}")
    n = len(estimator.classes_)
    if estimator.multilabel_ and not np.array_equal(estimator.classes_, np.arange(n)):
        raise ValueError(f"several labels must be numbered 0..{n - 1}, got {estimator.classes_.tolist()!r:.80}")
    names = _names(head.get("label_names"), n, "label_names")
    if names is not None:
        if not estimator.multilabel_ or len(set(names)) < n:
            raise ValueError(f"label_names must be different names of several labels, got {names.tolist()!r:.80}")
        estimator.label_names_ = names
    make = label_head if estimator.multilabel_ else class_head
    return make(n, estimator.silence, shared=estimator.shared)


def _value_head(estimator: Any, head: dict[str, Any]) -> Value:
    """The head of a regressor, which gets the range of its y."""
    plain = head["y_range"]
    if not isinstance(plain, list) or len(plain) != 2 or not all(type(end) is float for end in plain):
        raise ValueError(f"y_range must be two numbers, got {plain!r:.80}")
    low, high = plain
    if not 0 <= high - low < math.inf:
        raise ValueError(f"y_range must go from one number up to another, got {plain!r:.80}")
    estimator.y_range_ = low, high
    return Value(int(estimator.T), low, high)


def _labels(plain: Any) -> NDArray[Any]:
    _check_keys(plain, {"dtype", "values"}, "classes")
    name, values = plain["dtype"], plain["values"]
    match = _LABEL_DTYPE.fullmatch(name) if isinstance(name, str) else None
    if name != "object" and match is None:
        raise ValueError(f"labels must be numbers, Booleans or strings, got dtype {name!r:.80}")
    kind: type = str if match is None else _LABEL_KINDS[match[1][0]]
    if not isinstance(values, list) or not 2 <= len(values) <= 65536 or not all(type(v) is kind for v in values):
        raise ValueError(f"labels must be a list of 2..65536 {kind.__name__}, got {values!r:.80}")
    # An array of strings gives each the room of the longest: beyond reason, each label has its own.
    wide = match and match[2] and 4 * int(match[2]) * len(values) > 2**20 + 32 * sum(map(len, values))
    with np.errstate(over="raise"):
        classes = np.array(values, dtype=object if wide else name)
    if not np.array_equal(np.unique(classes), classes) or classes.tolist() != values:
        raise ValueError(f"labels must be sorted, distinct and of dtype {name}, got {values!r:.80}")
    return classes


def _memory(tensors: dict[str, NDArray[Any]], settings: Settings, machine_head: Head) -> Memory:
    """Take the machine's memory out of the tensors; a count that the file does not have is 0."""
    states, n_banks = tensors["states"], machine_head.n_banks
    n_literals = states.shape[-1] if states.ndim else 0
    if n_literals < 2 or n_literals % 2:
        raise ValueError(f"states must have an even number of literals, got shape {states.shape}")
    expected: dict[str, tuple[type[Any], tuple[int, ...]]] = {
        "states": (settings.state_dtype, (n_banks, settings.n_clauses, n_literals)),
        "updates": (np.uint64, (n_banks, settings.n_clauses)),
        "steps": (np.uint64, (n_banks,)),
    }
    found = {}
    for name, (dtype, shape) in expected.items():
        tensor = found[name] = tensors.pop(name) if name in tensors else np.zeros(shape, dtype)
        if (tensor.dtype, tensor.shape) != (dtype, shape):
            raise ValueError(f"{name} must be {np.dtype(dtype)} {shape}, got {tensor.dtype} {tensor.shape}")
    if int(states.max()) >= 2 * settings.n_states:
        raise ValueError(f"states must lie in 1..{2 * settings.n_states}, got {int(states.max()) + 1}")
    weights = start_weights(settings, n_banks, machine_head.n_outputs)
    if settings.weights != "fixed":
        weights = _weights(tensors["weights"], settings, weights)
        del tensors["weights"]
    return Memory.whole(found["states"], found["updates"], found["steps"], weights)


def _weights(found: NDArray[Any], settings: Settings, start: NDArray[np.int32]) -> NDArray[np.int32]:
    """Learned weights, which must be some that learning can lead to."""
    if (found.dtype, found.shape) != (start.dtype, start.shape):
        raise ValueError(f"weights must be int32 {start.shape}, got {found.dtype} {found.shape}")
    most = settings.largest_weight
    if int(found.max()) > most or int(found.min()) < -most:
        raise ValueError(f"weights must lie in -{most}..{most}, got {int(found.min())}..{int(found.max())}")
    if settings.weights == "sided" and not np.array_equal(np.sign(found), np.sign(start)):
        raise ValueError("weights must have the signs of their clauses, got others")
    return found


def _class_counts(tensors: dict[str, NDArray[Any]], n: int) -> tuple[int, ...]:
    """Take the samples of each class out of the tensors; a file that does not have them counted none."""
    counts = tensors.pop("class_counts", np.zeros(n, np.uint64))
    if (counts.dtype.str, counts.shape) != ("<u8", (n,)):
        raise ValueError(f"class_counts must be uint64 {(n,)}, got {counts.dtype} {counts.shape}")
    return tuple(counts.tolist())


def _names(plain: Any, n: int, what: str) -> NDArray[np.object_] | None:
    if plain is None:
        return None
    if not isinstance(plain, list) or len(plain) != n or not all(type(name) is str for name in plain):
        raise ValueError(f"{what} must be a list of {n} strings, got {plain!r:.80}")
    return np.array(plain, dtype=object)


def _whole(value: Any, name: str) -> int:
    if type(value) is not int or not 0 <= value < 2**64:
        raise ValueError(f"{name} must be a whole number in 0..2**64 - 1, got {value!r:.80}")
    return value


def _ledger(plain: Any) -> Ledger:
    """Counts by name; one that the file does not have is 0."""
    _check_keys(plain, set(), "a ledger", maybe=set(_LEDGER))
    return Ledger(**{name: _whole(value, name) for name, value in plain.items()})


def _rows(names: Any, tensors: dict[str, NDArray[Any]]) -> Iterator[dict[str, Any]]:
    """The records of a history one by one, in the form of older files: by name."""
    if "history" not in tensors:
        return
    _check_keys(names, {"record", "ledger"}, "history")
    numbers, counts = tensors.pop("history"), tensors.pop("history_ledger")
    if len(names["record"]) + len(names["ledger"]) < 8:  # rows of a few bytes would become records of hundreds
        raise ValueError(f"history must have at least 8 numbers for each epoch, got {names!r:.80}")
    for tensor, dtype, part in ((numbers, "<f8", "record"), (counts, "<u8", "ledger")):
        shape = (len(numbers), len(names[part]))
        if (tensor.dtype.str, tensor.shape) != (dtype, shape):
            raise ValueError(f"history must have {shape} numbers in {part}, got {tensor.dtype} {tensor.shape}")
    for row, count in zip(numbers, counts, strict=True):
        record = {name: None if math.isnan(v) else v for name, v in zip(names["record"], row.tolist(), strict=True)}
        yield {**record, "ledger": dict(zip(names["ledger"], count.tolist(), strict=True))}


def _record(plain: Any) -> EpochRecord:
    """A record by name; what the file does not have is unknown."""
    _check_keys(plain, {"epoch", "ledger"}, "a record of history", maybe=set(_RECORD))
    numbers = {name: plain.get(name) for name in _RECORD}
    for name, value in numbers.items():
        if value is not None and not (type(value) in (int, float) and 0 <= value < math.inf):
            raise ValueError(f"{name} must be a number >= 0 or null, got {value!r:.80}")
    epoch = numbers.pop("epoch")
    if epoch is None or epoch != int(epoch):
        raise ValueError(f"epoch must be a whole number, got {epoch!r:.80}")
    return EpochRecord(**{**numbers, "epoch": int(epoch), "ledger": _ledger(plain["ledger"])})
