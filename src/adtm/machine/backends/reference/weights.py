"""Rule 6, weights: what a step does to the weights of the clauses it selected."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adtm.machine.backends.reference.counting import Mask

Weights = NDArray[np.int32]

# Each gives the weights of one output after a step: (m,), (m,), (m,) -> (m,); none grows beyond ``most``.


def fixed_weights(weights: Weights, outputs: NDArray[np.int32], selected: Mask, up: bool, most: int) -> Weights:
    """They stay as they are."""
    del outputs, selected, up, most
    return weights


def free_weights(weights: Weights, outputs: NDArray[np.int32], selected: Mask, up: bool, most: int) -> Weights:
    """Those of selected clauses that fire go one up or one down, through 0 to the other sign."""
    moved = np.clip(weights + np.int64(1 if up else -1), -most, most)
    return np.where(selected & (outputs > 0), moved, weights).astype(np.int32)


def sided_weights(weights: Weights, outputs: NDArray[np.int32], selected: Mask, up: bool, most: int) -> Weights:
    """The same, but a clause stays on its side: 1 and -1 are as small as a weight becomes."""
    positive = weights >= 0
    low, high = np.where(positive, 1, -most), np.where(positive, most, -1)
    moved = np.clip(weights + np.int64(1 if up else -1), low, high)
    return np.where(selected & (outputs > 0), moved, weights).astype(np.int32)


RULES = {"fixed": fixed_weights, "sided": sided_weights, "free": free_weights}
