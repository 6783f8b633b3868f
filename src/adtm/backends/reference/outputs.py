"""Rule 1, outputs: what a clause says to a sample. While predicting, ``Settings.empty`` decides about empty clauses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adtm.backends.reference.counting import Mask

__all__ = ["RULES", "learning_outputs", "predicting_outputs"]

Outputs = NDArray[np.int32]


def learning_outputs(include: Mask, literals: Mask) -> Outputs:
    """1 for a clause none of whose included literals is false, an empty one among them. (m, n), (..., n) -> (..., m)"""
    missed: Mask = np.any(include & ~literals[..., None, :], axis=-1)
    return (~missed).astype(np.int32)


def predicting_outputs(include: Mask, samples: Mask, *, empty: str) -> Outputs:
    """The same for many samples, empty clauses by their rule. (m, n), (samples, n) -> (samples, m)"""
    # As a product: the number of included literals that are false, exact in float32 up to 2**24 literals.
    misses = (~samples).astype(np.float32) @ include.T.astype(np.float32)
    may_vote = RULES[empty](include)
    fires: Mask = (misses == 0) & may_vote
    return fires.astype(np.int32)


def silent_empty(include: Mask) -> Mask:
    """A clause without literals says nothing."""
    filled: Mask = np.any(include, axis=1)
    return filled


def voting_empty(include: Mask) -> Mask:
    """A clause without literals says 1, as it does while learning."""
    return np.ones(len(include), np.bool_)


RULES = {"silent": silent_empty, "votes": voting_empty}
