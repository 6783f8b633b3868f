"""Rule 1, outputs: the votes that a clause casts for a sample. While predicting, ``Settings.empty`` decides about empty
clauses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adtm.machine.backends.reference.counting import Mask

Outputs = NDArray[np.int32]


def most_votes(include: Mask, F: int) -> Outputs:
    """Votes of each clause when no included literal fails: F, or one for each where there are fewer. (m, n) -> (m,)"""
    size = include.sum(axis=1, dtype=np.int32)
    return np.where((size > 0) & (size < F), size, np.int32(F))


def learning_outputs(include: Mask, literals: Mask, F: int = 1) -> Outputs:
    """One vote less for each included literal that is false, none at worst. (m, n), (..., n) -> (..., m)"""
    misses = (include & ~literals[..., None, :]).sum(axis=-1, dtype=np.int32)
    out: Outputs = np.maximum(most_votes(include, F) - misses, 0)
    return out


def predicting_outputs(include: Mask, samples: Mask, F: int = 1, *, empty: str) -> Outputs:
    """The same for many samples, empty clauses by their rule. (m, n), (samples, n) -> (samples, m)"""
    # As a product: the number of included literals that are false, exact in float32 up to 2**24 literals.
    misses = ((~samples).astype(np.float32) @ include.T.astype(np.float32)).astype(np.int32)
    out: Outputs = np.maximum(most_votes(include, F) - misses, 0) * RULES[empty](include)
    return out


def silent_empty(include: Mask) -> Mask:
    """A clause without literals says nothing."""
    filled: Mask = np.any(include, axis=1)
    return filled


def voting_empty(include: Mask) -> Mask:
    """A clause without literals says what it says while learning."""
    return np.ones(len(include), np.bool_)


RULES = {"silent": silent_empty, "votes": voting_empty}
