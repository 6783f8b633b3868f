"""The regressor: numbers in, numbers out, by the votes of one bank.

y's range becomes the votes 0..T (``heads.Value``). Reading X is in ``reading``, the way of learning in ``base``.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils import check_array
from sklearn.utils.validation import column_or_1d

from adtm import advice
from adtm.learning.multistep import MultiStepEstimator
from adtm.machine.heads import Head, Targets, Value
from adtm.machine.model import answers
from adtm.machine.schedule import OtherClass, Shuffle
from adtm.tables.booleanizer import Booleanizer
from adtm.validation import check_choice, check_whole

__all__ = ["ADTMRegressor"]


class ADTMRegressor(RegressorMixin, MultiStepEstimator):  # type: ignore[misc]
    """The Arbitrarily Deterministic Tsetlin Machine for numbers.

    Clauses add up: the range of the training data's y is divided into ``T`` parts, and each vote of a clause adds one
    part to the answer. Answers lie in that range. Its clauses tolerate failed literals by default: without that, a
    machine hardly learns numbers.

    Parameters
    ----------
    n_clauses : int, default 500
        Clauses (m).
    T : int or "auto", default "auto"
        Parts of the range of y: answers are multiples of a ``T``-th of it. ``"auto"`` is a quarter of the votes that
        all clauses can cast, ``n_clauses * (tolerance + 1) / 4``, with integer weights 16 times as many. Where answers
        stay low, clauses cannot cast that many votes: fewer parts, more clauses or integer weights help.
    s : int or (int, int), default 20
        As in ``ADTMClassifier``, as are the other parameters, but for their defaults.
    epochs : int or "auto", default 30
        Passes over the data in ``fit``; ``"auto"`` as in ``ADTMClassifier``.
    weak : {"rota", "every"}, default "rota"
        Weak feedback moves one automaton in ``s``, in turn, or every automaton. ``"every"`` wants a large ``n_states``,
        some 50 times ``s``.
    tolerance : int, default 3
        Failed literals that a clause survives.
    max_literals : int or None, default 12
        Literals from which on a clause takes in no more of what a sample has.
    d, n_states, booleanizer, shuffle, n_jobs, backend, random_state, verbose, selection, start, patch, stride, \
    image_shape
        As in ``ADTMClassifier``.
    other_class : {"random", "rotate"}, default "random"
        Not used; here so that ``adtm.DETERMINISTIC`` suits every machine.
    weights : {"fixed", "integer"}, default "fixed"
        A vote adds one part, or as many as its clause has learned to add: fewer clauses can then do.

    Attributes
    ----------
    y_range_ : (float, float)
        The least and the largest y of the data that started the machine.
    n_features_in_, feature_names_in_, booleanizer_, patches_, states_, includes_, ledger_
        As in ``ADTMClassifier``.
    history_ : list of EpochRecord
        Mean absolute error in y's own units (``train_error``, ``eval_error``), seconds and ledger of every epoch of the
        last ``fit``.

    Examples
    --------
    >>> import numpy as np
    >>> from adtm import ADTMRegressor, Booleanizer
    >>> X = np.random.default_rng(0).random((500, 3))
    >>> y = 100 + 30 * X[:, 0] * X[:, 1] - 20 * X[:, 2]
    >>> machine = ADTMRegressor(booleanizer=Booleanizer(max_bits=20), random_state=0).fit(X, y)
    >>> bool(machine.score(X, y) > 0.9)
    True
    """

    n_other_classes = 1  # there are none

    y_range_: tuple[float, float]
    _FITTED: ClassVar[tuple[str, ...]] = (*MultiStepEstimator._FITTED, "y_range_")

    def __init__(
        self,
        n_clauses: int = 500,
        T: int | Literal["auto"] = "auto",
        s: int | tuple[int, int] = 20,
        d: float = 100,
        n_states: int = 100,
        epochs: int | Literal["auto"] = 30,
        booleanizer: Literal["auto"] | Booleanizer | None = "auto",
        shuffle: Shuffle = "sorted",
        n_jobs: int | None = None,
        backend: str = "auto",
        random_state: Any = None,
        verbose: int = 0,
        weak: Literal["every", "rota"] = "rota",
        selection: Literal["random", "weyl"] = "random",
        other_class: OtherClass = "random",
        start: Literal["random", "empty"] = "random",
        tolerance: int = 3,
        max_literals: int | None = 12,
        weights: Literal["fixed", "integer"] = "fixed",
        patch: int | tuple[int, int] | None = None,
        stride: int | tuple[int, int] = 1,
        image_shape: int | tuple[int, ...] | None = None,
    ) -> None:
        self.n_clauses = n_clauses
        self.T = T
        self.s = s
        self.d = d
        self.n_states = n_states
        self.epochs = epochs
        self.booleanizer = booleanizer
        self.shuffle = shuffle
        self.n_jobs = n_jobs
        self.backend = backend
        self.random_state = random_state
        self.verbose = verbose
        self.weak = weak
        self.selection = selection
        self.other_class = other_class
        self.start = start
        self.tolerance = tolerance
        self.max_literals = max_literals
        self.weights = weights
        self.patch = patch
        self.stride = stride
        self.image_shape = image_shape

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Go on learning: one epoch over these samples.

        The range of y is that of the first call: what lies beyond it is learned as its end. If anything about the call
        is refused, the estimator is left as it was.

        Parameters
        ----------
        X, y, sample_weight
            As in ``fit``. A Booleanizer is fitted, and ``start`` counts, on the first call only.

        Returns
        -------
        self
        """
        learn = self._next_partial_fit if hasattr(self, "model_") else self._first_partial_fit
        return learn(X, y, sample_weight)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The number that the votes say for each sample, in y's units and within ``y_range_``."""
        now, voter, literals = self._ready(X)
        return answers(voter, now.model_.head, literals, n_jobs=now._threads())

    # ---- parameters ----------------------------------------------------------------------------------------------

    def _votes(self) -> dict[str, Any]:
        integer = check_choice("weights", self.weights, ("fixed", "integer")) == "integer"
        return {
            "n_clauses": check_whole("n_clauses", self.n_clauses, low=1, high=65536),
            "goal": "value",
            "weights": "sided" if integer else "fixed",
        }

    # ---- numbers -------------------------------------------------------------------------------------------------

    def _learn_targets(self, y: Any, n_samples: int, known: Any) -> Targets:
        values = _numbers(y, n_samples)
        low, high = float(values.min()), float(values.max())
        if not math.isfinite(high - low):
            raise ValueError(f"y must have a range that is a finite number, got values from {low:g} to {high:g}")
        self.y_range_ = low, high
        if high > low:
            advice.far_values(low, high, float(np.ptp(np.quantile(values, (0.1, 0.9)))) / (high - low))
        return values

    def _known_targets(self, y: Any, n_samples: int) -> Targets:
        return _numbers(y, n_samples)

    def _head(self) -> Head:
        return Value(self._settings(0).T, *self.y_range_)

    def _known_head(self) -> Head:
        return replace(cast(Value, self.model_.head), T=self._settings(0).T)


def _numbers(y: Any, n_samples: int) -> NDArray[np.float64]:
    """y as one finite number for each sample."""
    if y is None:
        raise ValueError("y must hold the numbers: this estimator requires y to be passed, but the target y is None")
    if np.ma.is_masked(y):
        raise ValueError("y must hold a number for every sample, got masked values")
    column = column_or_1d(y.to_numpy() if hasattr(y, "to_numpy") else np.asarray(y), warn=True)
    if column.dtype.kind not in "biufO":
        raise ValueError(f"y must hold real numbers, got {column.dtype}")
    with np.errstate(invalid="ignore"):  # a sum of both signs may overflow while it looks for infinities
        values = check_array(column, ensure_2d=False, dtype=np.float64, ensure_min_samples=1, input_name="y")
    if len(values) != n_samples:
        raise ValueError(f"X and y must have the same length, got {n_samples} samples and {len(values)} numbers")
    return np.asarray(values)
