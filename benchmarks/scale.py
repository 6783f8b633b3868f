"""On paper: memory, traffic and hours of machines far larger than any that was trained here, from rates measured here.

    python benchmarks/scale.py          # measures for a minute, prints the table of docs/large_data.md

Rates are of processor time on one core, so that other programs do not matter. A step costs in proportion to the
clauses of a bank; what a row costs depends on how often it is already learned, so the mean of some epochs counts.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

import adtm
from adtm.markdown import markdown_table
from adtm.tables.literals import n_words_for

FEATURES = 750  # 30 numbers of 25 bits
CORES = (16, 1_000, 10_000)
STREAM_BYTES = 12  # row, output and target of a step
LEARNING_BYTES = 2.7  # of an automaton while it learns (docs/architecture.md)


@dataclass(frozen=True)
class Rates:
    """Seconds of one core for a clause of a step, and for a row to be packed by known thresholds."""

    clause: float
    row: float


@dataclass(frozen=True)
class Need:
    """A machine: its classes (two are one bank), members, clauses of a bank, and rows."""

    name: str
    n_classes: int
    n_members: int
    n_clauses: int
    n_rows: float

    @property
    def n_banks(self) -> int:
        return self.n_members * (1 if self.n_classes == 2 else self.n_classes)

    @property
    def steps(self) -> float:
        """Of all banks in an epoch: with many classes a row is a step of its own and of three others."""
        return self.n_rows * self.n_members * (1 if self.n_classes == 2 else min(4, self.n_classes))

    @property
    def automata(self) -> float:
        return float(self.n_banks) * self.n_clauses * 2 * FEATURES

    def row(self, rates: Rates) -> list[str]:
        """The row of the table."""
        packed = self.n_rows * 8 * n_words_for(FEATURES)
        traffic = 2 * self.automata + STREAM_BYTES * self.steps
        seconds = self.steps * self.n_clauses * rates.clause
        hours = [_hours(seconds / min(cores, self.n_banks)) for cores in CORES]
        parts = (packed, self.automata * LEARNING_BYTES, traffic)
        return [self.name, f"{self.n_banks:,}", *map(_bytes, parts), *hours]


NEEDS = (
    Need("2 × 100, 2·10⁷", 2, 1, 100, 2e7),
    Need("2 × 100, 16 members, 2·10⁷", 2, 16, 100, 2e7),
    Need("10 × 2,000, 10⁸", 10, 1, 2_000, 1e8),
    Need("1,000 × 2,000, 10⁸", 1_000, 1, 2_000, 1e8),
    Need("10⁴ × 10⁴, 10⁹", 10_000, 1, 10_000, 1e9),
)


def measured(n_rows: int = 20_000, n_clauses: int = 100, epochs: int = 4) -> Rates:
    """The rates of this machine, on made data."""
    X = np.random.default_rng(0).random((n_rows, FEATURES // 25))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0.8).astype(int)
    booleanizer = adtm.Booleanizer(missing="indicator").fit(X)
    begin = time.process_time()
    literals = booleanizer.literals(X)
    packing = (time.process_time() - begin) / n_rows
    plain = {"epochs": epochs, "early_stopping": False, "probability": "shares", "choose": False}
    machine = adtm.ADTMClassifier(n_clauses=n_clauses, **plain)
    begin = time.process_time()
    machine.fit(literals, y, train_accuracy=False)
    return Rates((time.process_time() - begin) / (epochs * n_rows * n_clauses), packing)


def table(rates: Rates) -> str:
    """What each of ``NEEDS`` takes, as Markdown."""
    heads = ("classes × clauses, rows", "banks", "rows", "states", "traffic", *(f"{cores:,} cores" for cores in CORES))
    return markdown_table(heads, [each.row(rates) for each in NEEDS])


def _bytes(n: float) -> str:
    power = min(4, int(math.log(max(n, 1), 1000)))
    return f"{n / 1000**power:.3g} {('B', 'kB', 'MB', 'GB', 'TB')[power]}"


def _hours(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:,.0f} h"


if __name__ == "__main__":
    found = measured()
    print(f"{found.clause * 1e9:.1f} ns for a clause of a step, {found.row * 1e6:.2f} µs to pack a row\n")
    print(table(found))
