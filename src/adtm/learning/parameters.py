"""What the parameters of an estimator say, checked: the machine's settings, the course of learning, the view of images.

Nothing here has seen data. The parameters of each machine and their defaults are in ``estimators`` and ``regressor``;
what a single value may be is in ``validation``.
"""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from joblib import cpu_count, effective_n_jobs
from sklearn.base import BaseEstimator, clone

from adtm.learning.fitting import Course
from adtm.learning.stopping import ROWS_FOR_EARLY_STOPPING
from adtm.machine.backends import get_backend
from adtm.machine.schedule import OtherClass, Schedule, Shuffle
from adtm.machine.settings import Settings, auto_parts, auto_target
from adtm.tables.booleanizer import Booleanizer
from adtm.tables.images import View
from adtm.validation import check_choice, check_fraction, check_seed, check_verbosity, check_whole, is_auto

__all__ = ["Parameters"]

#: With ``epochs="auto"``: epochs at most and at least, and samples to be shown in all.
MOST_EPOCHS, LEAST_EPOCHS, SHOWN = 60, 10, 3_000_000

#: Thresholds for each channel of an image where nobody chose them.
_THRESHOLDS_OF_A_PIXEL = 4


class Parameters(BaseEstimator):  # type: ignore[misc]
    """Parameters that every machine has. A subclass names them in its constructor and describes its automata."""

    n_clauses: int
    T: int | Literal["auto"]
    n_states: int
    epochs: int | Literal["auto"]
    early_stopping: bool | Literal["auto"] = False  # for machines without such a parameter, as the next ones
    validation_fraction: float = 0.1
    n_iter_no_change: int = 10
    booleanizer: Literal["auto"] | Booleanizer | None
    shuffle: Shuffle
    selection: Literal["random", "weyl"]
    other_class: OtherClass
    start: Literal["random", "empty"]
    weights: Literal["fixed", "integer"]
    tolerance: int
    max_literals: int | None
    n_other_classes: int
    patch: int | tuple[int, int] | None
    stride: int | tuple[int, int]
    image_shape: int | tuple[int, ...] | None
    n_jobs: int | None
    backend: str
    random_state: Any
    verbose: int

    def set_params(self, **params: Any) -> Self:
        """Set parameters; those of the Booleanizer, such as ``booleanizer__max_bits``, also where it is ``"auto"``.

        Examples
        --------
        >>> from adtm import ADTMClassifier
        >>> ADTMClassifier().set_params(booleanizer__max_bits=5)
        ADTMClassifier(booleanizer=Booleanizer(max_bits=5, missing='indicator'))
        """
        nested = [name for name in params if name.startswith("booleanizer__")]
        if nested:
            super().set_params(**{name: params.pop(name) for name in list(params) if name not in nested})
            if not isinstance(self.booleanizer, Booleanizer):
                self.booleanizer = self._new_booleanizer()
            if self.booleanizer is None:
                raise ValueError(f"{nested[0]} must come with a Booleanizer or 'auto', got booleanizer=None")
        super().set_params(**params)
        return self

    # ---- what a subclass says ------------------------------------------------------------------------------------

    def _automata(self, n_states: int) -> dict[str, Any]:
        """The fields of ``Settings`` that say how the automata move: step, d, weak, s and boost."""
        raise NotImplementedError

    def _votes(self) -> dict[str, Any]:
        """The fields of ``Settings`` that say what votes are for: n_clauses, goal and weights."""
        raise NotImplementedError

    # ---- the machine ---------------------------------------------------------------------------------------------

    def check_parameters(self, seed: int = 0) -> Settings:
        """Refuse parameters that ``fit`` would refuse; returns the machine's settings under a seed.

        Nothing is drawn from ``random_state``.

        Examples
        --------
        >>> from adtm import ADTMClassifier
        >>> ADTMClassifier(n_clauses=20).check_parameters(seed=3).n_clauses
        20
        """
        self._course()
        self._new_booleanizer()
        if not is_auto(self.epochs):
            check_whole("epochs", self.epochs, low=1, high=2**31 - 1, instead="'auto'")
        check_choice("early_stopping", self.early_stopping, ("auto", True, False))
        check_fraction("validation_fraction", self.validation_fraction)
        check_whole("n_iter_no_change", self.n_iter_no_change, low=1, high=2**31 - 1)
        self._view()
        check_verbosity(self.verbose)
        if not isinstance(self.random_state, (np.random.Generator, np.random.RandomState)):
            check_seed(self.random_state)
        return self._settings(seed)

    def _settings(self, seed: int) -> Settings:
        n_states = check_whole("n_states", self.n_states, low=1, high=32768)
        votes = self._votes()
        tolerance = check_whole("tolerance", self.tolerance, low=0, high=254)
        return Settings(
            **votes,
            T=self._target(most_votes=tolerance + 1, **votes),
            n_states=n_states,
            seed=seed,
            selection=check_choice("selection", self.selection, ("random", "weyl")),
            start=check_choice("start", self.start, ("random", "empty")),
            tolerance=tolerance,
            max_literals=None
            if self.max_literals is None
            else check_whole("max_literals", self.max_literals, low=1, high=2**31 - 1),
            **self._automata(n_states),
        )

    def _target(self, n_clauses: int, most_votes: int, goal: str, weights: str) -> int:
        if not is_auto(self.T):
            return check_whole("T", self.T, low=1, high=2**30, instead="'auto'")
        if goal == "value":
            return auto_parts(n_clauses, most_votes, learned_weights=weights != "fixed")
        return auto_target(n_clauses, most_votes)

    # ---- learning ------------------------------------------------------------------------------------------------

    def _course(self, **asked: Any) -> Course:
        """How this estimator learns; ``asked`` is what a call asks for besides."""
        schedule = Schedule(
            self._check_shuffle(),
            check_choice("other_class", self.other_class, ("random", "rotate")),
            check_whole("n_other_classes", self.n_other_classes, low=1, high=65535),
        )
        return Course(get_backend(self.backend), self._threads(), schedule, **asked)

    def _check_shuffle(self) -> Shuffle:
        shuffle: Shuffle = check_choice("shuffle", self.shuffle, (True, False, "weyl", "sorted"))
        return shuffle

    def _n_epochs(self, n_samples: int) -> int:
        if isinstance(self.epochs, str):
            return max(LEAST_EPOCHS, min(MOST_EPOCHS, SHOWN // n_samples))
        return int(self.epochs)

    def _stops_early(self, n_samples: int) -> bool:
        """A number of epochs that was named is learned whole, unless early stopping was named too."""
        if isinstance(self.early_stopping, str):
            return isinstance(self.epochs, str) and n_samples > ROWS_FOR_EARLY_STOPPING
        return bool(self.early_stopping)

    def _threads(self) -> int:
        if self.n_jobs is not None:
            check_whole("n_jobs", self.n_jobs, low=-(2**15), high=2**15)
            if self.n_jobs == 0:
                raise ValueError("n_jobs must be None, a whole number >= 1, or negative to count from all cores, got 0")
        if self.n_jobs == 1:
            return 1
        n_jobs = int(effective_n_jobs(self.n_jobs))
        # More threads than cores would wait for each other; the result is the same.
        return n_jobs if n_jobs == 1 else min(n_jobs, int(cpu_count()))

    # ---- data ----------------------------------------------------------------------------------------------------

    def _new_booleanizer(self) -> Booleanizer | None:
        if self.booleanizer is None:
            return None
        if isinstance(self.booleanizer, Booleanizer):
            return clone(self.booleanizer)  # type: ignore[no-any-return]
        if is_auto(self.booleanizer):
            if self.patch is not None:
                return Booleanizer(max_bits=_THRESHOLDS_OF_A_PIXEL)
            return Booleanizer(missing="indicator")
        raise ValueError(f"booleanizer must be 'auto', None or a Booleanizer, got {self.booleanizer!r}")

    def _view(self) -> View | None:
        """How the machine looks at images, if it does."""
        return None if self.patch is None else View.of(self.patch, self.stride, self.image_shape)
