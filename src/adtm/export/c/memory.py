"""The memory of a C file that learns: what it will take, by part, before anything is generated (``c_learner``)."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields

import numpy as np

from adtm.machine.heads import Head, TwoClasses, Value
from adtm.machine.ledger import Ledger
from adtm.machine.settings import Settings

__all__ = ["Memory", "memory", "n_counted"]


@dataclass(frozen=True)
class Memory:
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
    >>> Memory(states=3600, includes=796, weights=0, step=4, clocks=808, counts=168).total
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


def memory(settings: Settings, head: Head, *, n_features: int) -> Memory:
    """What a learner of these settings will need, before anything is generated.

    ``n_features`` are those that a clause reads: of a row, or of a patch.

    Examples
    --------
    >>> from adtm import ADTMClassifier
    >>> from adtm.machine.heads import TwoClasses
    >>> memory(ADTMClassifier(n_clauses=20).check_parameters(), TwoClasses(), n_features=18).total
    1216
    """
    banks, m = head.n_banks, settings.n_clauses
    return Memory(
        states=banks * m * 2 * n_features * np.dtype(settings.state_dtype).itemsize,
        includes=4 * banks * m * 2 * -(-n_features // 32),
        weights=0 if settings.weights == "fixed" else 4 * banks * head.n_outputs * m,
        step=4 * -(-m // 32) if settings.patches is None else 8 * m,
        clocks=8 * (banks * m + banks + 2),
        counts=8 * (2 * n_counted(head) + len(fields(Ledger))),
    )


def n_counted(head: Head) -> int:
    """Classes, or labels, whose samples a head counts."""
    if isinstance(head, TwoClasses):
        return 2
    return 0 if isinstance(head, Value) else head.n_banks * head.n_outputs
