"""A frozen machine that answers one row at a time, for programs that only answer.

``machine.predictor()`` makes one, ``adtm.predictor.load`` reads one from a model file. Importing this module loads
neither NumPy nor scikit-learn, so that such a program starts at once. A predictor never changes, and any number of
threads may ask it. Answering is the core's work; many rows at once, and rows of frames, are the estimator's.
"""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from adtm import _core
from adtm.files.checks import read_image, read_labels, read_names, read_range, read_temperature, whole
from adtm.files.rawfile import View, read_views
from adtm.tables.states import fields_of

_PLAIN = frozenset((dict, list, tuple, bytes))  # types of rows that the core reads as they are, without a further look
_AXES = {"states": 3, "weights": 3, "thresholds": 1}  # of the arrays that are read
_FORMATS: dict[str, dict[str, Any]] = {  # of memoryviews, by the types that these arrays may have
    "states": {"|u1": "B", "<u2": "H"},
    "weights": {"<i4": "i"},
    "thresholds": {"<f8": "d"},
}


class Predictor:
    """Answers as ``predict`` does, for one row, without scikit-learn's checks; see ``machine.predictor()``.

    A row is a sequence or an array with a value for each column of the table, a dictionary by the names of the columns
    (further keys are ignored), or the Boolean features as 0 and 1 (a list, an array or ``bytes``) where the machine
    learned from these. A series of pandas is read by its names where the machine has names, else in its order. None,
    NaN and pandas' ``NA`` are missing values. A category is a text or a number; one that was something else in a frame,
    as an interval or a date, is its text (``str(value)``). An image is an array of its pixels.

    Parameters
    ----------
    head : mapping
        What a model file says about the machine.
    arrays : mapping
        The arrays of a model file.

    Examples
    --------
    >>> import adtm
    >>> machine = adtm.ADTMClassifier(random_state=0).fit([[20.0], [30.0], [60.0], [70.0]], list("aabb"))
    >>> predictor = machine.predictor()
    >>> predictor([25.0]), predictor([65]), predictor({"x0": 65})
    ('a', 'b', 'b')
    """

    def __init__(self, head: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        answering, states = head["answering"], arrays["states"]
        n_banks, n_clauses, _ = states.shape
        kind: str = answering["kind"]
        labels = [] if kind == "value" else read_labels(head["classes"]["dtype"], head["classes"]["values"])
        n_features_in = whole(head["n_features_in"], "n_features_in")
        names = read_names(head["feature_names_in"], n_features_in, "feature_names_in")
        image = _image(head)
        n_pixels = math.prod(image[:2])
        self._kind, self._has_names = kind, names is not None
        self._shape = (*image[:2], n_features_in // n_pixels) if image else ()  # of an image
        self._temperature = read_temperature(head.get("temperature"), len(labels) if kind == "labels" else None)
        maker: Any = _core.predictor  # whose stub knows arrays of NumPy alone
        self._core: _core.Predictor = maker(
            states,
            arrays["weights"] if "weights" in arrays else _fixed_weights(n_banks, n_clauses, kind),
            array("I", answering["patches"]),
            n_states=answering["n_states"],
            most_votes=answering["most_votes"],
            columns=_columns(head, arrays, names),
            n_values=n_features_in,
            n_pixels=n_pixels,
            kind=kind,
            labels=labels,
            preference=answering["preference"],
            range=read_range(head["y_range"]) if kind == "value" else (0.0, 0.0),
            T=whole(answering["T"], "T")
            * whole(answering["n_members"], "n_members"),  # what the added votes of all members aim at
            n_members=answering["n_members"],
        )

    def __call__(self, row: Any) -> Any:
        """The label of a row; of several labels a list of True and False, of a regressor the value."""
        return self._core.answer(row if type(row) in _PLAIN else self._plain(row))

    def votes(self, row: Any) -> list[int]:
        """The votes: one for two classes, above 0 for the second, else one for each class or label."""
        votes: list[int] = self._core.votes(row if type(row) in _PLAIN else self._plain(row))
        return votes

    def probabilities(self, row: Any) -> list[float]:
        """Calibrated probabilities of the classes or labels, as ``predict_proba`` gives them up to rounding.

        Examples
        --------
        >>> import adtm
        >>> machine = adtm.ADTMClassifier(random_state=0).fit([[0], [1]] * 10, list("ab") * 10)
        >>> no, yes = machine.predictor().probabilities([1])
        >>> round(no + yes, 6), yes > no
        (1.0, True)
        """
        if self._temperature is None:
            raise ValueError("probabilities must come from a classifier that was fitted with probability='calibrated'")
        votes = self.votes(row)
        if self._kind == "classes":
            powers = [math.exp((vote - max(votes)) / self._temperature) for vote in votes]
            return [power / sum(powers) for power in powers]
        heats = self._temperature if self._kind == "labels" else [self._temperature]
        there = [(1 + math.tanh(vote / heat / 2)) / 2 for vote, heat in zip(votes, heats, strict=True)]
        return there if self._kind == "labels" else [1 - there[0], there[0]]

    def _plain(self, row: Any) -> Any:
        """A row as the core reads it: one with names that is no dictionary as one, where the machine has names."""
        kind, n_axes = type(row), len(getattr(row, "shape", ()))
        is_table = n_axes > 1 and not hasattr(kind, "ravel")  # whose elements are its columns, or their names
        if is_table or issubclass(kind, (set, frozenset)):
            raise TypeError(f"a row must be a sequence, an array or a dictionary, got {kind.__name__}")
        if n_axes > 1:
            row = self._flat(row)
        if hasattr(kind, "filled"):
            return row.tolist()  # None where the mask of the array is
        if issubclass(kind, dict) or not hasattr(kind, "items"):
            return row
        if n_axes and not self._has_names:
            return row
        named = dict(row.items())
        if len(named) < len(row):
            raise ValueError(f"a row must have different names, got {list(row.keys())!r:.80}")
        return named

    def _flat(self, row: Any) -> Any:
        """An array with several axes, as an image has them, as its values one after the other."""
        told = [size for size in row.shape if size != 1]
        if self._shape and len(told) > 1 and told != [size for size in self._shape if size != 1]:
            raise ValueError(f"an image must have the shape {self._shape}, got {tuple(row.shape)}")
        return row.ravel()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a predictor is not pickled: pickle or save the machine, and ask it for a predictor")


def load(path: str | Path) -> Predictor:
    """The predictor of a model file, as ``machine.save`` writes it.

    Nothing in the file is executed. A truncated, altered or foreign file is refused with a ``ValueError``.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    Predictor

    Examples
    --------
    >>> import adtm, tempfile, pathlib
    >>> from adtm.predictor import load
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "machine.safetensors"
    >>> adtm.ADTMClassifier(epochs=2, random_state=0).fit([[0], [1], [2], [3]], list("aabb")).save(path)
    >>> load(path)([3])
    'b'
    """
    path = Path(path)
    try:
        head, views = read_views(path)
        if "answering" in head and sys.byteorder == "little":
            return Predictor(head, {name: _array(name, views[name]) for name in _AXES if name in views})
        if head["estimator"] == "Composite":
            raise ValueError("it holds a composite; save a machine by itself")
    except (LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, ValueError) as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"{str(path)!r} is not a model file that can be read: {why}") from error
    from adtm.files.modelfile import load as load_machine  # a file of an earlier version: slower, and the same answers

    predictor: Predictor = load_machine(path).predictor()
    return predictor


def _array(name: str, view: View) -> memoryview:
    if view.dtype not in _FORMATS[name] or len(view.shape) != _AXES[name]:
        expected = f"{' or '.join(_FORMATS[name])}, axes: {_AXES[name]}"
        raise ValueError(f"{name} must be {expected}, got {view.dtype} of shape {view.shape}")
    kind = _FORMATS[name][view.dtype]
    found: memoryview = view.data.cast(kind, view.shape) if view.data else memoryview(array(kind))
    return found  # an empty one cannot be cast


def _image(head: Mapping[str, Any]) -> tuple[int, ...]:
    """Height, width and Boolean channels of an image; nothing of a table."""
    image = read_image(head["image"]) if "image" in head else ()
    if [*image] != head["answering"]["patches"][:3]:
        raise ValueError(f"image must be that of the patches, got {image}")
    return image


def _fixed_weights(n_banks: int, n_clauses: int, kind: str) -> Any:
    """+1 for every clause of a value, else +1, -1, +1, ..."""
    signs = [1, 1] if kind == "value" else [1, -1]
    row = (signs * (n_clauses // 2 + 1))[:n_clauses]
    return memoryview(array("i", row * n_banks)).cast("B").cast("i", (n_banks, 1, n_clauses))


def _columns(head: Mapping[str, Any], arrays: Mapping[str, Any], names: list[str] | None) -> list[tuple[Any, ...]]:
    """What the core wants to know about the columns; none where a row holds Boolean features without names.

    Those of an image are its channels.
    """
    booleanizer = head["booleanizer"]
    if booleanizer is None:
        bits = names or (map(str, range(head["image"][2])) if "image" in head else ())
        return [(name, "boolean", (), (), False, False) for name in bits]
    may_miss = booleanizer["missing"] == "indicator"
    return [
        (each["name"], each["kind"], each.get("thresholds", ()), each.get("categories", ()), each["missing"], may_miss)
        for each in fields_of(booleanizer["columns"], arrays["thresholds"].tolist(), names)
    ]
