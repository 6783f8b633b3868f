"""The samples of a call: what is read, what it should say, which rows count, in which order, and how often each.

Rows are sorted, held out and weighted by naming rows: the packed literals are never copied for it. Nothing here is
drawn, whatever the machine draws: docs/spec.md, Sorted rows, Weights and Held-out rows. What a row then asks of the
banks is the head's to say, and how an epoch mixes them is ``schedule``'s.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm import advice
from adtm.learning.columns import Columns, Taught
from adtm.machine import weyl
from adtm.machine.draws import Purpose, key, subkeys
from adtm.tables.literals import Literals

Rows = NDArray[np.intp]

#: Rows that weights may show in an epoch, each repetition counted: their numbers alone take 2 GiB.
MOST_SHOWN = 2**28
#: Words of rows that are compared at a time.
_COMPARED = 1 << 20


@dataclass(frozen=True)
class Samples:
    """Rows of packed literals with their targets.

    >>> from adtm import Literals
    >>> samples = Samples(Literals.from_boolean(np.eye(3)), np.array([0, 1, 1]), weights=np.array([1.0, 0.5, 2.0]))
    >>> [samples.shown(epoch).tolist() for epoch in range(4)]
    [[0, 1, 2, 2], [0, 2, 2], [0, 1, 2, 2], [0, 2, 2]]
    """

    literals: Literals  # possibly with rows that do not count here
    targets: NDArray[Any]  # one for each row of the literals: class indices, or whatever the head asks for
    rows: Rows | None = None  # those that count, in their order; None is all as they come
    weights: NDArray[np.float64] | None = None  # how often each row of the literals is shown in an epoch; None is once
    places: Rows | None = None  # for each of `rows` a number that equal samples share
    counts: NDArray[np.int64] | None = None  # how many samples a row of the literals is, each on a side of its own
    taught: Taught | None = None  # where y teaches thresholds: whoever judges these must not have been among the rows
    columns: Columns | None = None  # by which the literals were made, where those are not all rows' columns

    def __len__(self) -> int:
        return len(self.literals) if self.rows is None else len(self.rows)

    @property
    def n_samples(self) -> int:
        """How many samples these rows are, each as many as its whole weight where order leaves that open."""
        return len(self) if self.counts is None else int(self.counts[self.where].sum())

    @property
    def n_shown(self) -> float:
        """How many rows count, each as often as its weight says."""
        return len(self) if self.weights is None else float(self.weights[self.where].sum())

    @property
    def where(self) -> Rows:
        """The rows that count, one by one."""
        return np.arange(len(self.literals)) if self.rows is None else self.rows

    @property
    def weights_of_rows(self) -> NDArray[np.float64]:
        """How often each row of the literals is shown in an epoch."""
        return np.ones(len(self.literals)) if self.weights is None else self.weights

    def sorted(self) -> Samples:
        """The same samples in an order that depends on what they say alone, equal ones side by side."""
        keys, words = contents(self.literals), self.literals.words
        then = [*([] if self.weights is None else [self.weights]), *np.atleast_2d(self.targets.T)]
        if self.taught is not None:  # rows that are equal to these thresholds need not be so to others
            then = [*self.taught.ranks, *then]
        rows = np.lexsort([*then, keys])
        if self.rows is not None:
            rows = rows[np.isin(rows, self.rows)]
        new = _changes(words, keys, rows)
        met = keys[rows[1:]][new[1:] & ~_steps(keys[rows])[1:]]  # sums that rows share which say different things
        if len(met):
            at = np.flatnonzero(np.isin(keys[rows], met))
            order = np.lexsort([*(column[rows[at]] for column in then), *words[rows[at]].T[::-1], keys[rows[at]]])
            rows[at] = rows[at][order]
            new = _changes(words, keys, rows)
        for column in np.atleast_2d(self.targets.view(f"u{self.targets.itemsize}").T):
            new |= _steps(column[rows])  # one column at a time: rows may be many
        return replace(self, rows=rows, places=np.cumsum(new))

    def shown(self, epoch: int) -> Rows | None:
        """The rows to learn from after so many epochs, each as often as it is shown; None is every row once."""
        if self.weights is None:
            return self.rows
        return np.repeat(self.where, times_shown(self.weights[self.where], epoch))

    def judging(self) -> Rows | None:
        """The rows to judge a machine by, each as often as it is shown at first; None is every row once.

        Weights so small that none would be shown are raised to a mean of 1.
        """
        rows = self.shown(0)
        if rows is None or len(rows):
            return rows
        assert self.weights is not None
        return np.repeat(self.where, times_shown(at_least_once(self.weights[self.where]), 0))

    def by_member(self, n_members: int, share: float) -> list[Samples]:
        """What each member of a committee learns from: everything, or its share of the rows."""
        if share == 1:
            return [self] * n_members
        circle = spread(self.targets[self.where])
        n, size = len(circle), math.ceil(share * len(circle))
        masks = np.zeros((n_members, n), np.bool_)
        for member, mask in enumerate(masks):
            mask[circle[(member * n // n_members + np.arange(size)) % n]] = True
        return [self._take(mask) for mask in masks]

    def copied(self) -> Samples:
        """These samples alone, in their order, with literals of their own."""
        where = self.where
        weights = None if self.weights is None else self.weights[where]
        counts = None if self.counts is None else self.counts[where]
        taught = None if self.taught is None else self.taught.take(where)
        literals, targets = self.literals.take(where), self.targets[where]
        return Samples(literals, targets, None, weights, self.places, counts, taught, self.columns)

    def at_most(self, n_rows: int) -> Samples:
        """These samples, or so many of them as ``split`` would hold out."""
        return self if self.n_samples <= n_rows else self._split(n_rows / self.n_samples, 0)[1]

    def weighed(self, by: NDArray[np.float64]) -> Samples:
        """These samples, each so many times as often: one number for each row of the literals, 0 leaves it out."""
        weights = by if self.weights is None else self.weights * by
        return replace(self._take(weights[self.where] > 0), weights=weights)

    def split(self, fraction: float, part: int = 0) -> tuple[Samples, Samples]:
        """The rows to learn from, and those that are held out of it; another ``part`` holds out other rows.

        A row that is several samples may be on both sides, as rows of their own may.
        """
        return self._apart(*self._split(fraction, part))

    def _apart(self, learn: Samples, held: Samples) -> tuple[Samples, Samples]:
        """Both sides, with thresholds that the rows to learn from have taught alone, where y teaches some."""
        if self.taught is None:
            return learn, held
        columns, literals = self.taught.by(learn.where)
        learn, held = (replace(part, literals=literals, columns=columns, taught=None) for part in (learn, held))
        return learn if self.places is None else learn.sorted(), held

    def _split(self, fraction: float, part: int) -> tuple[Samples, Samples]:
        rows = self.where
        if self.counts is None:
            out = held_out(self.targets[rows], fraction, part)
            return self._take(~out), self._take(out)
        counts = self.counts[rows]
        row = np.repeat(np.arange(len(rows)), counts)
        taken = np.bincount(row[held_out(self.targets[rows][row], fraction, part)], minlength=len(rows))
        return self._counting(counts - taken), self._counting(taken)

    def _counting(self, counts: NDArray[np.int64]) -> Samples:
        """So many of the samples of each row; rows of none are left out."""
        assert self.counts is not None
        assert self.weights is not None
        every = np.zeros_like(self.counts)
        every[self.where] = counts
        weights = self.weights * every / np.maximum(self.counts, 1)
        return replace(self._take(counts > 0), weights=weights, counts=every)

    def portions(self, fraction: float, part: int = 0) -> tuple[Samples, Samples]:
        """The rows to learn from, and those that are held out: of equal samples as many as is their share.

        So new rows that repeat old ones are judged as they come. Rows of their own and one row with a weight are the
        same.
        """
        if self.places is None or self.taught is not None:  # to other thresholds these need not be equal
            return self.split(fraction, part)
        first = np.flatnonzero(np.concatenate([[True], self.places[1:] != self.places[:-1]]))
        weights = np.ones(len(self)) if self.weights is None else self.weights[self.where]
        times = np.add.reduceat(weights, first)
        rows = self.where[first]
        order = np.lexsort(np.atleast_2d(self.targets[rows].T))
        out = np.empty_like(times)
        shift = 0.5 + part * fraction
        out[order] = np.diff(np.floor(np.cumsum(times[order]) * fraction + shift), prepend=np.floor(shift))
        out = np.minimum(out, times)
        return self._weighted(rows, times - out), self._weighted(rows, out)

    def _weighted(self, rows: Rows, times: NDArray[np.float64]) -> Samples:
        """Different samples, each so many times; those of none are left out."""
        weights = np.zeros(len(self.literals))
        weights[rows] = times
        there = times > 0
        whole = (times[there] == 1).all()
        return Samples(self.literals, self.targets, rows[there], None if whole else weights, np.flatnonzero(there))

    def _take(self, mask: NDArray[np.bool_]) -> Samples:
        rows = np.flatnonzero(mask) if self.rows is None else self.rows[mask]
        return replace(self, rows=rows, places=None if self.places is None else self.places[mask])


def contents(literals: Literals) -> NDArray[np.uint64]:
    """A number for what each row says: its words times constants in no order, added up modulo 2⁶⁴."""
    constants = subkeys(key(0, Purpose.PHASE, 1), np.arange(literals.words.shape[1], dtype=np.uint64))
    return literals.words @ constants


def _steps(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of these differ from the one before; the first does not."""
    return np.concatenate([np.zeros(min(1, len(values)), np.bool_), values[1:] != values[:-1]])


