"""Model files: a fitted estimator as arrays and a JSON head, and back. Loading executes nothing and trusts nothing.

The arrays are the machine's memory, the booleanizer's thresholds and the history; everything else is the head.
``tensorfile`` turns both into one file. Here the parts are put together and compared with each other; each is written
and read in a file of its own: ``parameters``, ``targets`` (what is known about y), ``learned``. What a file does not
have because it is older reads as the value that says nothing.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from adtm.files.checks import read_names, whole
from adtm.files.learned import (
    HISTORY,
    plain_history,
    plain_ledger,
    plain_memory,
    read_history,
    read_ledger,
    read_memory,
    read_records,
)
from adtm.files.parameters import plain_parameters, read_parameters
from adtm.files.targets import plain_targets, plain_temperature, read_head, read_temperature
from adtm.files.tensorfile import FORMAT_VERSION, read, write
from adtm.learning.estimators import ADTMClassifier, TMClassifier
from adtm.learning.reading import settings_of
from adtm.learning.regressor import ADTMRegressor
from adtm.machine.model import Model
from adtm.machine.settings import Settings
from adtm.tables.booleanizer import Booleanizer
from adtm.tables.images import View
from adtm.tables.patches import Patches
from adtm.validation import check_keys

__all__ = ["FORMAT_VERSION", "load", "save"]

_ESTIMATORS: dict[str, type[Any]] = {
    "ADTMClassifier": ADTMClassifier,
    "ADTMRegressor": ADTMRegressor,
    "TMClassifier": TMClassifier,
}
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


def save(estimator: Any, path: str | Path) -> None:
    """Write a fitted estimator; the same model gives the same bytes."""
    if _ESTIMATORS.get(type(estimator).__name__) is not type(estimator):
        raise ValueError(f"only {', '.join(_ESTIMATORS)} can be saved, got {type(estimator).__name__}")
    target = Path(path)
    if not target.parent.is_dir() or (target.exists() and not target.is_file()):
        raise FileNotFoundError(f"path must name a file in a directory that exists, got {str(path)!r}")
    _require_same_settings(estimator)
    model: Model = estimator.model_
    about_y, counts = plain_targets(estimator)
    tensors = {**plain_memory(model), **plain_history(estimator.history_)}
    booleanizer = None
    if estimator.booleanizer_ is not None:
        booleanizer = estimator.booleanizer_.to_state()
        tensors["thresholds"] = booleanizer.pop("thresholds")
        del booleanizer["feature_names_in"]  # those of the estimator
    head = {
        "estimator": type(estimator).__name__,
        "parameters": plain_parameters(estimator),
        "seed": model.settings.seed,
        "epochs": whole(model.epochs, "epochs"),
        "samples": whole(model.samples, "samples"),
        "ledger": plain_ledger(model.ledger),
        "history": HISTORY,
        "n_features_in": estimator.n_features_in_,
        "feature_names_in": _plain_names(estimator),
        "booleanizer": booleanizer,
        "temperature": plain_temperature(estimator),
        **about_y,
    }
    if estimator.patches_ is not None:
        head["image"] = list(estimator.patches_.image)
    write(target, head, {**tensors, **counts})


def _require_same_settings(estimator: Any) -> None:
    """Refuse parameters that were changed since the machine learned: the file would not say what it learned with."""
    learned = estimator.model_.settings
    settings = settings_of(estimator, learned.seed)
    if settings != learned:
        was, now = ({f.name: getattr(each, f.name) for f in fields(each)} for each in (learned, settings))
        changed = ", ".join(f"{name}={now[name]!r} after {was[name]!r}" for name in now if now[name] != was[name])
        raise ValueError(f"parameters must be those of the last fit or partial_fit to be saved, got {changed}")


def _plain_names(estimator: Any) -> list[str] | None:
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


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
    old = version < 3
    maybe |= {"history", "image", "temperature"} | ({"format"} if old else set())
    check_keys(head, _HEAD_KEYS | about_y, "the head", maybe=maybe)
    kind = _ESTIMATORS[head["estimator"]]
    estimator = kind(**read_parameters(head["parameters"], kind))
    estimator.patches_ = _patches(head.get("image"), estimator)
    settings = settings_of(estimator, whole(head["seed"], "seed"))
    machine_head = read_head(estimator, head, tensors, T=settings.T)
    memory = read_memory(tensors, settings, machine_head)
    n_literals, n_features = memory.states.shape[2], _read_columns(estimator, head, tensors, settings)
    if n_literals != 2 * n_features:
        raise ValueError(f"states are for {n_literals} literals, but {n_features} features have {2 * n_features}")
    estimator.model_ = Model(
        settings,
        machine_head,
        memory,
        epochs=whole(head["epochs"], "epochs"),
        samples=whole(head["samples"], "samples"),
        ledger=read_ledger(head["ledger"]),
    )
    if head.get("temperature") is not None:
        estimator.temperature_ = read_temperature(estimator, head["temperature"])
    estimator.history_ = read_records(head["history"]) if old else read_history(head.get("history"), tensors)
    if tensors:
        raise ValueError(f"the file must have no further tensors, got {sorted(tensors)!r:.80}")
    return estimator


def _read_columns(estimator: Any, head: dict[str, Any], tensors: dict[str, NDArray[Any]], settings: Settings) -> int:
    """The columns of X, for the estimator; returns the features that clauses get from them."""
    patches = settings.patches
    estimator.n_features_in_ = n_bits = whole(head["n_features_in"], "n_features_in")
    names = read_names(head["feature_names_in"], estimator.n_features_in_, "feature_names_in")
    if names is not None:
        estimator.feature_names_in_ = names
    estimator.booleanizer_ = None
    if head["booleanizer"] is not None:
        state = {"feature_names_in": head["feature_names_in"], **head["booleanizer"]}
        booleanizer = Booleanizer.from_state({**state, "thresholds": tensors.pop("thresholds")})
        estimator.booleanizer_ = booleanizer
        n_pixels = 1 if patches is None else patches.image[0] * patches.image[1]
        n_bits = n_pixels * booleanizer.n_bits_
        if n_pixels * booleanizer.n_features_in_ != estimator.n_features_in_:
            raise ValueError(
                f"X has {estimator.n_features_in_} columns, the booleanizer reads {booleanizer.n_features_in_}"
            )
        if state["feature_names_in"] != head["feature_names_in"]:
            raise ValueError("feature_names_in must be the booleanizer's, got others")
    if patches is not None and n_bits != patches.n_image_features:
        raise ValueError(f"images have {patches.n_image_features} Boolean features, X gives {n_bits}")
    return n_bits if patches is None else patches.n_features


def _patches(plain: Any, estimator: Any) -> Patches | None:
    """The patches of images of this height, width and number of channels, under the estimator's parameters."""
    if plain is None or estimator.patch is None:
        if plain is not None or estimator.patch is not None:
            raise ValueError("a machine with a patch must have an image, and no other")
        return None
    if not isinstance(plain, list) or len(plain) != 3:
        raise ValueError(f"image must be height, width and channels, got {plain!r:.80}")
    height, width, channels = (whole(side, "image") for side in plain)
    view = View.of(estimator.patch, estimator.stride, estimator.image_shape)
    return view.patches((height, width, channels))
