"""The reference backend: the executable specification (docs/spec.md), one file per rule of the learning step.

``step`` holds the step itself, six lines; ``outputs``, ``vote``, ``goal``, ``selection``, ``feedback`` and ``weights``
hold one rule each, ``moves`` and ``tape`` what feedback needs: how a state moves and which automata toss a coin. A rule
with variants has one table, ``RULES``, from the name in ``Settings`` to a function. All functions are pure, over whole
arrays; what they draw they draw from a ``Draws``, which counts. ``backend`` makes a backend of it.

Readable before all: one step after the other, nothing deferred. Every other backend must give the same states, weights,
counters and ledger, bit for bit.
"""

from __future__ import annotations

from adtm.machine.backends.reference.backend import ReferenceBackend, ReferenceTrainer, ReferenceVoter

__all__ = ["ReferenceBackend", "ReferenceTrainer", "ReferenceVoter"]
