"""What tests of the booleanizer share: names of features, and Boolean rows as text."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from adtm import Booleanizer


def names(booleanizer: Booleanizer) -> list[str]:
    return list(booleanizer.get_feature_names_out())


def names_of(X: Any, **parameters: Any) -> list[str]:
    """The names that a booleanizer fitted to X gives."""
    return names(Booleanizer(**parameters).fit(X))


def rows(bits: Any) -> list[str]:
    """Write Boolean rows as strings of 0 and 1, easy to compare by eye."""
    dense = bits.toarray() if sparse.issparse(bits) else bits
    return ["".join(map(str, row)) for row in np.asarray(dense).astype(int).tolist()]
