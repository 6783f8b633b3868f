"""Model files: a fitted estimator as arrays and a JSON head, and back. Loading executes nothing and trusts nothing.

The arrays are the machine's memory, the booleanizer's thresholds and the history; everything else is the head.
``tensorfile`` turns both into one file. Here the parts are put together and compared with each other; each is written
and read in a file of its own: ``parameters``, ``targets`` (what is known about y), ``learned``.
"""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.files import learned
from adtm.files.checks import read_image, read_names, whole
from adtm.files.composites import plain_composite, read_composite
from adtm.files.parameters import plain_parameters, plain_values, read_chosen, read_parameters
from adtm.files.targets import plain_calibration, plain_counts, plain_target, read_calibration, read_target, with_counts
from adtm.files.tensorfile import read, write
from adtm.learning.columns import Columns
from adtm.learning.composite import Composite
from adtm.learning.estimator import Fitted, fitted_of, head_of, parameters_of, plan_of, restored
from adtm.learning.estimators import ADTMClassifier, ADTMRegressor, TMClassifier
from adtm.learning.parameters import Machine
from adtm.learning.plan import FitPlan
from adtm.machine.faults import require_sound
from adtm.machine.model import Model
from adtm.tables.booleanizer import Booleanizer
from adtm.tables.patches import Patches
from adtm.validation import check_keys
from adtm.writing import check_file

_ESTIMATORS: dict[Any, type[Any]] = {
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
    "history",
    "n_features_in",
    "feature_names_in",
    "booleanizer",
}


def save(estimator: Any, path: str | Path) -> None:
    """Write a fitted estimator; the same model gives the same bytes."""
    place = Path(path)
    check_file("path", place)
    write(place, *(plain_composite(estimator, _checked) if type(estimator) is Composite else _checked(estimator)))


def _checked(estimator: Any) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The contents of an estimator that can be saved."""
    if _ESTIMATORS.get(type(estimator).__name__) is not type(estimator):
        raise ValueError(f"only {', '.join(_ESTIMATORS)}, Composite can be saved, got {type(estimator).__name__}")
    _require_same_settings(estimator, fitted_of(estimator))
    return contents(estimator)


def contents(estimator: Any) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """A fitted estimator as the head and the arrays of a model file, of which a predictor is made, too."""
    require_sound(estimator.backend, "a model file or a predictor")
    fitted = fitted_of(estimator)
    model, columns = fitted.model, fitted.columns
    tensors = learned.plain_memory(model) | learned.plain_history(fitted.history)
    tensors |= plain_counts(model.head, fitted.target)
    booleanizer = None
    if columns.booleanizer is not None:
        booleanizer = columns.booleanizer.to_state()
        tensors["thresholds"] = booleanizer.pop("thresholds")
        del booleanizer["feature_names_in"]  # those of the estimator
    head = {
        "estimator": parameters_of(estimator)[0],
        "parameters": plain_parameters(estimator),
        "chosen": plain_values(_plan(estimator, fitted).chosen),
        "seed": model.settings.seed,
        "epochs": whole(model.epochs, "epochs"),
        "samples": whole(model.samples, "samples"),
        "ledger": learned.plain_ledger(model.ledger),
        "history": learned.HISTORY,
        "n_features_in": columns.n_features_in,
        "feature_names_in": None if columns.names is None else [str(name) for name in columns.names],
        "booleanizer": booleanizer,
        "answering": learned.plain_answering(model, head_of(estimator, fitted)),
        **plain_target(fitted.target),
        **plain_calibration(fitted.calibration, fitted.target),
    }
    if columns.patches is not None:
        head["image"] = list(columns.patches.image)
    return head, tensors


def _require_same_settings(estimator: Any, fitted: Fitted) -> None:
    """Refuse parameters that were changed since the machine learned: the file would not say what it learned with."""
    before = fitted.model.settings
    settings = replace(fitted.columns.settings_of(_plan(estimator, fitted)), seed=before.seed)
    if settings != before:
        was, now = ({f.name: getattr(each, f.name) for f in fields(each)} for each in (before, settings))
        changed = ", ".join(f"{name}={now[name]!r} after {was[name]!r}" for name in now if now[name] != was[name])
        raise ValueError(f"parameters must be those of the last fit or partial_fit to be saved, got {changed}")


def _plan(estimator: Any, fitted: Fitted) -> FitPlan:
    """The plan of a fitted estimator, whose parameters may have been set anew."""
    return plan_of(estimator, fitted.chosen, **fitted.columns.counts)


def load(path: str | Path) -> Any:
    """Read an estimator that ``save`` wrote.

    Nothing in the file is executed. A truncated, altered or foreign file is refused with a ``ValueError``. ``backend``,
    ``n_jobs`` and ``verbose`` have their defaults, whatever they were when the file was written.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    ADTMClassifier, ADTMRegressor, TMClassifier or Composite
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


