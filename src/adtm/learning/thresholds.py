"""Thresholds that a machine moves: for each column a few searches on the line, led by the machine's own feedback.

docs/spec.md, Adaptive thresholds, says what is computed, and this file is that section as a program. A machine learns
one epoch with the thresholds as they are, and its clauses then tell on which side of each threshold every row should
lie. All numbers are whole, so that thresholds do not depend on the backend, its threads or the CPU. Reading tables and
writing bits is left to ``adtm.tables``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from adtm.learning.estimators import ADTMClassifier
from adtm.machine.backends.reference.outputs import most_votes
from adtm.machine.draws import Purpose, key, words
from adtm.machine.model import Model
from adtm.machine.schedule import Schedule, Streams
from adtm.tables.answers import is_indicator, plain_labels
from adtm.tables.booleanizer import Booleanizer
from adtm.tables.literals import Literals
from adtm.tables.pieces import Pieces
from adtm.tables.table import columns_of, is_sparse
from adtm.validation import check_whole

#: Of the line, the first step of a search; and in how many rounds a search has its turn.
FIRST_STEP, TURNS = 8, 2
#: Searches end within tens of rounds; so many take as long as so many epochs.
MOST_ROUNDS = 10_000


class AdaptiveBooleanizer(Booleanizer):
    """A Booleanizer with few thresholds for each numeric column, which move to where a machine needs them.

    ``ADTMClassifier(booleanizer=AdaptiveBooleanizer())`` uses it, and so does a pipeline: it needs ``y``, the classes.
    It starts from the thresholds of ``Booleanizer(max_bits)``. With three classes or more they depend on the order of
    the rows, in which other classes take turns. Where it pays and where it does not: docs/thresholds.md.

    Parameters
    ----------
    max_bits : int, "auto" or None, default=2
        The most thresholds of a numeric column, as of ``Booleanizer``.
    missing : {"error", "indicator"}, default="indicator"
        As of ``Booleanizer``.
    rounds : int, default=40
        Epochs that the machine learns, after each of which half of the thresholds may move; at most 10,000.
    seed : int or None, default=None
        The seed of the directions, which are then drawn as in a stochastic search on the line. None draws nothing.

    Attributes
    ----------
    columns_, bits_, n_bits_, n_features_in_, feature_names_in_
        As of ``Booleanizer``. Two thresholds that meet are one.

    Examples
    --------
    >>> import numpy as np
    >>> from adtm import AdaptiveBooleanizer, Booleanizer
    >>> X = np.tile(np.arange(200.0), 2)[:, None]
    >>> y = X[:, 0] > 150
    >>> Booleanizer(max_bits=1).fit(X).get_feature_names_out().tolist()
    ['x0 <= 99']
    >>> AdaptiveBooleanizer(max_bits=1).fit(X, y).get_feature_names_out().tolist()
    ['x0 <= 150']
    """

    def __init__(
        self,
        max_bits: int | Literal["auto"] | None = 2,
        missing: Literal["error", "indicator"] = "indicator",
        rounds: int = 40,
        seed: int | None = None,
    ) -> None:
        super().__init__(max_bits, missing)
        self.rounds = rounds
        self.seed = seed

    def fit(self, X: Any, y: Any = None) -> AdaptiveBooleanizer:
        """Learn thresholds and categories.

        Parameters
        ----------
        X : array-like, pandas or polars frame, shape (n_samples, n_features)
            The training data, as a whole.
        y : array-like, shape (n_samples,)
            Its classes.

        Returns
        -------
        AdaptiveBooleanizer
            Itself.
        """
        if is_sparse(X) or isinstance(X, Pieces):
            raise ValueError(f"X must be a whole dense table where thresholds are moved, got a {type(X).__name__}")
        if y is None or is_indicator(y):
            got = "None" if y is None else "several labels"
            raise ValueError(f"y must hold a class for each row of a table where thresholds are moved, got {got}")
        fitted = copy(self)  # a call that is refused changes nothing
        Booleanizer.fit(fitted, X)
        lines, fixed = fitted._lines(X)
        labels = plain_labels(y, len(fixed))
        if lines and (labels != labels[0]).any():  # in a first piece all may be of one class
            seed = None if self.seed is None else int(self.seed)
            search(ADTMClassifier(), lines, fixed, labels, rounds=int(self.rounds), seed=seed)
        at = {line.column: line.thresholds for line in lines}
        fitted.columns_ = [replace(column, thresholds=at.get(j, ())) for j, column in enumerate(fitted.columns_)]
        self._become(fitted)
        return self

    def _lines(self, X: Any) -> tuple[list[Line], NDArray[np.bool_]]:
        """The lines of the numeric columns that have a threshold, and all other bits: (rows, bits)."""
        table = self._read(X, reset=False)
        lines = [
            Line.of(j, values.data.astype(np.float64), column.thresholds)
            for j, (values, column) in enumerate(zip(columns_of(table), self.columns_, strict=True))
            if column.kind == "numeric" and column.thresholds
        ]
        others = [k for k, bit in enumerate(self.bits_) if bit.kind != "<="]
        return lines, self._layout.bits(table)[:, others]

    def check_parameters(self) -> None:
        """Refuse parameters that ``fit`` would refuse."""
        super().check_parameters()
        check_whole("rounds", self.rounds, low=1, high=MOST_ROUNDS)
        if self.seed is not None:
            check_whole("seed", self.seed, low=0, high=2**64 - 1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.target_tags.required = True
        return tags


def booleanizer_of(parameters: Mapping[str, Any]) -> Booleanizer:
    """The Booleanizer that has these parameters: with ``rounds``, the one whose thresholds move.

    >>> booleanizer_of({"max_bits": 8}), booleanizer_of({"max_bits": 3, "rounds": 9})
    (Booleanizer(max_bits=8), AdaptiveBooleanizer(max_bits=3, rounds=9))
    """
    return (AdaptiveBooleanizer if "rounds" in parameters else Booleanizer)(**parameters)


@dataclass
class Line:
    """The distinct values of a column in ascending order, and the searches on them."""

    column: int
    values: NDArray[np.float64]  # (values,)
    places: NDArray[np.intp]  # (rows,): the number of each row's value; past the last where it is missing
    at: NDArray[np.intp]  # (searches,): the number of each threshold's value, never that of the largest
    steps: NDArray[np.intp]  # (searches,): how far each moves
    ways: NDArray[np.intp]  # (searches,): in which direction each moved last, 1 or -1; 0 before

    @classmethod
    def of(cls, column: int, data: NDArray[np.float64], thresholds: Sequence[float]) -> Line:
        """The line of some data (NaN is missing), with the searches at thresholds that are among them."""
        values = np.unique(data[~np.isnan(data)])
        at = np.searchsorted(values, thresholds)
        places = np.where(np.isnan(data), len(values), np.searchsorted(values, data))
        first = np.full(len(at), max(1, (len(values) - 1) // FIRST_STEP))
        return cls(column, values, places, at, first, np.zeros_like(first))

    @property
    def bits(self) -> NDArray[np.bool_]:
        """What the thresholds say of each row: (rows, searches)."""
        return self.places[:, None] <= self.at

    @property
    def thresholds(self) -> tuple[float, ...]:
        """Where the searches are."""
        return tuple(self.values[np.unique(self.at)].tolist())

    def move(self, k: int, wishes: NDArray[np.int64], word: int | None) -> None:
        """Move search k one step, by each row's wish for its bit to be true and a drawn word, if there is one."""
        height = np.zeros(len(self.values) + 1, np.int64)
        np.add.at(height, self.places, wishes)
        height = np.cumsum(height)  # what the machine gains if the threshold is there
        here, step = int(self.at[k]), int(self.steps[k])
        above, below = min(here + step, len(self.values) - 2), max(here - step, 0)
        up, down = (max(0, int(height[there] - height[here])) for there in (above, below))
        upwards = up > down if word is None else word * (up + down) < up << 32
        way = 0 if up == down == 0 else 1 if upwards else -1
        if way == 0 or way == -self.ways[k]:
            self.steps[k] = max(1, step // 2)
        if way != 0:
            self.at[k], self.ways[k] = (above if way > 0 else below), way


def search(
    machine: Any, lines: Sequence[Line], fixed: NDArray[np.bool_], y: NDArray[Any], *, rounds: int, seed: int | None
) -> None:
    """Move the searches on the lines by the feedback of a classifier, which learns one epoch in each round."""
    classes, targets = np.unique(y, return_inverse=True)
    n_searches = sum(len(line.at) for line in lines)
    for r in range(rounds):
        bits = np.hstack([*(line.bits for line in lines), fixed])
        machine.partial_fit(Literals.from_boolean(bits), y, classes=classes)
        wished = wishes(machine.model_, bits, targets)
        drawn = None if seed is None else words(key(seed, Purpose.THRESHOLD, r), n_searches).tolist()
        searches = [(line, k) for line in lines for k in range(len(line.at))]
        for number, (line, k) in enumerate(searches):
            if (number + r) % TURNS == 0:
                line.move(k, wished[:, number], drawn[number] if drawn else None)


def wishes(model: Model, bits: NDArray[np.bool_], targets: NDArray[np.intp]) -> NDArray[np.int64]:
    """How much the steps of an epoch would gain from each bit of each row if it were true, not false: (rows, bits)."""
    streams, _ = model.head.streams(targets, Schedule(False, "rotate"), seed=0, epoch=0, first=0)
    wished = np.zeros(bits.shape, np.int64)
    for bank in range(len(model.memory.states)):
        steps = streams.take([bank])
        np.add.at(wished, steps.rows.astype(np.intp), _wishes_of_steps(model, bank, bits, steps))
    return wished


def _wishes_of_steps(model: Model, bank: int, bits: NDArray[np.bool_], steps: Streams) -> NDArray[np.int64]:
    """The gap of each step times the votes towards its goal that each bit decides: (steps, bits)."""
    settings, T, o = model.settings, model.settings.T, bits.shape[1]
    include = model.memory.states[bank] >= settings.n_states
    seen = bits[steps.rows]
    literals = np.hstack([seen, ~seen])
    weights = model.memory.weights[bank][steps.outputs].astype(np.int64)  # (steps, m)
    # Products are those of doubles, which hold these whole numbers exactly.
    spare = most_votes(include, settings.most_votes) - _product(~literals, include.T).astype(np.int64)
    votes = np.clip((weights * np.maximum(spare, 0)).sum(axis=1), -T, T)
    towards = np.where(steps.targets > 0, T - votes, -(T + votes))[:, None] * weights
    # A true literal that turns false costs a vote where one is cast; a false one that turns true brings one where not
    # too many others fail.
    true, false = (towards * (spare >= least) for least in (1, 0))
    own, other = include[:, :o] & ~include[:, o:], include[:, o:] & ~include[:, :o]
    gains = np.where(seen, _product(true, own) - _product(false, other), _product(false, own) - _product(true, other))
    return gains.astype(np.int64)


def _product(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.float64]:
    product: NDArray[np.float64] = left.astype(np.float64) @ right.astype(np.float64)
    return product
