"""Rule 2, vote: the sum of the weights of the clauses that fire, as often as they fire."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def votes(weights: NDArray[np.int32], outputs: NDArray[np.int32]) -> NDArray[np.int32]:
    """The votes of a bank's outputs. (outputs, m), (samples, m) -> (samples, outputs)"""
    return outputs @ weights.T


def clipped_vote(weights: NDArray[np.int32], outputs: NDArray[np.int32], T: int) -> int:
    """The vote of one output while learning, clipped to [-T, T]. (m,), (m,) -> a number"""
    return max(-T, min(T, int(weights @ outputs)))
