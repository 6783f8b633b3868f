"""Facts about the sequences in the place of random numbers, computed from their words (docs/determinism/theory.md).

How evenly clauses are selected, how much like drawn orders the orders are, how the turns of the rota fall. Nothing is
learned here; what is compared with drawing is drawn under one seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from adtm.machine import schedule, weyl
from adtm.paper.reading.table import Table
from adtm.paper.running.variants import lattice_phases

SIZES = (20, 100, 2000)  # clauses
ARCS = 400  # places where an arc begins, and lengths that it has
ROWS, EPOCHS = 1000, 300
CLAUSES, LITERALS, S, UPDATES = 200, 200, 10, 1000
Floats = NDArray[np.float64]


def tables() -> list[Table]:
    """Three tables: selection, order, rota."""
    return [selection_table(), order_table(), rota_table()]


# ---- selection -------------------------------------------------------------------------------------------------------


def selection_table() -> Table:
    """The error of the number of clauses selected, evenly spread and drawn."""
    rng = np.random.default_rng(0)
    # The phases of every second clause, which are those of one polarity, as sorted places on the circle.
    words = {m: np.sort(weyl.words(0, 2 * weyl.CLAUSE, m // 2) / 2.0**32) for m in SIZES}
    drawn = {m: [largest_error(np.sort(rng.random(m // 2))) for _ in range(1000)] for m in SIZES}
    rows = [
        ("weyl: the largest error at any threshold and step", *(f"{arc_error(words[m]):.2f}" for m in SIZES)),
        ("drawn: the largest error at any threshold, mean", *(f"{np.mean(drawn[m]):.2g}" for m in SIZES)),
        ("weyl: variance, mean over all thresholds", *(f"{arc_variance(words[m]):.2f}" for m in SIZES)),
        ("drawn: variance, N/6", *(f"{m / 12:.3g}" for m in SIZES)),
    ]
    note = "Of the N = m/2 clauses of one polarity; the error is of the number selected, beside N times the threshold."
    columns = ("Number of clauses selected", *(f"m = {m:,}" for m in SIZES))
    return Table("sequences_selection", "Selection: how far from its share", columns, rows, (note,))


def arc_error(places: Floats) -> float:
    """The largest difference between the points in an arc and their share, over all arcs of the circle.

    >>> arc_error(np.array([0.0, 0.25, 0.5, 0.75]))
    1.0
    """
    ahead = np.arange(len(places)) - len(places) * places
    return float(ahead.max() - ahead.min() + 1)


def largest_error(places: Floats) -> float:
    """The same over arcs that begin at 0: thresholds at one step.

    >>> largest_error(np.array([0.5, 0.5]))
    1.0
    """
    share = len(places) * places
    count = np.arange(len(places))
    return float(max((share - count).max(), (count + 1 - share).max()))


def arc_variance(places: Floats) -> float:
    """Variance of the number of points in an arc over where it begins, mean over its length."""
    begins = (np.arange(ARCS) + 0.5) / ARCS
    twice = np.concatenate([places, places + 1])
    before = np.searchsorted(twice, begins)
    counts = [np.searchsorted(twice, begins + length) - before for length in begins]
    return float(np.mean([np.var(count) for count in counts]))


# ---- order -----------------------------------------------------------------------------------------------------------


def order_table() -> Table:
    """Longest runs and largest excesses of one class in the orders of a sorted table."""
    rng = np.random.default_rng(0)
    orders: dict[str, Callable[[int], NDArray[np.intp]]] = {
        "weyl": lambda epoch: np.asarray(schedule.weyl_order(epoch, ROWS), np.intp),
        "drawn": lambda epoch: rng.permutation(ROWS),
        "linear rule": lambda epoch: np.argsort(weyl.words(0, weyl.SAMPLE * (2 * epoch + 1), ROWS), kind="stable"),
    }
    y = np.arange(ROWS) >= ROWS // 2
    measures = {"longest run of one class": longest_run, "largest excess of one class": largest_excess}
    rows = [
        (name, *(_spread([measure(y[order(epoch)]) for epoch in range(EPOCHS)]) for order in orders.values()))
        for name, measure in measures.items()
    ]
    note = (
        f"A table of {ROWS:,} rows sorted by class, half and half: median, 99 % and largest of the first {EPOCHS} "
        "epochs. Excess: of one class over the other in any beginning of the epoch. Linear rule: sorted by "
        "i·SAMPLE·(2e + 1)."
    )
    return Table("sequences_order", "Order: how much like a drawn one", ("Sorted rows", *orders), rows, (note,))


def longest_run(classes: NDArray[np.bool_]) -> int:
    """The most samples of one class in a row.

    >>> longest_run(np.array([True, False, False, False, True]))
    3
    """
    changes = np.flatnonzero(np.diff(classes.astype(np.int8)))
    ends = np.concatenate([[-1], changes, [len(classes) - 1]])
    return int(np.diff(ends).max())


def largest_excess(classes: NDArray[np.bool_]) -> int:
    """How far one class is ahead of the other at most, in any beginning.

    >>> largest_excess(np.array([True, False, False, False, True]))
    2
    """
    return int(np.abs(np.cumsum(np.where(classes, 1, -1))).max())


def _spread(values: Sequence[int]) -> str:
    median, high, most = (np.quantile(values, q, method="higher") for q in (0.5, 0.99, 1))
    return f"{median:.0f}, {high:.0f}, {most:.0f}"


# ---- rota ------------------------------------------------------------------------------------------------------------


def rota_table() -> Table:
    """How many automata of a clause have their turn at once, and how many turns two automata share."""
    clauses = np.arange(CLAUSES)
    hashed = np.stack([weyl.phases(CLAUSES, LITERALS)[weyl.PHASE_STRIDE * j :][:LITERALS] for j in clauses])
    rate = weyl.rota_rate(S)
    share = rate / 2**32
    kinds = {"hashed": hashed, "lattice": lattice_phases(clauses, LITERALS)}
    turns = {name: turn_counts(phases, rate) for name, phases in kinds.items()}
    shares = {name: mean_shares(phases, share) for name, phases in kinds.items()}
    binomial = f"{LITERALS * share:.1f}; {LITERALS * share * (1 - share):.1f}"
    common = (f"{s.min():.2f} to {s.max():.2f}" for s in shares.values())
    rows = [
        ("turns in one update, mean; variance", *(f"{c.mean():.1f}; {c.var():.1f}" for c in turns.values()), binomial),
        ("fewest and most turns in one update", *(f"{c.min()} to {c.max()}" for c in turns.values()), ""),
        ("share of turns in common, over all pairs", *common, f"{share:.3f}"),
        ("pairs that share no turn in any clause", *(f"{np.mean(s == 0):.0%}" for s in shares.values()), "0%"),
    ]
    note = (
        f"{LITERALS} automata, s = {S}, {CLAUSES} clauses, {UPDATES:,} updates; shares in the long run, mean over the "
        "clauses. Drawn: what independent draws of the same rate expect."
    )
    return Table("sequences_rota", "Rota: who has a turn together", ("Turns", *kinds, "drawn"), rows, (note,))


def turn_counts(phases: NDArray[np.uint32], rate: int) -> NDArray[np.intp]:
    """Automata whose turn it is, for each clause at each update: (updates, clauses)."""
    passed = weyl.words(rate, rate, UPDATES)
    return np.stack([np.count_nonzero(phases + word < np.uint32(rate), axis=1) for word in passed])


def mean_shares(phases: NDArray[np.uint32], share: float) -> Floats:
    """Of every pair of automata, the share of turns in common, max(0, 1 - distance / share), mean over the clauses."""
    pairs = np.triu_indices(phases.shape[1], k=1)
    total = np.zeros(len(pairs[0]))
    for row in phases:
        apart = (row[pairs[0]] - row[pairs[1]]) / 2.0**32
        total += np.maximum(0, 1 - np.minimum(apart, 1 - apart) / share)
    return total / len(phases)
