"""The memory of a C file that learns: what it will take, by part, before anything is generated (``learn``)."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from typing import Any

import numpy as np

from adtm.export.design import Design, design_of
from adtm.machine.ledger import Ledger


@dataclass(frozen=True)
class MemoryUse:
    """Bytes of RAM that a generated learner takes, by part. The stack needs less than 256 bytes besides, and a patch.

    Attributes
    ----------
    states, includes : int
        Of the automata: their states, and a bit whether each includes its literal.
    weights : int
        Of the clauses, where they learn.
    step : int
        What is kept of a step while it is learned.
    clocks, counts : int
        Updates and steps; samples of each class or label, and the ledger.

    Examples
    --------
    >>> MemoryUse(states=3600, includes=796, weights=0, step=4, clocks=808, counts=168).total
    5376
    """

    states: int
    includes: int
    weights: int
    step: int
    clocks: int
    counts: int

    @property
    def total(self) -> int:
        """Bytes of the whole struct."""
        parts: tuple[int, ...] = astuple(self)
        return -(-sum(parts) // 8) * 8


def memory(estimator: Any, *, n_features: int | None = None, y: Any = None) -> MemoryUse:
    """What a learner will need, before anything is generated; the parameters are those of ``learner``.

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.export.c import memory
    >>> memory(ADTMClassifier(n_clauses=20), n_features=18, y=[0, 1]).total
    1216
    """
    return memory_of(design_of(estimator, n_features=n_features, y=y))


def memory_of(design: Design) -> MemoryUse:
    """The same of a design."""
    settings, outputs, n = design.settings, design.outputs, design.n_features
    banks, m = outputs.n_banks, settings.n_clauses
    return MemoryUse(
        states=banks * m * 2 * n * np.dtype(settings.state_dtype).itemsize,
        includes=4 * banks * m * 2 * -(-n // 32),
        weights=0 if settings.weights == "fixed" else 4 * outputs.n_votes * m,
        step=4 * -(-m // 32) if settings.patches is None else 8 * m,
        clocks=8 * (banks * m + banks + 2),
        counts=8 * (2 * len(outputs.labels) + len(fields(Ledger))),
    )
