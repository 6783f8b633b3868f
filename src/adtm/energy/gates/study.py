"""One training clause at several d, with every source of coins, and in the mode without random numbers: a table.

Settings are those of a machine; only what a row is about is changed. The workload is that machine's own training.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.energy.gates.liberty import Library
from adtm.energy.gates.measure import MOST_LITERALS, PARTS, Bench, Measurement
from adtm.energy.gates.trace import record
from adtm.learning.parameters import DETERMINISTIC
from adtm.machine.schedule import Schedule
from adtm.machine.settings import Settings
from adtm.tables.literals import Literals

DETERMINISM = (1, 10, 100, 1000, 5000)
#: A tolerant clause as it is trained without random numbers; few states are enough for it.
TOLERANT: dict[str, Any] = {"tolerance": 3, "max_literals": 12, "n_states": 16, "s": 50.0}


@dataclass(frozen=True)
class Row:
    """One way to build and train the clause: what it is, its source of coins, and what it spends."""

    machine: str
    source: str
    measurement: Measurement

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON: picojoules per cycle, shares, area."""
        measured = self.measurement
        return {
            "machine": self.machine,
            "source": self.source,
            "picojoules_per_cycle": measured.total * 1e12,
            "shares": {part: measured.share(part) for part in PARTS},
            "generator_switching_share": measured.dynamic_share("generator"),
            "generator_leakage_share": measured.leakage_share("generator"),
            "area": sum(spent.area for spent in measured.parts.values()),
            "cells": sum(spent.cells for spent in measured.parts.values()),
            "conditions": vars(measured.conditions),
        }


def study(
    settings: Settings,
    literals: Literals,
    labels: NDArray[np.intp],
    library: Library,
    *,
    clock: float,
    workload: str,
    n_steps: int = 1000,
) -> Iterator[Row]:
    """The rows, one after the other: each takes seconds, the first of a new kind of clause some more for synthesis."""
    n = literals.n_literals
    if n > MOST_LITERALS:
        raise ValueError(f"gates are counted for clauses of at most {MOST_LITERALS} literals, got {n}")
    if len(np.unique(labels)) != 2:
        raise ValueError(f"the workload must have two classes, got {len(np.unique(labels))}")
    bench = Bench(library)
    drawn = replace(settings, weak="every", step=int(settings.one_s), selection="random", start="random", d=1)
    even = replace(drawn, weak="rota", step=1, selection="weyl", start="empty", d=math.inf)
    rows: list[tuple[str, str, Settings]] = []
    for d in DETERMINISM:
        rows += [(f"d = {d:g}", source, replace(drawn, d=d)) for source in ("each", "shared")]
    rows += [
        ("d = infinity", "none", replace(drawn, d=math.inf)),
        ("no random number", "none", even),
        ("no random number, tolerant", "none", replace(even, **TOLERANT)),
    ]
    for machine, source, own in rows:
        schedule = Schedule(DETERMINISTIC["shuffle"] if own.selection == "weyl" else True)
        number = settings.n_clauses // 2
        trace = record(own, literals, labels, schedule, n_steps=n_steps, number=number)
        yield Row(machine, source, bench.measure(trace, source, clock=clock, workload=workload))
