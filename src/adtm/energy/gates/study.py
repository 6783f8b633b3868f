"""One training clause at several d, with every source of coins, and in the mode without random numbers: a table.

Settings, head and order of samples are those of a machine; only what a row is about is changed. The workload is that
machine's own training. ``savings`` puts what the paper's model says beside what is measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adtm.energy.estimate import PAPER
from adtm.energy.gates.liberty import Library
from adtm.energy.gates.measure import MOST_LITERALS, PARTS, Bench, Measurement
from adtm.energy.gates.trace import record
from adtm.export.design import Design
from adtm.learning.parameters import DETERMINISTIC
from adtm.machine.heads import Targets
from adtm.machine.schedule import Schedule
from adtm.machine.settings import Settings
from adtm.tables.literals import Literals

DETERMINISM = (1, 10, 100, 1000, 5000)
#: A tolerant clause as it is trained without random numbers; few states are enough for it.
TOLERANT: dict[str, Any] = {"tolerance": 3, "max_literals": 12, "n_states": 16, "s": 50.0}


@dataclass(frozen=True)
class Build:
    """One way to build and train the clause: what it is, its d, its source of coins, and what it spends."""

    machine: str
    d: float
    source: str
    measurement: Measurement

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON: picojoules per cycle, shares, area."""
        measured = self.measurement
        return {
            "machine": self.machine,
            "source": self.source,
            "picojoules_per_cycle": measured.total * 1e12,
            "updates_share": measured.updates / measured.cycles,
            "shares": {part: measured.share(part) for part in PARTS},
            "generator_switching_share": measured.dynamic_share("generator"),
            "generator_leakage_share": measured.leakage_share("generator"),
            "area": sum(spent.area for spent in measured.parts.values()),
            "cells": sum(spent.cells for spent in measured.parts.values()),
            "conditions": vars(measured.conditions),
        }


def savings(rows: Sequence[Build]) -> dict[str, dict[str, float]]:
    """Of each machine, the share of energy saved against a coin at every update, below 0 where it takes more.

    ``"paper"`` is what the paper's model says, ``"each"`` and ``"shared"`` what is measured, against d = 1 with a
    generator per automaton and with one per clause.
    """
    first = {row.source: row.measurement.total for row in rows if row.d == 1}
    saved: dict[str, dict[str, float]] = {row.machine: {"paper": PAPER.saving_share(row.d)} for row in rows}
    for row in rows:
        sources = first if row.source == "none" else (row.source,)
        saved[row.machine] |= {source: 1 - row.measurement.total / first[source] for source in sources}
    return saved


def study(
    design: Design,
    literals: Literals,
    targets: Targets,
    library: Library,
    *,
    clock: float,
    workload: str,
    n_steps: int = 1000,
) -> Iterator[Build]:
    """The rows, one after the other: each takes seconds, the first of a new kind of clause some more for synthesis."""
    settings, n = design.settings, literals.n_literals
    if n > MOST_LITERALS:
        raise ValueError(f"gates are counted for clauses of at most {MOST_LITERALS} literals, got {n}")
    bench = Bench(library)
    for machine, source, own in machines(settings):
        order, number = schedule_of(design, own), settings.n_clauses // 2
        trace = record(own, literals, targets, order, n_steps=n_steps, number=number, head=design.head)
        yield Build(machine, own.d, source, bench.measure(trace, source, clock=clock, workload=workload))


def schedule_of(design: Design, own: Settings) -> Schedule:
    """The order of samples of a machine with these settings."""
    return replace(design.schedule, shuffle=DETERMINISTIC["shuffle"] if own.selection == "weyl" else True)


def machines(settings: Settings) -> list[tuple[str, str, Settings]]:
    """What each row is called, its source of coins and its settings."""
    drawn = replace(settings, weak="every", step=int(settings.one_s), selection="random", start="random", d=1)
    even = replace(drawn, weak="rota", step=1, selection="weyl", start="empty", d=math.inf)
    return [
        *((f"d = {d:g}", source, replace(drawn, d=d)) for d in DETERMINISM for source in ("each", "shared")),
        ("d = infinity", "none", replace(drawn, d=math.inf)),
        ("no random number", "none", even),
        ("no random number, tolerant", "none", replace(even, **TOLERANT)),
    ]