def _read(head: dict[str, Any], tensors: dict[str, NDArray[Any]]) -> Any:
    return (
        read_composite(head, tensors, _read_machine)
        if head["estimator"] == "Composite"
        else _read_machine(head, tensors)
    )


def _read_machine(head: dict[str, Any], tensors: dict[str, NDArray[Any]]) -> Any:
    machine: Machine = head["estimator"]
    kind = _ESTIMATORS[machine]
    is_value = kind is ADTMRegressor
    about_y, maybe = ({"y_range"}, {"errors"}) if is_value else ({"classes"}, {"multilabel", "label_names"})
    check_keys(head, _HEAD_KEYS | about_y, "the head", maybe=maybe | {"image", "chosen", "temperature", "answering"})
    estimator = kind(**read_parameters(head["parameters"], machine))
    chosen = read_chosen(head.get("chosen", {}), estimator.get_params(deep=False), machine)
    plan, target = plan_of(estimator, chosen), read_target(head)
    columns = _columns(head, tensors, plan, owner=machine)
    settings = replace(columns.settings_of(plan), seed=whole(head["seed"], "seed"))
    machine_head = with_counts(target.head(plan), target, tensors)
    memory = learned.read_memory(tensors, settings, machine_head)
    n_features = columns.n_clause_features
    if memory.states.shape[2] != 2 * n_features:
        raise ValueError(
            f"states are for {memory.states.shape[2]} literals, but {n_features} features have {2 * n_features}"
        )
    model = Model(
        settings,
        machine_head,
        memory,
        epochs=whole(head["epochs"], "epochs"),
        samples=whole(head["samples"], "samples"),
        ledger=learned.read_ledger(head["ledger"]),
    )
    history, calibration = learned.read_history(head["history"], tensors), read_calibration(head, target)
    if tensors:
        raise ValueError(f"the file must have no further tensors, got {sorted(tensors)!r:.80}")
    fitted = Fitted(columns, target, model, history, calibration, chosen)
    answering = learned.plain_answering(model, head_of(estimator, fitted))
    said, known = (json.dumps(each, sort_keys=True) for each in (head.get("answering", answering), answering))
    if said != known:  # as texts: True and 1.0 would equal 1
        raise ValueError("answering must say what parameters and counts say, got something else")
    return restored(estimator, fitted)


def _columns(head: dict[str, Any], tensors: dict[str, NDArray[Any]], plan: FitPlan, *, owner: str) -> Columns:
    """What is known about X; the thresholds are taken out of the tensors."""
    n_features_in, patches, booleanizer = whole(head["n_features_in"], "n_features_in"), _patches(head, plan), None
    names = read_names(head["feature_names_in"], n_features_in, "feature_names_in")
    n_bits = n_features_in
    if head["booleanizer"] is not None:
        n_pixels = 1 if patches is None else patches.image[0] * patches.image[1]
        if n_features_in % n_pixels or (patches is not None and names is not None):
            raise ValueError(f"images of {n_pixels} pixels must have as many columns times channels, without names")
        state = {"feature_names_in": head["feature_names_in"], **head["booleanizer"]}
        booleanizer = Booleanizer.from_state({**state, "thresholds": tensors.pop("thresholds")})
        n_bits = n_pixels * booleanizer.n_bits_
        if n_pixels * booleanizer.n_features_in_ != n_features_in:
            raise ValueError(f"X has {n_features_in} columns, the booleanizer reads {booleanizer.n_features_in_}")
        if state["feature_names_in"] != head["feature_names_in"]:
            raise ValueError("feature_names_in must be the booleanizer's, got others")
    if patches is not None and n_bits != patches.n_image_features:
        raise ValueError(f"images have {patches.n_image_features} Boolean features, X gives {n_bits}")
    sequences = plan.view is not None and plan.view.line
    known = None if names is None else np.array(names, dtype=object)
    return Columns(owner, n_features_in, known, booleanizer, patches, sequences)


def _patches(head: dict[str, Any], plan: FitPlan) -> Patches | None:
    """The patches of images of this height, width and number of channels, under the estimator's parameters."""
    plain = head.get("image")
    if plain is None or plan.view is None:
        if plain is not None or plan.view is not None:
            raise ValueError("a machine with a patch must have an image, and no other")
        return None
    return plan.view.patches(read_image(plain))
