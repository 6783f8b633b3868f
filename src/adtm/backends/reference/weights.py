"""Rule 6, weights: what a step does to the weights of the clauses it selected."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adtm.backends.reference.counting import Mask

__all__ = ["RULES", "fixed_weights"]

Weights = NDArray[np.int32]


def fixed_weights(weights: Weights, outputs: NDArray[np.int32], selected: Mask, up: bool) -> Weights:
    """They stay as they are. (m,), (m,), (m,) -> (m,)"""
    del outputs, selected, up
    return weights


RULES = {"fixed": fixed_weights}
