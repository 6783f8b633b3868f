"""Thresholds of a column that comes in pieces: the same as of the whole column, in memory that no row adds to.

Numbers are counted as *keys*, whole numbers of 64 bits in the same order. Up to ``MOST_COUNTED`` different ones are
counted each, which takes one pass. Beyond that the wanted ranks are found by radix selection: one pass counts the upper
bits, the next ones refine only the intervals that hold a wanted rank. Where a frequent value takes several quantiles,
the different values between them have to be counted too, some of them in each pass (``_Walk``). Columns of other kinds,
and the passes themselves, are in ``gathering``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adtm.tables.columns import bits_with_ties, choose_thresholds

#: Different numbers of a column, and of an interval that is refined, that are counted each.
MOST_COUNTED, MOST_IN_INTERVAL = 1 << 16, 1 << 12
#: Bits of a key that are counted together: the first time, and to refine an interval.
FIRST_DIGIT, DIGIT = 16, 12
#: Different numbers that a walk holds at a time.
WALKED_AT_ONCE = 1 << 22

_SIGN = np.uint64(1 << 63)
Keys = NDArray[np.uint64]
Counts = NDArray[np.int64]


def keys_of(numbers: NDArray[np.float64]) -> Keys:
    """Numbers without NaN as keys: in the same order, -0 and 0 alike.

    Examples
    --------
    >>> import numpy as np
    >>> from adtm.tables.ranks import keys_of, numbers_of
    >>> keys = keys_of(np.array([-2.0, -0.0, 0.0, 3.5]))
    >>> bool((np.diff(keys) >= 0).all()), numbers_of(keys).tolist()
    (True, [-2.0, 0.0, 0.0, 3.5])
    """
    words = (numbers + 0.0).view(np.uint64)
    return np.where(words & _SIGN, ~words, words | _SIGN)


def numbers_of(keys: Keys) -> NDArray[np.float64]:
    """The numbers that have these keys."""
    return np.where(keys & _SIGN, keys & ~_SIGN, ~keys).view(np.float64)


class _Found(NamedTuple):
    """A key, the rows below it and those that have it."""

    key: int
    below: int
    n: int


@dataclass
class _Interval:
    """The keys from ``first`` on that share all but their last ``bits`` bits, counted."""

    first: int
    bits: int
    digit: int
    most: float
    keys: Keys = field(default_factory=lambda: np.empty(0, np.uint64))
    counts: Counts = field(default_factory=lambda: np.empty(0, np.int64))
    bins: Counts | None = None  # in place of keys and counts, once there are too many
    inner: dict[int, _Interval] = field(default_factory=dict)
    is_counted: bool = False

    @property
    def last(self) -> int:
        return self.first + (1 << self.bits) - 1

    def add(self, keys: Keys, counts: Counts) -> None:
        """Count different keys of this interval, in their order."""
        if self.bins is None:
            every, places = np.unique(np.concatenate([self.keys, keys]), return_inverse=True)
            both = np.concatenate([self.counts, counts])
            self.keys, self.counts = every, np.bincount(places, both, len(every)).astype(np.int64)
            if len(every) <= self.most:
                return
            keys, counts, self.bins = self.keys, self.counts, np.zeros(1 << self.digit, np.int64)
            self.keys, self.counts = keys[:0], counts[:0]
        places = ((keys - np.uint64(self.first)) >> np.uint64(self.bits - self.digit)).astype(np.intp)
        self.bins += np.bincount(places, counts, len(self.bins)).astype(np.int64)

    def find(self, rank: int) -> _Found | _Interval:
        """The key at a rank from 1 on; or the interval to be counted."""
        if not self.is_counted:
            return self
        if self.bins is None:
            reached = np.cumsum(self.counts)
            place = int(np.searchsorted(reached, rank))
            n = int(self.counts[place])
            return _Found(int(self.keys[place]), int(reached[place]) - n, n)
        reached = np.cumsum(self.bins)
        place = int(np.searchsorted(reached, rank))
        below, bits = int(reached[place] - self.bins[place]), self.bits - self.digit
        if place not in self.inner:
            self.inner[place] = _Interval(self.first + (place << bits), bits, min(DIGIT, bits), MOST_IN_INTERVAL)
        inner = self.inner[place].find(rank - below)
        return inner if isinstance(inner, _Interval) else _Found(inner.key, below + inner.below, inner.n)


class _Walk:
    """The different keys of a column in their order, so many in a pass."""

    def __init__(self, most: int) -> None:
        self._most, self._before = most, 0
        self._keys, self._first, self._end = np.empty(0, np.uint64), 0, 1 << 64
        self.n_keys: int | None = None  # of all, when the walk has come to its end
        self.whole: Keys | None = None  # all keys, where one pass holds them
        self.places: dict[int, int] = {}  # of keys that were asked for, and the other way round
        self.asked_keys: set[int] = set()
        self.asked_places: set[int] = set()

    def add(self, keys: Keys) -> None:
        within = keys[np.searchsorted(keys, np.uint64(self._first)) :]
        if self._end < 1 << 64:
            within = within[: np.searchsorted(within, np.uint64(self._end))]
        self._keys = np.union1d(self._keys, within)
        if len(self._keys) > self._most:
            self._end, self._keys = int(self._keys[self._most]), self._keys[: self._most]

    def end_pass(self) -> None:
        """Note what was asked about the keys of this pass, and go on behind them or begin anew."""
        n = len(self._keys)
        for key in self.asked_keys:
            if self._first <= key < self._end:
                self.places[key] = self._before + int(np.searchsorted(self._keys, np.uint64(key)))
        for place in self.asked_places:
            if 0 <= place - self._before < n:
                self.places[int(self._keys[place - self._before])] = place
        self._before += n
        if self._end == 1 << 64:
            self.n_keys = self._before
            self.whole = self._keys if self._before == n else None
            self._before, self._first = 0, 0
        else:
            self._first = self._end
        self._keys, self._end = self._keys[:0], 1 << 64


class NumberTally:
    """A column of numbers, counted piece by piece until its thresholds are known.

    Parameters
    ----------
    max_bits, tied_bits : int or None
        As of ``choose_thresholds``.

    Examples
    --------
    >>> import numpy as np
    >>> from adtm.tables.ranks import NumberTally
    >>> tally = NumberTally(max_bits=1)
    >>> tally.add(np.array([3.0, 1.0]))
    >>> tally.add(np.array([2.0, np.nan]))
    >>> tally.end_pass()
    >>> tally.thresholds.tolist(), tally.n_missing
    ([2.0], 1)
    """

    def __init__(self, max_bits: int | None, tied_bits: int | None = None) -> None:
        self._max_bits, self._tied_bits = max_bits, tied_bits
        most = math.inf if max_bits is None else max(MOST_COUNTED, max_bits + 2, (tied_bits or 0) + 2)
        self._root = _Interval(0, 64, FIRST_DIGIT, most)
        self._open = [self._root]  # what this pass counts
        self._walk: _Walk | None = None
        self.n, self.n_missing = 0, 0
        self.thresholds: NDArray[np.float64] | None = None

    @property
    def is_known(self) -> bool:
        """Whether no further pass is needed."""
        return self.thresholds is not None

    def add(self, numbers: NDArray[np.float64], n_zeros: int = 0) -> None:
        """Count a piece of the column, NaN being missing, and so many zeros besides."""
        present = numbers[~np.isnan(numbers)]
        first = self._open == [self._root]
        if first:
            self.n += len(present) + n_zeros
            self.n_missing += len(numbers) - len(present)
        keys, counts = _counted(keys_of(present), n_zeros)
        if self._walk is not None:
            self._walk.add(keys)
            return
        firsts = np.array([each.first for each in self._open], np.uint64)
        lasts = np.array([each.last for each in self._open], np.uint64)
        begins, ends = np.searchsorted(keys, firsts), np.searchsorted(keys, lasts, side="right")
        for each, begin, end in zip(self._open, begins.tolist(), ends.tolist(), strict=True):
            if begin < end:
                each.add(keys[begin:end], counts[begin:end])

    def end_pass(self) -> None:
        """Choose thresholds, or what the next pass counts."""
        if self._walk is not None:
            self._walk.end_pass()
        for each in self._open:
            each.is_counted = True
        if self._root.bins is None:
            values, counts = numbers_of(self._root.keys), self._root.counts
            self.thresholds = choose_thresholds(values, counts, self._max_bits, self._tied_bits)
            return
        self._open = []
        chosen = self._chosen()
        if chosen is not None:
            self.thresholds = numbers_of(np.array(chosen, np.uint64))
        self._open = sorted({each.first: each for each in self._open}.values(), key=lambda each: each.first)

    def _chosen(self) -> list[int] | None:
        """The keys that ``choose_thresholds`` would take; None if a pass has to count more."""
        assert self._max_bits is not None
        found = self._at_quantiles(self._max_bits)
        if found is None:
            return None
        n_bits = bits_with_ties(len(found), self.n, self._max_bits, self._tied_bits)
        if n_bits is not None:
            return self._at_quantiles_again(n_bits)
        return self._with_others(sorted(each.key for each in found))

    def _find(self, rank: int) -> _Found | None:
        """The key at a rank; None where a pass has to count it first."""
        found = self._root.find(rank)
        if isinstance(found, _Found):
            return found
        self._open.append(found)
        return None

    def _at_quantiles(self, n_bits: int) -> set[_Found] | None:
        """The keys at so many quantiles, never the largest, each once; None if a pass has to count more."""
        largest = self._find(self.n)
        found = [self._find(rank) for rank in _quantiles(self.n, n_bits)]
        if largest is not None and largest in found:  # the next smaller value takes its place
            found = [self._find(largest.below) if each == largest else each for each in found]
        return None if largest is None else _all(found)

    def _at_quantiles_again(self, n_bits: int) -> list[int] | None:
        """So many keys: those at quantiles, and as often as it takes those at quantiles of the other rows."""
        chosen, largest = self._at_quantiles(n_bits), self._find(self.n)
        while chosen is not None and largest is not None and len(chosen) < n_bits:
            taken = sorted(chosen)
            n_others = largest.below - sum(each.n for each in taken)
            ranks = _quantiles(n_others, n_bits - len(chosen))
            found = _all([self._find(_rank_of(rank, taken)) for rank in ranks])
            chosen = None if found is None else chosen | found
        return None if chosen is None else sorted(each.key for each in chosen)

    def _with_others(self, chosen: list[int]) -> list[int] | None:
        """Where a value takes several quantiles: other values in place of the bits left over, spread evenly."""
        assert self._max_bits is not None
        n_left = self._max_bits - len(chosen)
        if n_left == 0:
            return chosen
        if self._walk is None:
            self._walk = _Walk(WALKED_AT_ONCE)
            self._walk.asked_keys = set(chosen)
        walk = self._walk
        if walk.n_keys is None:
            return None
        taken = sorted(walk.places[key] for key in chosen)
        n_others = walk.n_keys - 1 - len(taken)
        places = [_place_of((2 * k + 1) * n_others // (2 * n_left), taken) for k in range(n_left)]
        if walk.whole is not None:
            return sorted([*chosen, *walk.whole[places].tolist()])
        walk.asked_places = set(places)
        known = [key for key, place in walk.places.items() if place in walk.asked_places]
        return sorted([*chosen, *known]) if len(known) == n_left else None


def _counted(keys: Keys, n_zeros: int) -> tuple[Keys, Counts]:
    """The different keys in their order, and how often each is there."""
    every, counts = np.unique(keys, return_counts=True)
    if n_zeros:
        place = int(np.searchsorted(every, _SIGN))
        if place == len(every) or every[place] != _SIGN:
            every, counts = np.insert(every, place, _SIGN), np.insert(counts, place, 0)
        counts[place] += n_zeros
    return every, counts


def _quantiles(n: int, n_bits: int) -> list[int]:
    """The ranks of so many quantiles of n rows."""
    return [-(-n * level // (n_bits + 1)) for level in range(1, n_bits + 1)]


def _rank_of(other: int, taken: Sequence[_Found]) -> int:
    """The rank of one of the other rows among all: rows with a key in ``taken``, in their order, are none."""
    rank = other
    for each in taken:
        if each.below < rank:
            rank += each.n
    return rank


def _all(found: Sequence[_Found | None]) -> set[_Found] | None:
    """What was found, each once; None if anything was not."""
    return None if None in found else {each for each in found if each is not None}


def _place_of(other: int, taken: list[int]) -> int:
    """The place of one of the others among all: those in ``taken``, in their order, are none."""
    for place in taken:
        other += other >= place
    return other