def _changes(words: NDArray[np.uint64], keys: NDArray[np.uint64], rows: Rows) -> NDArray[np.bool_]:
    """Which of these rows say something else than the one before: keys that differ do, those alike nearly never."""
    changes = _steps(keys[rows])
    alike = np.flatnonzero(~changes)[1:]
    for begin in range(0, len(alike), step := max(1, _COMPARED // words.shape[1])):
        pairs = alike[begin : begin + step]
        changes[pairs] = (words[rows[pairs]] != words[rows[pairs - 1]]).any(axis=1)
    return changes


def times_shown(weights: NDArray[np.float64], epoch: int) -> NDArray[np.intp]:
    """How often each row is shown: after e epochs row i has been shown ⌊e·w + φ(i)⌋ times, 0 <= φ < 1 evenly spread.

    A whole weight is that number in every epoch.
    """
    phase = weyl.words(0, weyl.SAMPLE, len(weights)) / 2.0**32
    return (np.floor((epoch + 1) * weights + phase) - np.floor(epoch * weights + phase)).astype(np.intp)


def at_least_once(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights raised to a mean of 1 where it is below: those that add up to 1, as boosting has them, show nothing else.

    Whole numbers above 0 have a mean of at least 1 and stay as they are.

    >>> at_least_once(np.array([0.1, 0.1, 0.2])).round(2).tolist(), at_least_once(np.array([1.0, 2.0])).tolist()
    ([0.75, 0.75, 1.5], [1.0, 2.0])
    """
    try:
        shown = math.fsum(weights.tolist())  # exact, so that the order of the rows does not matter
    except OverflowError:
        shown = math.inf
    if shown > MOST_SHOWN:
        raise ValueError(
            f"the weights of the samples must add up to at most {MOST_SHOWN}, the rows that an epoch can show, got "
            f"{shown:.6g}. Where only their proportions count, divide them by their mean"
        )
    advice.heavy_weights(shown / len(weights))
    if shown < len(weights) and np.ptp(weights) == 0:
        return np.ones(len(weights))  # as without weights, which c * (n / (n * c)) need not be in floats
    if shown < 2.0**-900:  # their reciprocal could be infinite; times a power of two they are the same weights
        weights, shown = weights * 2.0**900, shown * 2.0**900
    return weights * max(1.0, len(weights) / shown)


def held_out(targets: NDArray[Any], fraction: float, part: int = 0) -> NDArray[np.bool_]:
    """Which samples are held out: of those sorted by target, the share with the smallest words, or one further on.

    At least one sample is on each side.

    >>> [int(held_out(np.zeros(n), 0.3).sum()) for n in (2, 5, 6)]
    [1, 2, 2]
    """
    n = len(targets)
    out = np.zeros(n, np.bool_)
    size = _n_held_out(n, fraction)
    out[spread(targets, slice(part * size, (part + 1) * size))] = True
    return out


def n_parts(n: int, fraction: float) -> int:
    """In how many parts of that size each of so many samples is held out once.

    >>> [n_parts(n, 0.2) for n in (1, 2, 7, 8, 50)]
    [1, 2, 7, 4, 5]
    """
    return math.ceil(n / max(1, _n_held_out(n, fraction)))


def _n_held_out(n: int, fraction: float) -> int:
    return min(max(1, round(fraction * n)), n - 1)


def spread(targets: NDArray[Any], part: slice = slice(None)) -> NDArray[np.intp]:
    """The samples in an order of which every stretch has its share of each class, and of each stretch of rows.

    Sorted by target they get multiples of the golden ratio as words, which decide the order: no period of the rows
    meets one of the choice.
    """
    by_target = np.lexsort(np.atleast_2d(targets.T))
    return by_target[np.argsort(weyl.words(2**31, weyl.SAMPLE, len(targets)), kind="stable")[part]]
